/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpit_own_vars: the library's own variables, against what this program does and what stands in its environment:
 * MPI2DD_TRACK_COMM=77 MPI2DD_TRACK_ARENA=5000000000 MPI2DD_TRACK_WHERE=3 MPI2DD_TRACK_FREED=9.
 */
#include "mpit_common.h"

/* MPICH declares arrays of statuses, and "ignored" is none. */
#pragma GCC diagnostic ignored "-Wstringop-overflow"

#include "../../include/mpi2dd.h"
#include "../../include/track_layout.h"

#include <time.h>
#include <unistd.h>

#pragma weak MPI2DD_info
extern struct MPI2DD_INFO MPI2DD_info;
#pragma weak MPI2DD_registry
extern struct trk_registry MPI2DD_registry;

static MPI_T_pvar_session session;
static MPI_Comm comm;

/* ---- performance variables ----------------------------------------------------------------------------- */

static MPI_T_pvar_handle handle(const char *name, int var_class, MPI_Comm *object)
{
	MPI_T_pvar_handle h = MPI_T_PVAR_HANDLE_NULL;
	int index, count = 0;

	rule("own.pvar",
	     MPI_T_pvar_get_index(name, var_class, &index) == MPI_SUCCESS &&
		     MPI_T_pvar_handle_alloc(session, index, object, &h, &count) == MPI_SUCCESS && count == 1,
	     name);
	return h;
}

static long long value(MPI_T_pvar_handle h)
{
	unsigned long long n = 0;
	int rc = MPI_T_pvar_read(session, h, &n);

	return rc == MPI_SUCCESS ? (long long)n : -1;
}

static void levels(void)
{
	MPI_T_pvar_handle comms = handle("mpi2dd_live_comm", MPI_T_PVAR_CLASS_LEVEL, NULL),
			  types = handle("mpi2dd_live_datatype", MPI_T_PVAR_CLASS_LEVEL, NULL),
			  live = handle("mpi2dd_live_request", MPI_T_PVAR_CLASS_LEVEL, NULL),
			  active = handle("mpi2dd_requests_active", MPI_T_PVAR_CLASS_LEVEL, NULL),
			  calls = handle("mpi2dd_calls", MPI_T_PVAR_CLASS_COUNTER, NULL),
			  dropped = handle("mpi2dd_dropped_comm", MPI_T_PVAR_CLASS_COUNTER, NULL);
	long long n = value(comms), m = value(types), k = value(live), a = value(active), d = value(dropped);
	MPI_Comm made[3], *many;
	MPI_Datatype type;
	MPI_Request r[3];
	int in[3], out = 0;

	for (int i = 0; i < 3; i++)
		MPI_Comm_dup(MPI_COMM_SELF, &made[i]);
	MPI_Type_contiguous(3, MPI_INT, &type);
	rule("own.pvar", n >= 0 && value(comms) == n + 3 && value(types) == m + 1, "objects that are live");
	MPI_Comm_free(&made[1]);
	MPI_Type_free(&type);
	rule("own.pvar", value(comms) == n + 2 && value(types) == m, "objects that are not live any more");
	MPI_Irecv(&in[0], 1, MPI_INT, 0, 1, comm, &r[0]);
	MPI_Irecv(&in[1], 1, MPI_INT, 0, 2, comm, &r[1]);
	MPI_Recv_init(&in[2], 1, MPI_INT, 0, 3, comm, &r[2]);
	rule("own.pvar", value(live) == k + 3 && value(active) == a + 2, "requests that are live and active");
	MPI_Start(&r[2]);
	rule("own.pvar", value(active) == a + 3, "a persistent request that is active");
	for (int i = 0; i < 3; i++)
		MPI_Send(&out, 1, MPI_INT, 0, i + 1, comm);
	MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
	rule("own.pvar", value(live) == k + 1 && value(active) == a, "requests that are complete");
	MPI_Request_free(&r[2]);
	rule("own.pvar", value(live) == k, "a request that was freed");
	long long before = value(calls);
	for (int i = 0; i < 10; i++) {
		MPI_Wtime();
		MPI_Comm_rank(comm, &in[0]);
	}
	rule("own.pvar", value(calls) == before + 10, "calls");
	/* more than MPI2DD_TRACK_COMM */
	many = calloc(100, sizeof *many);
	for (int i = 0; i < 100; i++)
		MPI_Comm_dup(MPI_COMM_SELF, &many[i]);
	long long lost = value(dropped) - d;
	rule("own.pvar", lost >= 23 && lost <= 50 && value(comms) == n + 2 + 100 - lost, "communicators without room");
	for (int i = 0; i < 100; i++)
		MPI_Comm_free(&many[i]);
	free(many);
	MPI_Comm_free(&made[0]);
	MPI_Comm_free(&made[2]);
	rule("own.pvar", MPI_T_pvar_start(session, comms) == MPI_T_ERR_PVAR_NO_STARTSTOP, "a level is started");
	rule("own.pvar", value(handle("mpi2dd_arena_bytes", MPI_T_PVAR_CLASS_SIZE, NULL)) >= 1 << 16, "arena");
	rule("own.pvar", value(handle("mpi2dd_threads_high", MPI_T_PVAR_CLASS_HIGHWATERMARK, NULL)) >= 1, "threads");
}

static void exchange(MPI_Comm on, int n, int tag)
{
	int out[64] = { 0 }, in[64];
	MPI_Request r;

	MPI_Irecv(in, 64, MPI_INT, 0, tag, on, &r);
	MPI_Send(out, n, MPI_INT, 0, tag, on);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void traffic(void)
{
	MPI_Comm other;
	unsigned long long n = 0;

	MPI_Comm_dup(MPI_COMM_SELF, &other);
	MPI_T_pvar_handle sent = handle("mpi2dd_messages_sent", MPI_T_PVAR_CLASS_COUNTER, &comm),
			  got = handle("mpi2dd_messages_received", MPI_T_PVAR_CLASS_COUNTER, &comm),
			  out = handle("mpi2dd_bytes_sent", MPI_T_PVAR_CLASS_AGGREGATE, &comm),
			  in = handle("mpi2dd_bytes_received", MPI_T_PVAR_CLASS_AGGREGATE, &comm),
			  others = handle("mpi2dd_messages_sent", MPI_T_PVAR_CLASS_COUNTER, &other),
			  started = handle("mpi2dd_requests_started", MPI_T_PVAR_CLASS_COUNTER, NULL),
			  completed = handle("mpi2dd_requests_completed", MPI_T_PVAR_CLASS_COUNTER, NULL);
	exchange(comm, 5, 1);
	rule("own.pvar", value(sent) == 0 && value(in) == 0, "counted before it was started");
	MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES);
	exchange(comm, 5, 1);
	exchange(comm, 7, 2);
	exchange(other, 1, 3);
	rule("own.pvar",
	     value(sent) == 2 && value(got) == 2 && value(out) == 48 && value(in) == 48 && value(others) == 1,
	     "messages and bytes of a communicator");
	rule("own.pvar", value(started) == 3 && value(completed) == 3, "requests started and completed");
	MPI_T_pvar_stop(session, sent);
	exchange(comm, 1, 4);
	rule("own.pvar", value(sent) == 2 && value(got) == 3, "a stopped variable counts, or one that is not does not");
	MPI_T_pvar_start(session, sent);
	exchange(comm, 1, 5);
	rule("own.pvar", value(sent) == 3, "a variable that was started again");
	rule("own.pvar", MPI_T_pvar_readreset(session, sent, &n) == MPI_SUCCESS && n == 3 && value(sent) == 0, "reset");
	MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES);
	exchange(comm, 1, 6);
	rule("own.pvar", value(got) == 4 && value(started) == 5, "all were stopped");
	MPI_T_pvar_start(session, others);
	MPI_Comm_free(&other);
	rule("own.pvar", MPI_T_pvar_read(session, others, &n) == MPI_T_ERR_INVALID_HANDLE,
	     "counters of a communicator that was freed");
	MPI_Comm_dup(MPI_COMM_SELF, &other); /* its handle may have the same value */
	rule("own.pvar", MPI_T_pvar_read(session, others, &n) == MPI_T_ERR_INVALID_HANDLE,
	     "counters of a communicator that has come after it");
	MPI_Comm_free(&other);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* An error handler that sleeps is time in MPI. */
static void rest(MPI_Comm *where, int *code, ...)
{
	(void)where;
	(void)code;
	usleep(50000);
}

static void time_in_mpi(void)
{
	MPI_T_pvar_handle h = handle("mpi2dd_time_in_mpi", MPI_T_PVAR_CLASS_TIMER, NULL);
	MPI_Errhandler own;
	double t = -1, before = seconds();
	int value = 0;

	MPI_Comm_create_errhandler(rest, &own);
	MPI_Comm_set_errhandler(comm, own);
	MPI_T_pvar_start(session, h);
	MPI_Send(&value, 1, MPI_INT, 99, 0, comm);
	usleep(50000); /* this is not */
	MPI_T_pvar_stop(session, h);
	double passed = seconds() - before;
	MPI_Send(&value, 1, MPI_INT, 99, 0, comm);
	MPI_T_pvar_read(session, h, &t);
	rule("own.pvar", t >= 0.05 && t <= passed - 0.05, "the time in MPI");
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	MPI_Errhandler_free(&own);
}

static void all_pvars(void)
{
	int n, n_own = 0;
	struct said s;

	MPI_T_pvar_get_num(&n);
	for (int i = 0; i < n; i++) {
		MPI_T_pvar_handle h;
		char room[64];
		int count = -1;
		if (ask_pvar(i, &s) != MPI_SUCCESS || !is_own(&s))
			continue;
		n_own++;
		rule("own.pvar",
		     s.desc[0] && MPI_T_pvar_handle_alloc(session, i, s.bind == MPI_T_BIND_MPI_COMM ? &comm : NULL, &h,
							  &count) == MPI_SUCCESS,
		     s.name);
		rule("own.pvar", count == 1 && MPI_T_pvar_read(session, h, room) == MPI_SUCCESS, s.name);
		MPI_T_pvar_handle_free(session, &h);
	}
	rule("own.pvar", n_own > 40, "too few variables");
}

/* ---- control variables --------------------------------------------------------------------------------- */

static MPI_T_cvar_handle cvar(const char *name, struct said *s)
{
	MPI_T_cvar_handle h = MPI_T_CVAR_HANDLE_NULL;
	int index, count;

	rule("own.cvar",
	     MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS && ask_cvar(index, s) == MPI_SUCCESS && s->desc[0] &&
		     MPI_T_cvar_handle_alloc(index, NULL, &h, &count) == MPI_SUCCESS,
	     name);
	return h;
}

static long long cvar_value(const char *name)
{
	struct said s;
	MPI_T_cvar_handle h = cvar(name, &s);
	unsigned long long large = 0;
	int n = -1, rc = MPI_T_cvar_read(h, s.datatype == MPI_INT ? (void *)&n : (void *)&large);

	MPI_T_cvar_handle_free(&h);
	return rc != MPI_SUCCESS ? -99 : s.datatype == MPI_INT ? n : (long long)large;
}

static int cvar_set(const char *name, int value)
{
	struct said s;
	MPI_T_cvar_handle h = cvar(name, &s);
	int rc = MPI_T_cvar_write(h, &value);

	MPI_T_cvar_handle_free(&h);
	return rc;
}

/* Writable control variables of the registry: the number of kept records changes. */
static const struct trk_comm *record(MPI_Comm of, int *n_freed)
{
	const struct trk_slab *slab = (const struct trk_slab *)(uintptr_t)MPI2DD_registry.slabs + TRK_COMM;
	const struct trk_comm *all = (const struct trk_comm *)(uintptr_t)slab->records, *found = NULL;
	uint64_t bits = 0;

	memcpy(&bits, &of, sizeof of);
	*n_freed = 0;
	for (uint32_t i = 0; i < slab->high; i++) {
		*n_freed += all[i].state == TRK_FREED || all[i].state == TRK_EARLIER;
		if (all[i].state == TRK_LIVE && all[i].handle == bits)
			found = &all[i];
	}
	return found;
}

static void knobs(void)
{
	const struct trk_comm *r;
	MPI_Comm made;
	int n_freed;

	if (&MPI2DD_registry == NULL)
		return;
	for (int wanted = 0; wanted <= 2; wanted++) {
		cvar_set("MPI2DD_TRACK_WHERE", wanted);
		MPI_Comm_dup(MPI_COMM_SELF, &made);
		r = record(made, &n_freed);
		rule("own.cvar", r && r->where.n == (uint32_t)wanted, "MPI2DD_TRACK_WHERE is not obeyed");
		MPI_Comm_free(&made);
	}
	for (int wanted = 2; wanted <= 6; wanted += 4) {
		cvar_set("MPI2DD_TRACK_FREED", wanted);
		for (int i = 0; i < 10; i++) {
			MPI_Comm_dup(MPI_COMM_SELF, &made);
			MPI_Comm_free(&made);
		}
		record(made, &n_freed);
		rule("own.cvar", n_freed == wanted, "MPI2DD_TRACK_FREED is not obeyed");
	}
	cvar_set("MPI2DD_TRACK_WHERE", 0);
	cvar_set("MPI2DD_TRACK_FREED", 0);
}

static void cvars(void)
{
	static const char *const writable[] = { "MPI2DD_TRACK_WHERE", "MPI2DD_TRACK_FREED", "MPI2DD_STALL_SECONDS",
						"MPI2DD_REFRESH_SECONDS" };
	int n, n_own = 0;
	struct said s;

	rule("own.cvar",
	     cvar_value("MPI2DD_TRACK_COMM") == 77 && cvar_value("MPI2DD_TRACK_ARENA") == 5000000000 &&
		     cvar_value("MPI2DD_TRACK_WHERE") == 3 && cvar_value("MPI2DD_TRACK_FREED") == 9,
	     "what stands in the environment");
	rule("own.cvar",
	     cvar_value("MPI2DD_TRACK") == 1 && cvar_value("MPI2DD_TRACK_GROUP") == 4096 &&
		     cvar_value("MPI2DD_GATE") == 0 && cvar_value("MPI2DD_EVERYONE") == 0 &&
		     cvar_value("MPI2DD_STALL_SECONDS") == 0 && cvar_value("MPI2DD_HANG") == 0,
	     "what does not");
	for (size_t i = 0; i < sizeof writable / sizeof writable[0]; i++) {
		rule("own.cvar", cvar_set(writable[i], 123) == MPI_SUCCESS && cvar_value(writable[i]) == 123,
		     writable[i]);
		rule("own.cvar", cvar_set(writable[i], 0) == MPI_SUCCESS && cvar_value(writable[i]) == 0, writable[i]);
	}
	rule("own.cvar", cvar_set("MPI2DD_STALL_SECONDS", -1) != MPI_SUCCESS && cvar_value("MPI2DD_STALL_SECONDS") == 0,
	     "negative seconds");
	rule("own.cvar",
	     cvar_set("MPI2DD_REFRESH_SECONDS", 2147483647) != MPI_SUCCESS &&
		     cvar_value("MPI2DD_REFRESH_SECONDS") == 0 &&
		     cvar_set("MPI2DD_REFRESH_SECONDS", -1) != MPI_SUCCESS &&
		     cvar_set("MPI2DD_REFRESH_SECONDS", 1000 * 1000) == MPI_SUCCESS &&
		     cvar_value("MPI2DD_REFRESH_SECONDS") == 1000 * 1000 &&
		     cvar_set("MPI2DD_REFRESH_SECONDS", 0) == MPI_SUCCESS,
	     "seconds out of range");
	MPI_T_cvar_get_num(&n);
	for (int i = 0; i < n; i++) {
		if (ask_cvar(i, &s) != MPI_SUCCESS || !is_own(&s) || s.datatype != MPI_INT)
			continue;
		n_own++;
		long long before = cvar_value(s.name);
		if (s.scope == MPI_T_SCOPE_CONSTANT || s.scope == MPI_T_SCOPE_READONLY)
			rule("own.cvar",
			     cvar_set(s.name, 5) == MPI_T_ERR_CVAR_SET_NEVER && cvar_value(s.name) == before, s.name);
	}
	rule("own.cvar", n_own > 18, "too few variables");
	if (&MPI2DD_info == NULL)
		return;
	MPI2DD_info.debugger_flags |= MPI2DD_FLAG_BEING_DEBUGGED;
	rule("own.cvar", cvar_value("MPI2DD_DEBUGGER_FLAGS") == MPI2DD_FLAG_BEING_DEBUGGED, "flags of the debugger");
	rule("000.22",
	     cvar_set("MPI2DD_TRACK_FREED", 7) == MPI_T_ERR_CVAR_SET_NOT_NOW && cvar_value("MPI2DD_TRACK_FREED") == 0,
	     "set under a debugger");
	MPI2DD_info.debugger_flags = 0;
	rule("000.22", cvar_set("MPI2DD_TRACK_FREED", 7) == MPI_SUCCESS, "not set without one");
}

int main(int argc, char **argv)
{
	int provided;

	MPI_Init(&argc, &argv);
	MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
	MPI_Comm_dup(MPI_COMM_SELF, &comm);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	MPI_T_pvar_session_create(&session);
	cvars();
	knobs();
	levels();
	all_pvars();
	traffic();
	time_in_mpi();
	MPI_T_pvar_session_free(&session);
	MPI_Comm_free(&comm);
	MPI_T_finalize();
	MPI_Finalize();
	return n_bad != 0;
}
