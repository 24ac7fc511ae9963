/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpit_own: the library's own events, against what this program does, alone, with itself. Every event that comes is
 * written down; after each step those that must have come are compared, element by element, and no other may have.
 */
#include "handled.h"
#include "mpit_common.h"

/* MPICH declares arrays of statuses, and "ignored" is none. */
#pragma GCC diagnostic ignored "-Wstringop-overflow"

#include <inttypes.h>
#include <stdarg.h>
#include <unistd.h>

enum { TYPES = 32, LOG = 1024, ELEMENTS = 5, ANY = -99 };

/* Types, by the names without "mpi2dd_". */
static const char *const names[] = {
	"error_returned",  "errhandler_invoked", "message_sent",       "message_received",
	"request_started", "request_completed",  "collective_entered", "collective_left",
	"epoch_opened",    "epoch_closed",       "comm_created",       "comm_freed",
	"comm_named",      "file_opened",        "file_closed",        "processes_spawned"
};
enum {
	ERROR_RETURNED,
	ERRHANDLER,
	SENT,
	RECEIVED,
	STARTED,
	COMPLETED,
	ENTERED,
	LEFT,
	OPENED,
	CLOSED,
	CREATED,
	FREED,
	NAMED,
	FILE_OPENED,
	FILE_CLOSED,
	SPAWNED,
	N_TYPES
};

static struct said said[N_TYPES];
static struct entry {
	int type, source;
	int64_t values[ELEMENTS];
} entries[LOG];
static int n_entries, n_read;
static const char *step;

#define BITS(handle) (sizeof(handle) == 4 ? (int64_t)(uint32_t)(uintptr_t)(handle) : (int64_t)(uintptr_t)(handle))

static void note(MPI_T_event_instance instance, MPI_T_event_registration r, MPI_T_cb_safety safety, void *user)
{
	struct entry *e = &entries[n_entries % LOG];
	int type = (int)(intptr_t)user;

	(void)r;
	rule("own.level", safety == MPI_T_CB_REQUIRE_NONE, "another level than what is true");
	memset(e, 0, sizeof *e);
	e->type = type;
	MPI_T_event_get_source(instance, &e->source);
	for (int i = 0; i < said[type].n_elements && i < ELEMENTS; i++) {
		int narrow;
		if (said[type].elements[i] == MPI_INT && MPI_T_event_read(instance, i, &narrow) == MPI_SUCCESS)
			e->values[i] = narrow;
		else
			MPI_T_event_read(instance, i, &e->values[i]);
	}
	n_entries++;
}

static MPI_T_event_registration listen_to(int type, void *object)
{
	MPI_T_event_registration r = NULL;
	char name[64];
	int index = -1;

	snprintf(name, sizeof name, "mpi2dd_%s", names[type]);
	rule("own.name",
	     MPI_T_event_get_index(name, &index) == MPI_SUCCESS && ask_event(index, &said[type]) == MPI_SUCCESS &&
		     (said[type].bind != MPI_T_BIND_NO_OBJECT) == (object != NULL) && said[type].desc[0],
	     name);
	rule("own.listen",
	     MPI_T_event_handle_alloc(index, object, MPI_INFO_NULL, &r) == MPI_SUCCESS &&
		     MPI_T_event_register_callback(r, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, (void *)(intptr_t)type,
						   note) == MPI_SUCCESS,
	     name);
	return r;
}

/* Number of a function, as the enumeration of mpi2dd_current_function says. */
static int function(const char *wanted)
{
	static MPI_T_enum functions = MPI_T_ENUM_NULL;
	int index, n = 0, value = -5;
	struct said s;

	if (functions == MPI_T_ENUM_NULL &&
	    MPI_T_pvar_get_index("mpi2dd_current_function", MPI_T_PVAR_CLASS_STATE, &index) == MPI_SUCCESS &&
	    ask_pvar(index, &s) == MPI_SUCCESS)
		functions = s.enumtype;
	MPI_T_enum_get_info(functions, &n, NULL, NULL);
	for (int i = 0; i < n; i++) {
		char name[128];
		int length = sizeof name;
		if (MPI_T_enum_get_item(functions, i, &value, name, &length) == MPI_SUCCESS &&
		    strcmp(name, wanted) == 0)
			return value;
	}
	return -7;
}

/* The next event that came is of this type with these elements; ANY: whatever. In any order within a step. */
static void came(int type, int n, ...)
{
	char what[512];
	int at = snprintf(what, sizeof what, "%s: no %s(", step, names[type]);
	int64_t wanted[ELEMENTS];
	va_list list;

	va_start(list, n);
	for (int i = 0; i < n; i++) {
		wanted[i] = va_arg(list, int64_t);
		at += snprintf(what + at, sizeof what - (size_t)at, "%" PRId64 " ", wanted[i]);
	}
	va_end(list);
	at += snprintf(what + at, sizeof what - (size_t)at, "), but");
	for (int i = n_read; i < n_entries; i++) {
		const struct entry *e = &entries[i % LOG];
		bool same_values = e->type == type && n == said[type].n_elements;
		for (int k = 0; k < n; k++)
			same_values = same_values && (wanted[k] == ANY || wanted[k] == e->values[k]);
		if (same_values) {
			rule("own.event", true, names[type]);
			entries[i % LOG] = entries[n_read % LOG];
			n_read++;
			return;
		}
		if (at < 400)
			at += snprintf(what + at, sizeof what - (size_t)at, " %s(%" PRId64 " %" PRId64 " %" PRId64 ")",
				       names[e->type], e->values[0], e->values[1], e->values[2]);
	}
	rule("own.event", false, what);
}
#define CAME(type, ...) came(type, (int)(sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)), __VA_ARGS__)
#define I(value)        ((int64_t)(value))

static void begin(const char *what)
{
	char text[300];
	int at = snprintf(text, sizeof text, "%s: also", step ? step : "");

	for (int i = n_read; i < n_entries && at < 250; i++)
		at += snprintf(text + at, sizeof text - (size_t)at, " %s", names[entries[i % LOG].type]);
	rule("own.no_other", n_read == n_entries, text);
	n_read = n_entries = 0;
	step = what;
}

static MPI_Comm comm;
static int out[8] = { 1, 2, 3 }, in[8];

static void messages(void)
{
	MPI_Request r[4];
	MPI_Message m;
	int flag, n, indices[4];

	begin("MPI_Isend, MPI_Recv, MPI_Wait");
	MPI_Isend(out, 3, MPI_INT, 0, 7, comm, &r[0]);
	int64_t sent = BITS(r[0]);
	CAME(SENT, I(0), I(7), I(12), BITS(comm), I(function("MPI_Isend")));
	CAME(STARTED, sent, I(function("MPI_Isend")));
	MPI_Recv(in, 8, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
	CAME(RECEIVED, I(0), I(7), I(12), BITS(comm), I(function("MPI_Recv")));
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	CAME(COMPLETED, sent, I(ANY));

	begin("MPI_Irecv, MPI_Send, MPI_Wait");
	MPI_Irecv(in, 8, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &r[0]);
	int64_t wanted = BITS(r[0]);
	CAME(STARTED, wanted, I(function("MPI_Irecv")));
	MPI_Send(out, 2, MPI_INT, 0, 8, comm);
	CAME(SENT, I(0), I(8), I(8), BITS(comm), I(function("MPI_Send")));
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	CAME(COMPLETED, wanted, I(function("MPI_Irecv")));
	CAME(RECEIVED, I(0), I(8), I(8), BITS(comm), I(function("MPI_Irecv")));

	begin("MPI_Sendrecv");
	MPI_Sendrecv(out, 1, MPI_INT, 0, 9, in, 8, MPI_INT, 0, 9, comm, MPI_STATUS_IGNORE);
	CAME(SENT, I(0), I(9), I(4), BITS(comm), I(function("MPI_Sendrecv")));
	CAME(RECEIVED, I(0), I(9), I(4), BITS(comm), I(function("MPI_Sendrecv")));

	begin("MPI_PROC_NULL, MPI_Cancel");
	MPI_Send(out, 1, MPI_INT, MPI_PROC_NULL, 0, comm);
	MPI_Recv(in, 1, MPI_INT, MPI_PROC_NULL, 0, comm, MPI_STATUS_IGNORE);
	MPI_Irecv(in, 1, MPI_INT, 0, 99, comm, &r[0]);
	MPI_Cancel(&r[0]);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	CAME(STARTED, I(ANY), I(function("MPI_Irecv")));
	CAME(COMPLETED, I(ANY), I(function("MPI_Irecv")));

	begin("persistent, MPI_Waitall");
	MPI_Recv_init(in, 8, MPI_INT, 0, 10, comm, &r[0]);
	MPI_Send_init(out, 3, MPI_INT, 0, 10, comm, &r[1]);
	for (int turn = 0; turn < 2; turn++) {
		MPI_Startall(2, r);
		CAME(STARTED, BITS(r[0]), I(function("MPI_Recv_init")));
		CAME(STARTED, BITS(r[1]), I(function("MPI_Send_init")));
		CAME(SENT, I(0), I(10), I(12), BITS(comm), I(function("MPI_Send_init")));
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		CAME(COMPLETED, BITS(r[0]), I(function("MPI_Recv_init")));
		CAME(COMPLETED, BITS(r[1]), I(function("MPI_Send_init")));
		CAME(RECEIVED, I(0), I(10), I(12), BITS(comm), I(function("MPI_Recv_init")));
	}
	MPI_Request_free(&r[0]);
	MPI_Request_free(&r[1]);

	begin("MPI_Waitsome");
	for (int i = 0; i < 4; i++)
		MPI_Irecv(in + i, 1, MPI_INT, 0, 20 + i, comm, &r[i]);
	for (int i = 0; i < 4; i++)
		CAME(STARTED, BITS(r[i]), I(function("MPI_Irecv")));
	MPI_Send(out, 1, MPI_INT, 0, 23, comm);
	MPI_Send(out, 1, MPI_INT, 0, 21, comm);
	for (int got = 0; got < 2; got += n)
		MPI_Waitsome(4, r, &n, indices, MPI_STATUSES_IGNORE);
	for (int i = 21; i <= 23; i += 2) {
		CAME(SENT, I(0), I(i), I(4), BITS(comm), I(function("MPI_Send")));
		CAME(COMPLETED, I(ANY), I(function("MPI_Irecv")));
		CAME(RECEIVED, I(0), I(i), I(4), BITS(comm), I(function("MPI_Irecv")));
	}
	begin("MPI_Testany");
	MPI_Send(out, 1, MPI_INT, 0, 22, comm);
	do
		MPI_Testany(4, r, indices, &flag, MPI_STATUS_IGNORE);
	while (!flag);
	CAME(SENT, I(0), I(22), I(4), BITS(comm), I(function("MPI_Send")));
	CAME(COMPLETED, I(ANY), I(function("MPI_Irecv")));
	CAME(RECEIVED, I(0), I(22), I(4), BITS(comm), I(function("MPI_Irecv")));
	begin("MPI_Testall");
	MPI_Send(out, 1, MPI_INT, 0, 20, comm);
	do
		MPI_Testall(4, r, &flag, MPI_STATUSES_IGNORE);
	while (!flag);
	CAME(SENT, I(0), I(20), I(4), BITS(comm), I(function("MPI_Send")));
	CAME(COMPLETED, I(ANY), I(function("MPI_Irecv")));
	CAME(RECEIVED, I(0), I(20), I(4), BITS(comm), I(function("MPI_Irecv")));

	begin("MPI_Mprobe, MPI_Mrecv");
	/* MPICH's MPI_Send to oneself waits for the receive */
	MPI_Isend(out, 4, MPI_INT, 0, 30, comm, &r[0]);
	MPI_Mprobe(0, 30, comm, &m, MPI_STATUS_IGNORE);
	MPI_Mrecv(in, 8, MPI_INT, &m, MPI_STATUS_IGNORE);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	CAME(SENT, I(0), I(30), I(16), BITS(comm), I(function("MPI_Isend")));
	CAME(RECEIVED, I(0), I(30), I(16), BITS(comm), I(function("MPI_Mrecv")));
	CAME(STARTED, I(ANY), I(function("MPI_Isend")));
	CAME(COMPLETED, I(ANY), I(ANY));

	begin("100 requests, MPI_Waitall");
	enum { MANY = 100 };
	MPI_Request many[2 * MANY];
	static int from[MANY];
	for (int i = 0; i < MANY; i++)
		MPI_Irecv(&from[i], 1, MPI_INT, 0, 1000 + i, comm, &many[i]);
	for (int i = 0; i < MANY; i++)
		MPI_Isend(out, 1, MPI_INT, 0, 1000 + i, comm, &many[MANY + i]);
	n_read = n_entries;
	MPI_Waitall(2 * MANY, many, MPI_STATUSES_IGNORE);
	int n_received = 0;
	for (int i = n_read; i < n_entries && n_entries - n_read <= LOG; i++)
		n_received += entries[i % LOG].type == RECEIVED;
	rule("own.event", n_entries - n_read <= 3 * MANY && n_entries - n_read > 2 * MANY,
	     "not an event for each of 200");
	rule("own.event", n_entries - n_read > LOG || n_received == MANY, "not an event for each message");
	n_read = n_entries = 0;
}

static void collectives(void)
{
	MPI_Request r;
	int code;

	begin("MPI_Allreduce");
	MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, comm);
	CAME(ENTERED, I(function("MPI_Allreduce")));
	CAME(LEFT, I(function("MPI_Allreduce")), I(MPI_SUCCESS));
	begin("MPI_Barrier on another communicator");
	MPI_Barrier(MPI_COMM_SELF);
	begin("MPI_Ibarrier");
	MPI_Ibarrier(comm, &r);
	int64_t request = BITS(r);
	CAME(ENTERED, I(function("MPI_Ibarrier")));
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	CAME(LEFT, I(function("MPI_Ibarrier")), I(MPI_SUCCESS));
	CAME(STARTED, request, I(function("MPI_Ibarrier")));
	CAME(COMPLETED, request, I(ANY));
	begin("MPI_Bcast that fails");
	code = MPI_Bcast(in, 1, MPI_INT, 17, comm);
	rule("own.error", code != MPI_SUCCESS, "MPI_Bcast takes a root that is none");
	CAME(ENTERED, I(function("MPI_Bcast")));
	CAME(LEFT, I(function("MPI_Bcast")), I(code));
	CAME(ERROR_RETURNED, I(function("MPI_Bcast")), I(code));
}

/* Open MPI 4.1 cannot make one of memory of ours when it is alone. */
static void window_make(MPI_Win *ret, MPI_T_event_registration *opened, MPI_T_event_registration *closed)
{
	int *memory;

	MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &memory, ret);
	*opened = listen_to(OPENED, ret);
	*closed = listen_to(CLOSED, ret);
}

static void window_free(MPI_Win *win, MPI_T_event_registration opened, MPI_T_event_registration closed)
{
	MPI_Win_free(win);
	MPI_T_event_handle_free(opened, NULL, NULL);
	MPI_T_event_handle_free(closed, NULL, NULL);
}

static void fences(void)
{
	MPI_T_event_registration opened, closed;
	MPI_Win win;

	begin("MPI_Win_fence");
	window_make(&win, &opened, &closed);
	MPI_Win_fence(0, win);
	CAME(OPENED, I(0), I(-1), I(function("MPI_Win_fence")));
	MPI_Win_fence(0, win);
	CAME(CLOSED, I(0), I(-1), I(function("MPI_Win_fence")));
	CAME(OPENED, I(0), I(-1), I(function("MPI_Win_fence")));
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	CAME(CLOSED, I(0), I(-1), I(function("MPI_Win_fence")));
	window_free(&win, opened, closed);
}

/* Of a window without fences: after them MPICH 3.4.1's ch3 waits in MPI_Win_complete forever. */
static void epochs(void)
{
	MPI_T_event_registration opened, closed;
	MPI_Group self;
	MPI_Win win;

	MPI_Comm_group(comm, &self);
	begin("MPI_Win_post, MPI_Win_start");
	window_make(&win, &opened, &closed);
	MPI_Win_post(self, 0, win);
	CAME(OPENED, I(2), I(-1), I(function("MPI_Win_post")));
	MPI_Win_start(self, 0, win);
	CAME(OPENED, I(1), I(-1), I(function("MPI_Win_start")));
	MPI_Put(out, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
	MPI_Win_complete(win);
	CAME(CLOSED, I(1), I(-1), I(function("MPI_Win_complete")));
	MPI_Win_wait(win);
	CAME(CLOSED, I(2), I(-1), I(function("MPI_Win_wait")));
	begin("MPI_Win_lock");
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
	CAME(OPENED, I(3), I(0), I(function("MPI_Win_lock")));
	MPI_Win_unlock(0, win);
	CAME(CLOSED, I(3), I(0), I(function("MPI_Win_unlock")));
	MPI_Win_lock_all(0, win);
	CAME(OPENED, I(4), I(-1), I(function("MPI_Win_lock_all")));
	MPI_Win_unlock_all(win);
	CAME(CLOSED, I(4), I(-1), I(function("MPI_Win_unlock_all")));
	MPI_Group_free(&self);
	window_free(&win, opened, closed);
}

static void files(void)
{
	const char *dir = getenv("TMPDIR");
	char path[4096];

	snprintf(path, sizeof path, "%s/mpit-own-XXXXXX", dir ? dir : "/tmp");
	int fd = mkstemp(path);
	MPI_File file;

	begin("files");
	MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDWR, MPI_INFO_NULL, &file);
	int64_t bits = BITS(file);
	CAME(FILE_OPENED, bits, BITS(MPI_COMM_SELF));
	MPI_T_event_registration closed = listen_to(FILE_CLOSED, &file);
	MPI_File_close(&file);
	CAME(FILE_CLOSED, bits);
	MPI_T_event_handle_free(closed, NULL, NULL);
	close(fd);
	unlink(path);
}

static int handled;

static void handle(MPI_Comm *where, int *code, ...)
{
	(void)where;
	(void)code;
	handled++;
}

static void error_handlers(void)
{
	MPI_Errhandler own;

	begin("error handlers");
	MPI_Comm_create_errhandler(handle, &own);
	MPI_Comm_set_errhandler(comm, own);
	int code = MPI_Send(out, 1, MPI_INT, 99, 0, comm);
	rule("own.error", handled == 1 && (code != MPI_SUCCESS) == !HANDLED_IS_SUCCESS,
	     "the error handler was not called");
#if HANDLED_IS_SUCCESS
	n_read = n_entries;
#else
	CAME(ERRHANDLER, BITS(own), I(function("MPI_Send")), I(code));
	CAME(ERROR_RETURNED, I(function("MPI_Send")), I(code));
#endif
	MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
	rule("own.error", handled == 2, "the error handler was not called");
	CAME(ERRHANDLER, BITS(own), I(function("MPI_Comm_call_errhandler")), I(MPI_ERR_OTHER));
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	code = MPI_Send(out, 1, MPI_INT, 99, 0, comm);
	rule("own.error", handled == 2, "an error handler that is not set any more was called");
	CAME(ERROR_RETURNED, I(function("MPI_Send")), I(code));
	MPI_Errhandler_free(&own);
}

static void communicators(void)
{
	MPI_Comm other;
	MPI_Request r;

	begin("MPI_Comm_set_name");
	MPI_Comm_set_name(comm, "ours");
	CAME(NAMED, BITS(comm));
	MPI_Comm_set_name(MPI_COMM_SELF, "another");
	begin("MPI_Comm_split, MPI_Comm_free of another");
	MPI_Comm_split(comm, 3, 0, &other);
	CAME(CREATED, BITS(other), BITS(comm), I(1), I(function("MPI_Comm_split")));
	CAME(ENTERED, I(function("MPI_Comm_split")));
	CAME(LEFT, I(function("MPI_Comm_split")), I(MPI_SUCCESS));
	MPI_Comm_free(&other);
	MPI_Comm_split(comm, MPI_UNDEFINED, 0, &other);
	CAME(ENTERED, I(function("MPI_Comm_split")));
	CAME(LEFT, I(function("MPI_Comm_split")), I(MPI_SUCCESS));
	begin("MPI_Comm_dup of one that is listened to");
	MPI_Comm_dup(comm, &other);
	CAME(ENTERED, I(function("MPI_Comm_dup")));
	CAME(LEFT, I(function("MPI_Comm_dup")), I(MPI_SUCCESS));
	CAME(CREATED, BITS(other), BITS(comm), I(1), I(function("MPI_Comm_dup")));
	MPI_Comm_free(&other);
	begin("MPI_Comm_idup");
	MPI_Comm_idup(comm, &other, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	CAME(CREATED, BITS(other), BITS(comm), I(1), I(function("MPI_Comm_idup")));
	CAME(STARTED, I(ANY), I(function("MPI_Comm_idup")));
	CAME(COMPLETED, I(ANY), I(ANY));
	CAME(ENTERED, I(function("MPI_Comm_idup")));
	CAME(LEFT, I(function("MPI_Comm_idup")), I(MPI_SUCCESS));
	MPI_Comm_free(&other);
	begin("MPI_Comm_free");
	int64_t bits = BITS(comm);
	MPI_Comm_free(&comm);
	CAME(FREED, bits, I(function("MPI_Comm_free")));
}

/* A callback whose own calls raise its event again: these are dropped, and reported before the next one. */
static int n_called, n_reported;
static MPI_Count n_lost;

static void make_more(MPI_T_event_instance i, MPI_T_event_registration r, MPI_T_cb_safety s, void *user)
{
	MPI_Comm more;

	(void)i;
	(void)r;
	(void)s;
	(void)user;
	n_called++;
	for (int k = 0; k < 2; k++)
		if (MPI_Comm_dup(MPI_COMM_SELF, &more) == MPI_SUCCESS)
			MPI_Comm_free(&more);
}

static void on_dropped(MPI_Count count, MPI_T_event_registration r, int source, MPI_T_cb_safety s, void *user)
{
	char name[64];
	int length = sizeof name;

	(void)r;
	(void)s;
	(void)user;
	n_reported++;
	n_lost += count;
	rule("own.dropped",
	     MPI_T_source_get_info(source, name, &length, NULL, NULL, NULL, NULL, NULL, NULL) == MPI_SUCCESS &&
		     strcmp(name, "mpi2dd_ordered") == 0,
	     "another source");
}

static void dropping(void)
{
	MPI_T_event_registration r;
	MPI_Comm other;
	int index;

	MPI_T_event_get_index("mpi2dd_comm_created", &index);
	MPI_T_event_handle_alloc(index, NULL, MPI_INFO_NULL, &r);
	MPI_T_event_register_callback(r, MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, MPI_INFO_NULL, NULL, make_more);
	MPI_T_event_set_dropped_handler(r, on_dropped);
	for (int i = 0; i < 3; i++) {
		MPI_Comm_dup(MPI_COMM_SELF, &other);
		MPI_Comm_free(&other);
	}
	rule("own.dropped", n_called == 3 && n_reported > 0 && n_lost >= 4 && n_lost <= 6,
	     "what is dropped is not told");
	MPI_T_event_handle_free(r, NULL, NULL);
}

static int n_freed;

static void on_freed(MPI_T_event_instance e, MPI_T_event_registration r, MPI_T_cb_safety s, void *user)
{
	(void)e;
	(void)r;
	(void)s;
	(void)user;
	n_freed++;
}

/* A registration for a freed communicator gets no events of a later communicator with the same handle. */
static void later_lives(void)
{
	MPI_T_event_registration r;
	MPI_Comm first, next;
	bool same = false;
	int index;

	MPI_T_event_get_index("mpi2dd_comm_freed", &index);
	MPI_Comm_dup(MPI_COMM_SELF, &first);
	MPI_T_event_handle_alloc(index, &first, MPI_INFO_NULL, &r);
	MPI_T_event_register_callback(r, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, on_freed);
	MPI_Comm was = first;
	MPI_Comm_free(&first);
	for (int i = 0; i < 100; i++) {
		MPI_Comm_dup(MPI_COMM_SELF, &next);
		same |= next == was;
		MPI_Comm_free(&next);
	}
	rule("own.later", n_freed == 1 && same, "told of the wrong communicator, or of none");
	MPI_T_event_handle_free(r, NULL, NULL);
	/* nothing would ever be told of these */
	MPI_Comm null = MPI_COMM_NULL;
	rule("own.later",
	     MPI_T_event_handle_alloc(index, &null, MPI_INFO_NULL, &r) == MPI_T_ERR_INVALID_HANDLE &&
		     MPI_T_event_handle_alloc(index, &was, MPI_INFO_NULL, &r) == MPI_T_ERR_INVALID_HANDLE,
	     "bound to no communicator, or to one that was freed");
}

int main(int argc, char **argv)
{
	int provided;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
	static const int unbound[] = { ERROR_RETURNED, ERRHANDLER, SENT,        RECEIVED, STARTED,
				       COMPLETED,      CREATED,    FILE_OPENED, SPAWNED };
	for (size_t i = 0; i < sizeof unbound / sizeof unbound[0]; i++)
		listen_to(unbound[i], NULL);
	begin("MPI_Comm_dup");
	MPI_Comm_dup(MPI_COMM_SELF, &comm);
	CAME(CREATED, BITS(comm), BITS(MPI_COMM_SELF), I(1), I(function("MPI_Comm_dup")));
	static const int bound[] = { ENTERED, LEFT, FREED, NAMED };
	for (size_t i = 0; i < sizeof bound / sizeof bound[0]; i++)
		listen_to(bound[i], &comm);
	messages();
	collectives();
	fences();
	epochs();
	files();
	error_handlers();
	communicators();
	begin("the end");
	later_lives();
	dropping();
	MPI_T_finalize();
	MPI_Finalize();
	return n_bad != 0;
}
