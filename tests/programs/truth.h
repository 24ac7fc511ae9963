/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file truth.h
 * For test programs: a rank writes down what it has posted, then stays in that state until it is killed.
 *
 *     MPI_Init(...);
 *     truth_init();
 *     struct truth_comm *world = truth_comm(MPI_COMM_WORLD);
 *     MPI_Irecv(buf, 3, MPI_INT, 1, 7, MPI_COMM_WORLD, &req);
 *     truth_op(world, TRUTH_RECEIVES, .peer = 1, .tag = 7, .count = 3, .type = MPI_INT, .request = req);
 *     truth_stay();                  or: truth_publish("MPI_Recv", MPI_COMM_WORLD); MPI_Recv(...);
 *
 * The file is $TRUTH_DIR/truth.RANK.json, in the vocabulary of docs/json.md; what the truth does not name is not
 * compared. A list that it does name is complete. Not thread safe, but for truth_tid(). Every failure ends the
 * program with a message: a test program that cannot tell the truth is of no use.
 */
#ifndef TRUTH_H
#define TRUTH_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include <mpi.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/** Lists of a communicator. INACTIVE_* must not be shown unless --all is given. */
enum truth_list {
	TRUTH_SENDS,
	TRUTH_RECEIVES,
	TRUTH_UNEXPECTED,
	TRUTH_COLLECTIVES,
	TRUTH_INACTIVE_SENDS,
	TRUTH_INACTIVE_RECEIVES,
	TRUTH_N_LISTS
};

static const char *const truth_list_names[TRUTH_N_LISTS] = { "pending_sends", "pending_receives", "unexpected",
							     "collectives",   "inactive_sends",   "inactive_receives" };

/**
 * The facts about an operation. Zero or NULL: not written, except peer and tag, which are always written (also
 * MPI_ANY_SOURCE and MPI_ANY_TAG; TRUTH_UNSAID omits them).
 */
struct truth_op {
	int peer, tag;
	int64_t count;
	MPI_Datatype type;   /**< determines the bytes together with count; its name is written if it has one */
	bool no_type;        /**< a probe: it has no buffer. A message has no type either: its count is in bytes */
	MPI_Request request; /**< its value is the C handle; 0: not said */
	const char *function, *kind, *mode, *status, *protocol;
	int thread;    /**< tid of the thread that is blocked in it or waits for it */
	bool blocking; /**< said always, unless unsaid_blocking */
	bool unsaid_blocking;
	bool persistent, freed; /**< said always, unless no_type */
	bool matched;           /**< actual_* are said */
	int actual_peer, actual_tag;
	int64_t actual_bytes;
	const void *buffer;
};

enum { TRUTH_UNSAID = -12345, TRUTH_OPS_TEXT = 1 << 16, TRUTH_COMMS_MAX = 512 };

struct truth_comm {
	MPI_Comm comm;
	char *head;                 /**< members before the lists */
	char *lists[TRUTH_N_LISTS]; /**< text of the operations, with commas */
	bool unordered[TRUTH_N_LISTS], unsaid[TRUTH_N_LISTS];
	bool inter;
	MPI_Group group; /**< the group in which peers are ranks */
	bool same_world; /**< peers can be named by their world rank */
};

static struct truth {
	const char *dir;
	int rank, size;
	int file_rank; /**< number in the file's name when it is not the rank (a spawned job), else 0 */
	struct truth_comm *comms[TRUTH_COMMS_MAX];
	int n_comms;
	char *calls;   /**< text of more calls, with commas */
	bool no_calls; /**< calls are not said */
	bool no_comms; /**< MPI is not up: there are none */
	const char *state;
	bool thread_multiple;
} truth = { .state = "initialized" };

#define truth_require(condition)                                                                                       \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                        \
			_exit(9);                                                                                      \
		}                                                                                                      \
	} while (0)

static inline int truth_tid(void)
{
	return (int)syscall(SYS_gettid);
}

/** Append formatted text to a heap string. */
__attribute__((format(printf, 2, 3))) static inline void truth_add(char **text, const char *format, ...)
{
	char *more = NULL, *joined = NULL;
	va_list args;

	va_start(args, format);
	truth_require(vasprintf(&more, format, args) >= 0);
	va_end(args);
	truth_require(asprintf(&joined, "%s%s", *text ? *text : "", more) >= 0);
	free(more);
	free(*text);
	*text = joined;
}

/** Append a JSON string. Bytes that are no UTF-8 must not be given (see truth_comm_named()). */
static inline void truth_add_string(char **text, const char *s)
{
	truth_add(text, "\"");
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c < 0x20 || c == '"' || c == '\\')
			truth_add(text, "\\u%04x", c);
		else
			truth_add(text, "%c", c);
	}
	truth_add(text, "\"");
}

/** The value of a C handle: Open MPI's are pointers, MPICH's are integers without a sign. */
#define truth_handle(h) ((uint64_t)(uintptr_t)(h) & (sizeof(h) == 4 ? UINT32_MAX : UINT64_MAX))

#ifdef OPEN_MPI
#define TRUTH_MPI "Open MPI"
#else
#define TRUTH_MPI "MPICH"
#endif

/** Die with the starter, and never live for long; let any process of the user look at us. */
static inline void truth_guard(void)
{
	prctl(PR_SET_PDEATHSIG, 9);
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	alarm(900);
	truth.dir = getenv("TRUTH_DIR");
	truth_require(truth.dir);
}

/** After MPI_Init. */
static inline void truth_init(void)
{
	int provided;

	truth_guard();
	MPI_Comm_rank(MPI_COMM_WORLD, &truth.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &truth.size);
	MPI_Query_thread(&provided);
	truth.thread_multiple = provided == MPI_THREAD_MULTIPLE;
}

/**
 * Members of a group as ranks of MPI_COMM_WORLD; of another job {"rank": its rank there}, which supposes that all of
 * that job are in the group, in their order.
 */
static inline void truth_add_members(char **text, MPI_Group group)
{
	MPI_Group world;
	int n, n_foreign = 0;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_size(group, &n);
	truth_add(text, "[");
	for (int i = 0; i < n; i++) {
		int w;

		MPI_Group_translate_ranks(group, 1, &i, world, &w);
		if (w == MPI_UNDEFINED)
			truth_add(text, "%s{\"rank\": %d}", i ? ", " : "", n_foreign++);
		else
			truth_add(text, "%s%d", i ? ", " : "", w);
	}
	truth_add(text, "]");
	MPI_Group_free(&world);
}

static inline void truth_add_ints(char **text, const char *name, const int *v, int n)
{
	truth_add(text, ", \"%s\": [", name);
	for (int i = 0; i < n; i++)
		truth_add(text, "%s%d", i ? ", " : "", v[i]);
	truth_add(text, "]");
}

/** As truth_add_ints(), for what C calls an int and JSON a boolean. */
static inline void truth_add_bools(char **text, const char *name, const int *v, int n)
{
	truth_add(text, ", \"%s\": [", name);
	for (int i = 0; i < n; i++)
		truth_add(text, "%s%s", i ? ", " : "", v[i] ? "true" : "false");
	truth_add(text, "]");
}

static inline void truth_add_topology(char **text, MPI_Comm comm)
{
	int kind;

	MPI_Topo_test(comm, &kind);
	if (kind == MPI_CART) {
		int n, dims[16], periods[16], coords[16];

		MPI_Cartdim_get(comm, &n);
		MPI_Cart_get(comm, 16, dims, periods, coords);
		truth_add(text, ", \"topology\": {\"kind\": \"cart\"");
		truth_add_ints(text, "dims", dims, n);
		truth_add_bools(text, "periods", periods, n);
		truth_add_ints(text, "coords", coords, n);
		truth_add(text, "}");
	} else if (kind == MPI_GRAPH) {
		int n, m, index[64], edges[256];

		MPI_Graphdims_get(comm, &n, &m);
		truth_require(n <= 64 && m <= 256);
		MPI_Graph_get(comm, 64, 256, index, edges);
		truth_add(text, ", \"topology\": {\"kind\": \"graph\"");
		truth_add_ints(text, "index", index, n);
		truth_add_ints(text, "edges", edges, m);
		truth_add(text, "}");
	} else if (kind == MPI_DIST_GRAPH) {
		int n, m, weighted, in[64], out[64], in_w[64], out_w[64];

		MPI_Dist_graph_neighbors_count(comm, &n, &m, &weighted);
		truth_require(n <= 64 && m <= 64);
		MPI_Dist_graph_neighbors(comm, 64, in, in_w, 64, out, out_w);
		truth_add(text, ", \"topology\": {\"kind\": \"dist_graph\"");
		truth_add_ints(text, "in", in, n);
		truth_add_ints(text, "out", out, m);
		if (weighted) {
			truth_add_ints(text, "in_weights", in_w, n);
			truth_add_ints(text, "out_weights", out_w, m);
		} else {
			truth_add(text, ", \"in_weights\": {\"absent\": true}, \"out_weights\": {\"absent\": true}");
		}
		truth_add(text, "}");
	} else {
		truth_add(text, ", \"topology\": {\"absent\": true}");
	}
}

/**
 * Add a communicator. Every communicator of the program must be added, including MPI_COMM_SELF, because the lists
 * are compared as a whole.
 *
 * @param name the expected name; NULL: that of MPI_Comm_get_name(). A name invented by the library is not written.
 */
static inline struct truth_comm *truth_comm_named(MPI_Comm comm, const char *name)
{
	struct truth_comm *c = calloc(1, sizeof *c);
	char own_name[MPI_MAX_OBJECT_NAME + 1] = "";
	int n, rank, inter;
	MPI_Group group;

	truth_require(c && truth.n_comms < TRUTH_COMMS_MAX);
	MPI_Comm_get_name(comm, own_name, &n);
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &n);
	MPI_Comm_test_inter(comm, &inter);
	MPI_Comm_group(comm, &group);
	c->comm = comm;
	c->inter = inter;
	truth_add(&c->head, "{\"handle\": \"0x%" PRIx64 "\"", truth_handle(comm));
	if (name || own_name[0]) {
		truth_add(&c->head, ", \"name\": ");
		truth_add_string(&c->head, name ? name : own_name);
	}
	truth_add(&c->head,
		  ", \"kind\": \"%s\", \"rank\": %d, \"size\": %d, \"internal\": false, \"predefined\": %s, "
		  "\"fortran\": %d, \"members\": ",
		  inter ? "inter" : "intra", rank, n,
		  comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF ? "true" : "false", (int)MPI_Comm_c2f(comm));
	truth_add_members(&c->head, group);
	c->group = group;
	if (inter) {
		MPI_Group_free(&group);
		MPI_Comm_remote_group(comm, &c->group);
		MPI_Comm_remote_size(comm, &n);
		truth_add(&c->head, ", \"remote_size\": %d, \"remote_members\": ", n);
		truth_add_members(&c->head, c->group);
	}
	if (!inter)
		truth_add_topology(&c->head, comm);
	truth.comms[truth.n_comms++] = c;
	return c;
}

static inline struct truth_comm *truth_comm(MPI_Comm comm)
{
	return truth_comm_named(comm, NULL);
}

/** The rank in MPI_COMM_WORLD of a peer, or MPI_UNDEFINED. */
static inline int truth_world_rank(const struct truth_comm *c, int peer)
{
	MPI_Group world;
	int w;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_translate_ranks(c->group, 1, &peer, world, &w);
	MPI_Group_free(&world);
	return w;
}

static inline void truth_add_peer(char **text, const struct truth_comm *c, const char *prefix, int peer)
{
	if (peer == TRUTH_UNSAID)
		return;
	if (peer == MPI_ANY_SOURCE) {
		truth_add(text, ", \"%speer\": null, \"%speer_why\": \"any\"", prefix, prefix);
		return;
	}
	truth_add(text, ", \"%speer\": %d", prefix, peer);
	int w = truth_world_rank(c, peer);
	if (w != MPI_UNDEFINED)
		truth_add(text, ", \"%speer_world\": %d", prefix, w);
}

/** Use truth_op(), below. */
static inline void truth_add_op(struct truth_comm *c, enum truth_list list, const struct truth_op *op)
{
	char **text = &c->lists[list], name[MPI_MAX_OBJECT_NAME + 1] = "";
	bool send = list == TRUTH_SENDS || list == TRUTH_INACTIVE_SENDS, message = list == TRUTH_UNEXPECTED;
	int n = 0;

	if (list == TRUTH_COLLECTIVES) {
		truth_add(text, "%s{\"kind\": \"collective\"}", *text ? ",\n\t" : "");
		return;
	}
	truth_add(text, "%s{\"kind\": \"%s\", \"internal\": false", *text ? ",\n\t" : "",
		  op->kind  ? op->kind
		  : message ? "message"
		  : send    ? "send"
			    : "receive");
	truth_add_peer(text, c, "", op->peer);
	if (op->tag == MPI_ANY_TAG)
		truth_add(text, ", \"tag\": null, \"tag_why\": \"any\"");
	else if (op->tag != TRUTH_UNSAID)
		truth_add(text, ", \"tag\": %d", op->tag);
	if (message) {
		truth_add(text, ", \"bytes\": %" PRId64, op->count);
	} else if (!op->no_type) {
		MPI_Count bytes;

		MPI_Type_size_x(op->type, &bytes);
		truth_add(text, ", \"count\": %" PRId64 ", \"bytes\": %" PRId64, op->count, op->count * (int64_t)bytes);
		MPI_Type_get_name(op->type, name, &n);
		if (n) {
			truth_add(text, ", \"datatype\": ");
			truth_add_string(text, name);
		}
		truth_add(text, ", \"datatype_handle\": \"0x%" PRIx64 "\"", truth_handle(op->type));
	}
	if (op->request)
		truth_add(text, ", \"request\": \"0x%" PRIx64 "\"", truth_handle(op->request));
	if (op->buffer)
		truth_add(text, ", \"buffer\": \"0x%" PRIx64 "\"", (uint64_t)(uintptr_t)op->buffer);
	if (op->function)
		truth_add(text, ", \"function\": \"%s\"", op->function);
	if (op->mode)
		truth_add(text, ", \"mode\": \"%s\"", op->mode);
	if (op->status)
		truth_add(text, ", \"status\": \"%s\"", op->status);
	if (op->protocol)
		truth_add(text, ", \"protocol\": \"%s\"", op->protocol);
	if (op->thread)
		truth_add(text, ", \"thread\": %d", op->thread);
	if (!message && !op->no_type) {
		if (!op->unsaid_blocking)
			truth_add(text, ", \"blocking\": %s", op->blocking ? "true" : "false");
		truth_add(text, ", \"persistent\": %s, \"freed\": %s", op->persistent ? "true" : "false",
			  op->freed ? "true" : "false");
	}
	if (op->matched) {
		truth_add_peer(text, c, "actual_", op->actual_peer);
		truth_add(text, ", \"actual_tag\": %d, \"actual_bytes\": %" PRId64, op->actual_tag, op->actual_bytes);
	}
	truth_add(text, "}");
}

/** Add an operation of a communicator, in the order of posting (a message: of sending). */
#define truth_op(c, list, ...) truth_add_op((c), (list), &(const struct truth_op){ __VA_ARGS__ })

/** The order of a list is not ours to know (threads, several sources). */
static inline void truth_unordered(struct truth_comm *c, enum truth_list list)
{
	c->unordered[list] = true;
}

/** What is in a list depends on things that we do not know: it is not compared. */
static inline void truth_unsaid(struct truth_comm *c, enum truth_list list)
{
	c->unsaid[list] = true;
}

/** One more thread is, or is about to be, in an MPI call. @param comm MPI_COMM_NULL: not said. */
static inline void truth_call(const char *function, int thread, MPI_Comm comm)
{
	truth_add(&truth.calls, "%s{\"function\": \"%s\"", truth.calls ? ", " : "", function);
	if (thread)
		truth_add(&truth.calls, ", \"thread\": %d", thread);
	if (comm != MPI_COMM_NULL) {
		char name[MPI_MAX_OBJECT_NAME + 1];
		int n;

		MPI_Comm_get_name(comm, name, &n);
		truth_add(&truth.calls, ", \"communicator\": ");
		truth_add_string(&truth.calls, name);
	}
	truth_add(&truth.calls, "}");
}

/** Path of a rank's file. Static until the next call. */
static inline const char *truth_path(int rank)
{
	static char path[4096];

	snprintf(path, sizeof path, "%s/truth.%d.json", truth.dir, rank);
	return path;
}

/** Write the file. The state must be reached, or be the next thing that happens. */
static inline void truth_write(void)
{
	char temporary[4096];

	snprintf(temporary, sizeof temporary, "%s/.truth.%d", truth.dir, (int)getpid());
	FILE *f = fopen(temporary, "w");
	truth_require(f);
	fprintf(f, "{\"pid\": %d,\n\"mpi\": {\"name\": \"" TRUTH_MPI "\", \"state\": \"%s\"", (int)getpid(),
		truth.state);
	if (truth.no_comms) {
		fprintf(f, "}}\n");
	} else {
		fprintf(f, ", \"thread_multiple\": %s},\n\"rank\": %d, \"world\": {\"rank\": %d, \"size\": %d},\n",
			truth.thread_multiple ? "true" : "false", truth.rank, truth.rank, truth.size);
		if (!truth.no_calls)
			fprintf(f, "\"calls\": [%s],\n", truth.calls ? truth.calls : "");
		fprintf(f, "\"communicators\": [");
		for (int i = 0; i < truth.n_comms; i++) {
			const struct truth_comm *c = truth.comms[i];

			fprintf(f, "%s%s", i ? ",\n" : "\n", c->head);
			for (int l = 0; l < TRUTH_N_LISTS; l++)
				if (!c->unsaid[l])
					fprintf(f, ",\n    \"%s\": [%s]", truth_list_names[l],
						c->lists[l] ? c->lists[l] : "");
			fprintf(f, ",\n    \"unordered\": [");
			for (int l = 0, n = 0; l < TRUTH_N_LISTS; l++)
				if (c->unordered[l])
					fprintf(f, "%s\"%s\"", n++ ? ", " : "", truth_list_names[l]);
			fprintf(f, "]}");
		}
		fprintf(f, "]}\n");
	}
	truth_require(fclose(f) == 0);
	truth_require(rename(temporary, truth_path(truth.file_rank ? truth.file_rank : truth.rank)) == 0);
}

/** The main thread enters an MPI call that will not return: write the file just before. */
static inline void truth_publish(const char *function, MPI_Comm comm)
{
	truth_call(function, truth_tid(), comm);
	truth_write();
}

/** Sleep without touching MPI, until killed. */
static inline void truth_sleep(void)
{
	for (;;)
		pause();
}

/** The state is reached: write the file and keep it. */
static inline void truth_stay(void)
{
	truth_write();
	truth_sleep();
}

/** Wait, outside MPI, until another rank has reached its state: from then on it makes no progress. */
static inline void truth_wait_for(int rank)
{
	struct stat st;

	while (stat(truth_path(rank), &st))
		nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
}

/** The same, with progress in between: for transports whose sender must push the data. */
static inline void truth_push_until(int rank)
{
	struct stat st;
	int here;

	while (stat(truth_path(rank), &st))
		MPI_Iprobe(MPI_ANY_SOURCE, 32000, MPI_COMM_WORLD, &here, MPI_STATUS_IGNORE);
}

/** Wait until a message is here and unexpected. It is the last one of its source on @p comm: so are those before it. */
static inline void truth_wait_message(int source, int tag, MPI_Comm comm)
{
	int here = 0;

	while (!here)
		MPI_Iprobe(source, tag, comm, &here, MPI_STATUS_IGNORE);
}

#endif /* TRUTH_H */
