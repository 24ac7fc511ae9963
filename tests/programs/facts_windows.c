/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows of every flavour, each left in another epoch; on 3 ranks. Rank 0 ends in MPI_Win_wait. */
#include "facts.h"

static MPI_Comm comm;

static void emit_window(MPI_Win win, const char *made_by, const char *flavor)
{
	MPI_Aint *size;
	MPI_Errhandler errhandler;
	char name[MPI_MAX_OBJECT_NAME];
	void *base;
	int *unit, *model, flag, length;

	MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag);
	FACT("win", win, "base", "\"0x%" PRIx64 "\"", (uint64_t)(uintptr_t)base);
	MPI_Win_get_attr(win, MPI_WIN_SIZE, &size, &flag);
	FACT("win", win, "size", "%ld", (long)*size);
	MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &flag);
	FACT("win", win, "displacement_unit", "%d", *unit);
	MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &flag);
	FACT("win", win, "model", *model == MPI_WIN_UNIFIED ? "\"unified\"" : "\"separate\"");
	FACT("win", win, "flavor", "\"%s\"", flavor);
	FACT("win", win, "made_by", "\"%s\"", made_by);
	FACT("win", win, "comm", "\"0x%" PRIx64 "\"", BITS(comm));
	FACT("win", win, "comm_name", "\"of windows\"");
	FACT("win", win, "fortran", "%d", (int)MPI_Win_c2f(win));
	FACT("win", win, "state", "\"live\"");
	FACT("win", win, "object_freed", "false");
	FACT("win", win, "predefined", "false");
	MPI_Win_get_name(win, name, &length);
	FACT("win", win, "name", "\"%s\"", name);
	MPI_Win_get_errhandler(win, &errhandler);
	FACT("win", win, "errhandler", "\"0x%" PRIx64 "\"", BITS(errhandler));
	MPI_Errhandler_free(&errhandler);
	HAS("comm", comm, "windows", "\"0x%" PRIx64 "\"", BITS(win));
}

static void emit_epoch(MPI_Win win, const char *last, bool fence, bool lock_all, bool started, bool posted)
{
	if (last)
		FACT("win", win, "last_synchronization", "\"%s\"", last);
	else
		LACKS("win", win, "last_synchronization");
	FACT("win", win, "fence_open", fence ? "true" : "false");
	FACT("win", win, "lock_all", lock_all ? "true" : "false");
	FACT("win", win, "started", started ? "true" : "false");
	FACT("win", win, "posted", posted ? "true" : "false");
}

static MPI_Win new_win(const char *name)
{
	static char memory[16][256];
	static int n;
	MPI_Win win;

	MPI_Win_create(memory[n++], 256, 4, MPI_INFO_NULL, comm, &win);
	MPI_Win_set_name(win, name);
	return win;
}

/* Debian sid's MPICH 5.0.2 (ch4:ucx) finds no shared memory between processes of one node. */
static bool allocate_shared(MPI_Win *win)
{
	MPI_Errhandler before;
	void *base;

	MPI_Comm_get_errhandler(comm, &before);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	int rc = MPI_Win_allocate_shared(128, 8, MPI_INFO_NULL, comm, &base, win);
	MPI_Comm_set_errhandler(comm, before);
	MPI_Errhandler_free(&before);
	if (rc != MPI_SUCCESS && !facts_rank)
		fprintf(stderr, "not run: this MPI library cannot allocate shared memory\n");
	return rc == MPI_SUCCESS;
}

static void flavours(void)
{
	static char memory[96], a[32], b[64], c[16], value;
	static MPI_Win variable;
	MPI_Win win;
	MPI_Info info, more;
	void *base;
	int key;

	MPI_Info_create(&info);
	MPI_Info_set(info, "no_locks", "false");
	MPI_Win_create(memory, sizeof(memory) - 8 * (size_t)facts_rank, 8, info, comm, &win);
	MPI_Win_set_name(win, "created");
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &key, NULL);
	MPI_Win_set_attr(win, key, &value);
	emit_window(win, "MPI_Win_create", "create");
	emit_epoch(win, NULL, false, false, false, false);
	variable = win;
	PRINTS("win", &variable, MPI_Win_c2f(win));
	HAS("win", win, "attributes", "{\"key\": %d, \"value\": \"0x%" PRIx64 "\"}", key, (uint64_t)(uintptr_t)&value);
	FACT("win", win, "info", "\"0x%" PRIx64 "\"", BITS(info));
	HAS("win", win, "hints", "{\"key\": \"no_locks\", \"value\": \"false\"}");
	FACT("info", info, "windows", "[\"0x%" PRIx64 "\"]", BITS(win));
	HAS("errhandler", MPI_ERRORS_RETURN, "windows", "\"0x%" PRIx64 "\"", BITS(win));
	MPI_Info_create(&more);
	MPI_Info_set(more, "accumulate_ordering", "none");
	MPI_Win_set_info(win, more);
	HAS("win", win, "hints", "{\"key\": \"no_locks\", \"value\": \"false\"}");
	HAS("win", win, "hints", "{\"key\": \"accumulate_ordering\", \"value\": \"none\"}");
	MPI_Win_set_info(win, info);
	MPI_Win_allocate(64, 2, MPI_INFO_NULL, comm, &base, &win);
	emit_window(win, "MPI_Win_allocate", "allocate");
	if (allocate_shared(&win))
		emit_window(win, "MPI_Win_allocate_shared", "shared");
	MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &win);
	MPI_Win_attach(win, a, sizeof(a));
	MPI_Win_attach(win, b, sizeof(b));
	MPI_Win_attach(win, c, sizeof(c));
	MPI_Win_detach(win, b);
	emit_window(win, "MPI_Win_create_dynamic", "dynamic");
	FACT("win", win, "attached",
	     "[{\"base\": \"0x%" PRIx64 "\", \"size\": 32}, {\"base\": \"0x%" PRIx64 "\", \"size\": 16}]",
	     (uint64_t)(uintptr_t)a, (uint64_t)(uintptr_t)c);
}

static void fences(void)
{
	MPI_Win win = new_win("in a fence epoch");

	MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
	emit_window(win, "MPI_Win_create", "create");
	emit_epoch(win, "MPI_Win_fence", true, false, false, false);
	win = new_win("behind the last fence");
	MPI_Win_fence(0, win);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	emit_epoch(win, "MPI_Win_fence", false, false, false, false);
}

static void locks(void)
{
	MPI_Win win = new_win("locked");

	if (!facts_rank) {
		MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, win);
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
	}
	emit_epoch(win, "MPI_Win_lock", false, false, false, false);
	FACT("win", win, "locks", "[0,2,1]");
	win = new_win("unlocked");
	if (!facts_rank) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
		MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
		MPI_Win_unlock(0, win);
	}
	emit_epoch(win, "MPI_Win_unlock", false, false, false, false);
	FACT("win", win, "locks", "[0,1,0]");
	win = new_win("all locked");
	MPI_Win_lock_all(0, win);
	MPI_Win_flush_all(win);
	emit_epoch(win, "MPI_Win_flush_all", false, true, false, false);
	win = new_win("none locked");
	MPI_Win_lock_all(0, win);
	MPI_Win_sync(win);
	MPI_Win_unlock_all(win);
	emit_epoch(win, "MPI_Win_unlock_all", false, false, false, false);
}

/* Requests that rank 0 does not complete. MPICH returns one of its own, shared request for each. */
static void requests(void)
{
#ifdef OPEN_MPI
	enum { N = 4 };
	static int values[N] = { 1, 2, 3, 4 };
	MPI_Request r[N];
	MPI_Win win = new_win("with requests");

	MPI_Win_lock_all(0, win);
	if (facts_rank)
		return;
	MPI_Put(values, 1, MPI_INT, 2, 4, 1, MPI_INT, win); /* without a request */
	MPI_Rput(&values[0], 1, MPI_INT, 1, 0, 1, MPI_INT, win, &r[0]);
	MPI_Rget(&values[1], 1, MPI_INT, 1, 1, 1, MPI_INT, win, &r[1]);
	MPI_Raccumulate(&values[2], 1, MPI_INT, 1, 2, 1, MPI_INT, MPI_SUM, win, &r[2]);
	MPI_Rget_accumulate(&values[2], 1, MPI_INT, &values[3], 1, MPI_INT, 1, 3, 1, MPI_INT, MPI_SUM, win, &r[3]);
	for (int i = 0; i < N; i++) {
		FACT("request", r[i], "type", "\"window\"");
		FACT("request", r[i], "win", "\"0x%" PRIx64 "\"", BITS(win));
		FACT("request", r[i], "win_name", "\"with requests\"");
		FACT("request", r[i], "persistent", "false");
	}
#endif
}

/* Epochs of rank 0 with its neighbours: it starts what they have posted. */
static void general(MPI_Win *waiting)
{
	int first = 0, two[] = { 2, 1 }, me = facts_rank;
	MPI_Group group, others, zero;
	MPI_Win win = new_win("started"), done, both;

	MPI_Comm_group(comm, &group);
	MPI_Group_incl(group, 2, two, &others);
	MPI_Group_incl(group, 1, &first, &zero);
	if (me)
		MPI_Win_post(zero, 0, win);
	else
		MPI_Win_start(others, 0, win);
	emit_epoch(win, "MPI_Win_start", false, false, true, false);
	emit_ints("fact win", BITS(win), "start_group", two, 2);
	LACKS("win", win, "post_group");

	done = new_win("completed");
	if (me) {
		MPI_Win_post(zero, 0, done);
		MPI_Win_wait(done);
	} else {
		MPI_Win_start(others, 0, done);
		MPI_Win_complete(done);
	}
	emit_epoch(done, "MPI_Win_complete", false, false, false, false);
	LACKS("win", done, "start_group");

	both = new_win("posted and started");
	if (me) {
		MPI_Win_post(zero, 0, both);
	} else {
		MPI_Win_post(others, 0, both);
		MPI_Win_start(others, 0, both);
	}
	emit_epoch(both, "MPI_Win_start", false, false, true, true);
	emit_ints("fact win", BITS(both), "start_group", two, 2);
	emit_ints("fact win", BITS(both), "post_group", two, 2);

	/* with nobody */
	win = new_win("alone");
	MPI_Win_post(MPI_GROUP_EMPTY, 0, win);
	MPI_Win_start(MPI_GROUP_EMPTY, 0, win);
	emit_epoch(win, "MPI_Win_start", false, false, true, true);
	FACT("win", win, "start_group", "[]");
	FACT("win", win, "post_group", "[]");

	*waiting = new_win("posted");
	if (!me)
		MPI_Win_post(others, 0, *waiting);
	emit_epoch(*waiting, "MPI_Win_post", false, false, false, true);
	emit_ints("fact win", BITS(*waiting), "post_group", two, 2);
	FACT("win", *waiting, "calls", "[{\"thread\": %d, \"function\": \"MPI_Win_wait\"}]", (int)getpid());
	FACT("win", done, "calls", "[]");
	MPI_Group_free(&zero);
	MPI_Group_free(&others);
	MPI_Group_free(&group);
}

static void freed(void)
{
	MPI_Win win = new_win("gone");
	uint64_t bits = BITS(win);

	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
	PAST("win", bits, "name", "\"gone\"");
	PAST("win", bits, "size", "256");
	PAST("win", bits, "made_by", "\"MPI_Win_create\"");
	PAST("win", bits, "last_synchronization", "\"MPI_Win_fence\"");
	emit("print win MPI_WIN_NULL predefined true");
	emit("print win MPI_WIN_NULL base null");
	emit("print win MPI_WIN_NULL size null");
	emit("print win MPI_WIN_NULL displacement_unit null");
	emit("print win MPI_WIN_NULL fence_open null");
}

/* The communicator and the info of a window are freed, and other
 * ones get the values of their handles (MPICH: of the first). */
static void of_freed(void)
{
	static char memory[8];
	MPI_Comm gone, other;
	MPI_Info info, new_info;
	MPI_Win win;

	MPI_Comm_dup(MPI_COMM_WORLD, &gone);
	MPI_Comm_set_name(gone, "of a window");
	MPI_Info_create(&info);
	MPI_Win_create(memory, sizeof(memory), 1, info, gone, &win);
	MPI_Win_set_name(win, "its communicator freed");
	MPI_Comm_free(&gone);
	MPI_Info_free(&info);
	MPI_Comm_dup(MPI_COMM_WORLD, &other);
	MPI_Comm_set_name(other, "another one");
	MPI_Info_create(&new_info);
	FACT("win", win, "comm", "null");
	FACT("win", win, "comm_why", "\"freed by the application\"");
	FACT("win", win, "comm_name", "\"of a window\"");
	FACT("win", win, "info", "null");
	FACT("win", win, "info_why", "\"freed by the application\"");
	FACT("comm", other, "windows", "[]");
	FACT("info", new_info, "windows", "[]");
}

int main(int argc, char **argv)
{
	MPI_Win waiting;

	facts_init(&argc, &argv);
	TRUST(facts_size == 3);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_set_name(comm, "of windows");
	freed();
	flavours();
	fences();
	locks();
	requests();
	of_freed();
	MPI_Barrier(comm);
	general(&waiting);
	emit("call function \"MPI_Win_wait\"");
	emit("call win \"0x%" PRIx64 "\"", BITS(waiting));
	emit("call win_name \"posted\"");
	emit("call caller_place \"main at facts_windows.c:%d\"", __LINE__ + 2);
	emit_ready();
	MPI_Win_wait(waiting);
	return 1;
}
