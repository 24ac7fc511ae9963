/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: request_lives FILE, 2 ranks, with the in-target library
 * Requests of every kind in every state, statuses, messages and sessions; rank 0 says what they are (answers.h).
 */
#include "answers.h"

#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

enum { MANY = 400 };

static int rank, in[MANY], out[16];
static MPI_Comm comm;
static MPI_Status statuses[8];

#define ON_COMM "'comm': '0x%" PRIx64 "'"

/*
 * Is it the shared request of operations that are complete when created? It
 * identifies none. MPICH's is predefined; Open MPI returns its own for an MPI_Isend
 * to MPI_PROC_NULL, and since 5.0 for all operations that complete immediately.
 */
static bool is_shared(MPI_Request r)
{
	static MPI_Request nowhere;

	if (!nowhere)
		MPI_Isend(out, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &nowhere);
	return BITS(r) >> 30 == 1 || r == nowhere;
}

/* ---- persistent ---------------------------------------------------------------------------------------- */

static void persistent(void)
{
	static char room[4096];
	MPI_Request r;

	MPI_Recv_init(&in[0], 3, MPI_INT, 1, 11, comm, &r);
	EMIT_ANSWER("request", r,
		    "'made_by': 'MPI_Recv_init', 'type': 'point-to-point', 'persistent': true, "
		    "'active': false, 'state': 'live', 'peer': 1, 'tag': 11, 'count': 3, "
		    "'datatype_name': 'MPI_INT', 'buffer': '0x%" PRIx64 "', " ON_COMM,
		    (uint64_t)(uintptr_t)&in[0], BITS(comm));
	MPI_Recv_init(&in[3], 1, MPI_INT, MPI_ANY_SOURCE, 12, comm, &r);
	MPI_Start(&r);
	EMIT_ANSWER("request", r, "'made_by': 'MPI_Recv_init', 'persistent': true, 'active': true, 'peer_why': 'any'");
	/* after a round: inactive again */
	MPI_Recv_init(&in[4], 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, comm, &r);
	MPI_Start(&r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	EMIT_ANSWER("request", r, "'made_by': 'MPI_Recv_init', 'persistent': true, 'active': false, 'tag_why': 'any'");
	MPI_Send_init(out, 1, MPI_INT, 1, 13, comm, &r);
	EMIT_ANSWER("request", r, "'made_by': 'MPI_Send_init', 'persistent': true, 'active': false, 'tag': 13");
	MPI_Ssend_init(out, 2, MPI_INT, 1, 14, comm, &r);
	MPI_Start(&r);
	EMIT_ANSWER("request", r, "'made_by': 'MPI_Ssend_init', 'persistent': true, 'active': true, 'tag': 14");
	MPI_Rsend_init(out, 2, MPI_INT, 1, 15, comm, &r);
	EMIT_ANSWER("request", r, "'made_by': 'MPI_Rsend_init', 'persistent': true, 'tag': 15");
	MPI_Buffer_attach(room, sizeof room);
	MPI_Bsend_init(out, 2, MPI_INT, 1, 16, comm, &r);
	EMIT_ANSWER("request", r, "'made_by': 'MPI_Bsend_init', 'persistent': true, 'tag': 16");
}

#if MPI_VERSION >= 4
static void partitioned(void)
{
	MPI_Request r;

	MPI_Precv_init(in, 4, 2, MPI_INT, 1, 21, comm, MPI_INFO_NULL, &r);
	MPI_Start(&r);
	EMIT_ANSWER("request", r,
		    "'made_by': 'MPI_Precv_init', 'partitioned': true, 'persistent': true, 'active': true, "
		    "'peer': 1, 'tag': 21, 'partitions': 4, 'count_per_partition': 2, 'count': 8, 'arrived': []");
	MPI_Psend_init(out, 2, 5, MPI_INT, 1, 22, comm, MPI_INFO_NULL, &r);
	EMIT_ANSWER("request", r,
		    "'made_by': 'MPI_Psend_init', 'partitioned': true, 'persistent': true, "
		    "'active': false, 'tag': 22, 'partitions': 2, 'count_per_partition': 5, 'count': 10");
	MPI_Psend_init(out, 4, 2, MPI_INT, 1, 23, comm, MPI_INFO_NULL, &r);
	MPI_Start(&r);
	MPI_Pready(1, r);
	EMIT_ANSWER("request", r,
		    "'made_by': 'MPI_Psend_init', 'partitioned': true, 'active': true, 'tag': 23, 'ready': [1]");
	MPI_Psend_init(out, 8, 1, MPI_INT, 1, 24, comm, MPI_INFO_NULL, &r);
	MPI_Start(&r);
	MPI_Pready_range(2, 4, r);
	MPI_Pready_list(2, (int[]){ 0, 7 }, r);
	EMIT_ANSWER("request", r, "'tag': 24, 'partitions': 8, 'ready': [0, 2, 3, 4, 7]");
}
#endif

/* ---- point to point ------------------------------------------------------------------------------------- */

static void nonblocking(void)
{
	static int big[1 << 18];
	static MPI_Request variable;
	MPI_Request r;

	MPI_Irecv(&in[8], 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &variable);
	emit("{'args': 'print request @0x%" PRIx64 "', 'is': {'handle': '0x%" PRIx64 "', 'made_by': 'MPI_Irecv', "
	     "'persistent': false, 'active': true, 'peer_why': 'any', 'tag_why': 'any', "
	     "'comm_name': 'MPI_COMM_SELF'}}",
	     (uint64_t)(uintptr_t)&variable, BITS(variable));
	MPI_Isend(big, 1 << 18, MPI_INT, 1, 31, comm, &r);
	EMIT_ANSWER("request", r, "'made_by': 'MPI_Isend', 'count': 262144, 'peer': 1, 'tag': 31, 'active': true");
	MPI_Issend(out, 1, MPI_INT, 1, 32, comm, &r);
	EMIT_ANSWER("request", r, "'made_by': 'MPI_Issend', 'tag': 32");
	MPI_Ibsend(out, 1, MPI_INT, 1, 33, comm, &r);
	if (!is_shared(r))
		EMIT_ANSWER("request", r, "'made_by': 'MPI_Ibsend', 'type': 'point-to-point'");
	MPI_Irecv(&in[9], 1, MPI_INT, 1, 34, comm, &r);
	MPI_Cancel(&r);
	EMIT_ANSWER("request", r, "'made_by': 'MPI_Irecv', 'cancel_called': true, 'tag': 34");
	uint64_t null = BITS(MPI_REQUEST_NULL);
	emit("{'args': 'print request 0x%" PRIx64 "', 'is': {'name': 'MPI_REQUEST_NULL', 'predefined': true}}", null);
	emit("{'args': 'print request MPI_REQUEST_NULL', 'is': {'handle': '0x%" PRIx64 "'}}", null);
}

/* The text of the interface: b = a; MPI_Request_free(&a). Rank 1 sends a message with @p tag on request. */
static void freed_while_active(void)
{
	MPI_Request a, b = MPI_REQUEST_NULL, more[MANY];
	int flag;

	/* one that stays */
	if (rank == 0) {
		MPI_Irecv(&in[10], 1, MPI_INT, 1, 41, comm, &a);
		b = a;
		MPI_Request_free(&a);
		TRUST(a == MPI_REQUEST_NULL);
		EMIT_ANSWER("request", b,
			    "'made_by': 'MPI_Irecv', 'state': 'freed', 'freed_by': 'application', "
			    "'free_called': true, 'active': true, 'tag': 41, 'peer': 1");
		emit("{'args': 'print request 0x%" PRIx64 "', 'words': 'freed by the application'}", BITS(b));
		/* one whose operation ends, and whose value comes again */
		MPI_Irecv(&in[11], 1, MPI_INT, 1, 42, comm, &a);
		b = a;
		MPI_Request_free(&a);
	}
	MPI_Barrier(comm);
	if (rank == 1)
		MPI_Send(out, 1, MPI_INT, 0, 42, comm);
	MPI_Barrier(comm);
	if (rank)
		return;
	for (int i = 0; i < 100; i++)
		MPI_Iprobe(1, 99, comm, &flag, MPI_STATUS_IGNORE);
	int k = 0;
	do
		MPI_Irecv(&in[12], 1, MPI_INT, 1, 1000 + k, comm, &more[k]);
	while (more[k] != b && ++k < MANY);
	TRUST(k < MANY);
	EMIT_ANSWER("request", b,
		    "'made_by': 'MPI_Irecv', 'state': 'live', 'tag': %d, 'earlier': [{'made_by': 'MPI_Irecv', "
		    "'freed_by': 'application', 'tag': 42}]",
		    1000 + k);
	emit("{'args': 'print request 0x%" PRIx64 "', 'words': 'an earlier object'}", BITS(b));
}

/* A failing call completes a persistent request; a request that was
 * cancelled once is not marked as cancelled after the next start. */
static void persistent_ends(void)
{
	MPI_Request r[3];
	int flag = 0, rc = MPI_SUCCESS;

	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	for (int i = 0; i < 3 && rank == 0; i++) {
		MPI_Recv_init(&in[13], 1, MPI_INT, 1, 61 + i, comm, &r[i]);
		MPI_Start(&r[i]);
	}
	if (rank == 0) {
		MPI_Cancel(&r[2]);
		MPI_Wait(&r[2], MPI_STATUS_IGNORE);
		EMIT_ANSWER("request", r[2],
			    "'made_by': 'MPI_Recv_init', 'tag': 63, 'active': false, 'cancel_called': true");
		MPI_Recv_init(&in[13], 1, MPI_INT, 1, 63, comm, &r[2]);
		MPI_Start(&r[2]);
		MPI_Cancel(&r[2]);
		MPI_Wait(&r[2], MPI_STATUS_IGNORE);
		MPI_Start(&r[2]);
	}
	MPI_Barrier(comm);
	for (int i = 0; i < 3 && rank == 1; i++)
		MPI_Send(out, i < 2 ? 5 : 1, MPI_INT, 0, 61 + i, comm);
	if (rank == 0) {
		TRUST(MPI_Wait(&r[0], MPI_STATUS_IGNORE) != MPI_SUCCESS);
		while (!flag && rc == MPI_SUCCESS)
			rc = MPI_Test(&r[1], &flag, MPI_STATUS_IGNORE);
		TRUST(rc != MPI_SUCCESS);
		MPI_Wait(&r[2], MPI_STATUS_IGNORE);
		EMIT_ANSWER("request", r[2],
			    "'made_by': 'MPI_Recv_init', 'tag': 63, 'active': false, 'cancel_called': '<absent>'");
	}
	/* Open MPI frees them */
	for (int i = 0; i < 2 && rank == 0; i++)
		if (r[i] != MPI_REQUEST_NULL)
			EMIT_ANSWER("request", r[i], "'made_by': 'MPI_Recv_init', 'tag': %d, 'active': false", 61 + i);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
}

/* Its datatype was freed, and another one has its handle value: that was never in a request. */
static void type_freed(void)
{
	MPI_Datatype old, now, value;
	MPI_Request r;

	MPI_Type_vector(2, 1, 2, MPI_INT, &old);
	MPI_Type_set_name(old, "vec");
	MPI_Type_commit(&old);
	MPI_Irecv(&in[24], 1, old, 0, 97, MPI_COMM_SELF, &r);
	value = old;
	MPI_Type_free(&old);
	MPI_Send(out, 2, MPI_INT, 0, 97, MPI_COMM_SELF);
	MPI_Type_contiguous(3, MPI_CHAR, &now);
	if (now != value)
		return;
	EMIT_ANSWER("request", r,
		    "'tag': 97, 'datatype': null, 'datatype_why': 'freed by the application', 'datatype_name': 'vec'");
	EMIT_ANSWER("datatype", now, "'made_by': 'MPI_Type_contiguous', 'requests': []");
}

/* A completed request was created with a datatype and a communicator whose handles have been reused: the original
 * objects are unknown. */
static void ended_and_freed(void)
{
	MPI_Datatype old, now, value;
	MPI_Request r, was, later;

	MPI_Type_vector(2, 1, 3, MPI_INT, &old);
	MPI_Type_commit(&old);
	MPI_Irecv(&in[24], 1, old, rank, 98, comm, &r);
	was = r;
	value = old;
	MPI_Irecv(&in[20], 1, MPI_INT, rank, 99, comm, &later);
	MPI_Send(out, 2, MPI_INT, rank, 98, comm);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	/* the next request has the handle of this one */
	MPI_Send(out, 1, MPI_INT, rank, 99, comm);
	MPI_Wait(&later, MPI_STATUS_IGNORE);
	MPI_Type_free(&old);
	MPI_Type_contiguous(4, MPI_CHAR, &now);
	if (now != value)
		return;
	EMIT_ANSWER("request", was,
		    "'state': 'freed', 'freed_by': 'completion', 'active': false, 'complete': true, 'tag': 98, "
		    "'datatype': null, 'datatype_why': '~several objects have had its handle', "
		    "'datatype_name': '<absent>', 'comm': '0x%" PRIx64 "'",
		    BITS(comm));
}

/* ---- of other kinds --------------------------------------------------------------------------------------- */

static int queried(void *state, MPI_Status *s)
{
	(void)state;
	MPI_Status_set_elements(s, MPI_INT, 0);
	MPI_Status_set_cancelled(s, 0);
	return MPI_SUCCESS;
}
static int freed(void *state)
{
	(void)state;
	return MPI_SUCCESS;
}
static int cancelled(void *state, int complete)
{
	(void)state, (void)complete;
	return MPI_SUCCESS;
}

static void generalized(void)
{
	MPI_Request r;

	MPI_Grequest_start(queried, freed, cancelled, &in[20], &r);
	EMIT_ANSWER("request", r,
		    "'made_by': 'MPI_Grequest_start', 'type': 'generalized', 'active': true, "
		    "'complete': false");
	MPI_Grequest_start(queried, freed, cancelled, &in[20], &r);
	MPI_Grequest_complete(r);
	EMIT_ANSWER("request", r, "'made_by': 'MPI_Grequest_start', 'type': 'generalized', 'complete': true");
}

/* Rank 1 takes part in none of them, so they stay active. */
static void collectives(MPI_Comm lonely)
{
	MPI_Request r;

	MPI_Ibarrier(lonely, &r);
	EMIT_ANSWER("request", r, "'made_by': 'MPI_Ibarrier', 'type': 'collective', 'active': true, " ON_COMM,
		    BITS(lonely));
	MPI_Ibcast(in, 4, MPI_INT, 1, lonely, &r);
	EMIT_ANSWER("request", r, "'made_by': 'MPI_Ibcast', 'root': 1, 'count': 4, 'datatype_name': 'MPI_INT'");
	MPI_Iallreduce(out, in, 2, MPI_INT, MPI_SUM, lonely, &r);
	EMIT_ANSWER("request", r, "'made_by': 'MPI_Iallreduce', 'type': 'collective', 'count': 2");
#if MPI_VERSION >= 4 || (defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5) /* which says that it is MPI 3.1 */
	MPI_Bcast_init(in, 4, MPI_INT, 1, lonely, MPI_INFO_NULL, &r);
	EMIT_ANSWER("request", r,
		    "'made_by': 'MPI_Bcast_init', 'type': 'collective', 'persistent': true, "
		    "'active': false, 'root': 1");
	MPI_Bcast_init(in, 4, MPI_INT, 1, lonely, MPI_INFO_NULL, &r);
	MPI_Start(&r);
	EMIT_ANSWER("request", r, "'made_by': 'MPI_Bcast_init', 'persistent': true, 'active': true");
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
	MPIX_Bcast_init(in, 4, MPI_INT, 1, lonely, MPI_INFO_NULL, &r);
	EMIT_ANSWER("request", r,
		    "'made_by': 'MPIX_Bcast_init', 'type': 'collective', 'persistent': true, "
		    "'active': false, 'root': 1");
	MPIX_Bcast_init(in, 4, MPI_INT, 1, lonely, MPI_INFO_NULL, &r);
	MPI_Start(&r);
	EMIT_ANSWER("request", r, "'made_by': 'MPIX_Bcast_init', 'persistent': true, 'active': true");
#endif
}

static void files_and_windows(const char *path)
{
	MPI_File f;
	MPI_Win w;
	MPI_Request r;
	int *base;

	MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
	MPI_File_iwrite_at(f, 0, out, 6, MPI_INT, &r);
	EMIT_ANSWER("request", r,
		    "'made_by': 'MPI_File_iwrite_at', 'type': 'file', 'file': '0x%" PRIx64 "', 'count': 6", BITS(f));
	MPI_File_iread_shared(f, in, 2, MPI_INT, &r);
	EMIT_ANSWER("request", r, "'made_by': 'MPI_File_iread_shared', 'type': 'file'");
	MPI_Win_allocate(64, 4, MPI_INFO_NULL, comm, &base, &w);
	MPI_Win_lock_all(0, w);
	MPI_Rput(out, 1, MPI_INT, 1, 0, 1, MPI_INT, w, &r);
	if (!is_shared(r))
		EMIT_ANSWER("request", r, "'made_by': 'MPI_Rput', 'type': 'window', 'win': '0x%" PRIx64 "', 'peer': 1",
			    BITS(w));
	MPI_Rget(in, 2, MPI_INT, 1, 0, 2, MPI_INT, w, &r);
	if (!is_shared(r))
		EMIT_ANSWER("request", r, "'made_by': 'MPI_Rget', 'type': 'window', 'count': 2");
}

/* ---- statuses and messages ---------------------------------------------------------------------------------- */

static void emit_status(const MPI_Status *s, const char *more)
{
	int cancelled_flag, bytes;

	MPI_Test_cancelled(s, &cancelled_flag);
	MPI_Get_count(s, MPI_BYTE, &bytes);
	uint64_t addr = (uint64_t)(uintptr_t)s;
	for (int at = 0; at < 2; at++)
		emit("{'args': 'print status %s0x%" PRIx64 "', 'is': {'source': %d, 'tag': %d, 'bytes': %d, "
		     "'cancelled': %d%s}}",
		     at ? "@" : "", addr, s->MPI_SOURCE, s->MPI_TAG, bytes, cancelled_flag, more);
}

static void statuses_and_messages(void)
{
	MPI_Message message;
	MPI_Request r;
	int flag;

	if (rank) {
		MPI_Send(out, 3, MPI_INT, 0, 51, comm);
		for (int tag = 52; tag < 56; tag++)
			MPI_Send(out, 2, MPI_INT, 0, tag, comm);
		return;
	}
	MPI_Recv(in, 8, MPI_INT, MPI_ANY_SOURCE, 51, comm, &statuses[0]);
	TRUST(statuses[0].MPI_SOURCE == 1 && statuses[0].MPI_TAG == 51);
	emit_status(&statuses[0], "");
	MPI_Irecv(in, 8, MPI_INT, 1, 59, comm, &r);
	MPI_Cancel(&r);
	MPI_Wait(&r, &statuses[1]);
	MPI_Test_cancelled(&statuses[1], &flag);
	TRUST(flag);
	emit("{'args': 'print status 0x%" PRIx64 "', 'is': {'cancelled': 1}}", (uint64_t)(uintptr_t)&statuses[1]);
	MPI_Probe(1, 52, comm, &statuses[2]);
	emit_status(&statuses[2], "");
	/* two have been received, two are held */
	MPI_Mprobe(1, 52, comm, &message, &statuses[3]);
	EMIT_ANSWER("message", message,
		    "'made_by': 'MPI_Mprobe', 'state': 'live', 'source': 1, 'tag': 52, 'bytes': 8, " ON_COMM,
		    BITS(comm));
	do
		MPI_Improbe(MPI_ANY_SOURCE, 53, comm, &flag, &message, &statuses[4]);
	while (!flag);
	EMIT_ANSWER("message", message, "'made_by': 'MPI_Improbe', 'state': 'live', 'source': 1, 'tag': 53");
	MPI_Mprobe(1, 55, comm, &message, &statuses[5]);
	MPI_Imrecv(in, 2, MPI_INT, &message, &r);
	EMIT_ANSWER("request", r, "'made_by': 'MPI_Imrecv', 'type': 'point-to-point', 'count': 2");
	MPI_Mprobe(1, 54, comm, &message, &statuses[5]);
	uint64_t was = BITS(message);
	MPI_Mrecv(in, 2, MPI_INT, &message, &statuses[6]);
	TRUST(message == MPI_MESSAGE_NULL);
	emit_status(&statuses[6], "");
	emit("{'args': 'print message 0x%" PRIx64 "', 'is': {'made_by': 'MPI_Mprobe', 'state': 'freed', 'tag': 54}}",
	     was);
	emit("{'args': 'print message MPI_MESSAGE_NO_PROC', 'is': {'predefined': true, 'handle': '0x%" PRIx64 "'}}",
	     BITS(MPI_MESSAGE_NO_PROC));
}

#if MPI_VERSION >= 4
static void sessions(void)
{
	MPI_Session s, gone;
	MPI_Group group;
	int n;

	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s);
	EMIT_ANSWER("session", s,
		    "'made_by': 'MPI_Session_init', 'state': 'live', "
		    "'errhandler_name': 'MPI_ERRORS_RETURN'");
	MPI_Group_from_session_pset(s, "mpi://WORLD", &group);
	MPI_Group_size(group, &n);
	EMIT_ANSWER("group", group, "'made_by': 'MPI_Group_from_session_pset', 'size': %d", n);
	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &gone);
	uint64_t was = BITS(gone);
	MPI_Session_finalize(&gone);
	emit("{'args': 'print session 0x%" PRIx64 "', 'is': {'state': 'freed'}}", was);
}
#endif

/* Last of all: its value is free for the next. */
static void freed_while_inactive(void)
{
	MPI_Request r;

	MPI_Recv_init(&in[5], 1, MPI_INT, 1, 17, comm, &r);
	uint64_t was = BITS(r);
	MPI_Request_free(&r);
	emit("{'args': 'print request 0x%" PRIx64 "', 'is': {'made_by': 'MPI_Recv_init', 'state': 'freed', "
	     "'active': false, 'freed_by': 'application', 'tag': 17}}",
	     was);
}

int main(int argc, char **argv)
{
	MPI_Comm lonely;

	TRUST(argc == 2);
	const char *level = getenv("THREAD_LEVEL");
	int provided;

	MPI_Init_thread(&argc, &argv, level && !strcmp(level, "multiple") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
			&provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	emit_on = rank == 0;
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_dup(MPI_COMM_WORLD, &lonely);
	freed_while_active();
	persistent_ends();
	type_freed();
	statuses_and_messages();
	files_and_windows(argv[1]);
	if (rank == 0) {
		persistent();
		nonblocking();
		generalized();
		collectives(lonely);
#if MPI_VERSION >= 4
		partitioned();
		sessions();
#endif
		ended_and_freed();
		freed_while_inactive();
	}
	emit_ready();
}
