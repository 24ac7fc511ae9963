/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: track_traffic SECONDS [alone], one process, with the in-target library
 * Four threads (alone: the main one, below MPI_THREAD_MULTIPLE) that make and complete requests of all kinds as fast as
 * they can, and make, change and free objects.
 * Prints the addresses of the registry and of `truth`: at every instant each thread has at least `low` and at most
 * `high` requests, and so of each kind of object.
 */
#include "registry.h"

#include <pthread.h>
#include <time.h>

enum { THREADS = 4, WINDOW = 48 };

static volatile struct {
	long low, high;
	long turns;
	long spare[5];
	struct {
		long low, high;
	} objects[TRK_N_KINDS]; /* but requests */
} truth[THREADS];

static double until;
static int wrong;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#define POST(call)                                                                                                     \
	do {                                                                                                           \
		truth[me].high++;                                                                                      \
		call;                                                                                                  \
		truth[me].low++;                                                                                       \
	} while (0)
#define END(n, call)                                                                                                   \
	do {                                                                                                           \
		truth[me].low -= (n);                                                                                  \
		call;                                                                                                  \
		truth[me].high -= (n);                                                                                 \
	} while (0)

#define BORN(kind, call)                                                                                               \
	do {                                                                                                           \
		truth[me].objects[kind].high++;                                                                        \
		call;                                                                                                  \
		truth[me].objects[kind].low++;                                                                         \
	} while (0)
#define DIES(kind, call)                                                                                               \
	do {                                                                                                           \
		truth[me].objects[kind].low--;                                                                         \
		call;                                                                                                  \
		truth[me].objects[kind].high--;                                                                        \
	} while (0)

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)in, (void)inout, (void)n, (void)type;
}

static void handler(MPI_Comm *comm, int *code, ...)
{
	(void)comm, (void)code;
}

/* Objects of all kinds that need nobody else, with lists that change their length. */
static void objects(int me, MPI_Comm comm, unsigned random)
{
	MPI_Datatype type, structure;
	MPI_Comm dup = MPI_COMM_NULL;
	MPI_Errhandler errhandler;
	MPI_Group group, part;
	MPI_Info info;
	MPI_Op op;
	char key[16];
	int zero = 0, n = 1 + (int)(random >> 4) % 5, lengths[2] = { 1, 2 };
	MPI_Aint at[2] = { 0, 16 };
	MPI_Datatype types[2] = { MPI_INT, MPI_DOUBLE };

	BORN(TRK_INFO, MPI_Info_create(&info));
	for (int i = 0; i < n; i++) {
		snprintf(key, sizeof key, "key%d", i);
		MPI_Info_set(info, key, "a value of some length");
	}
	MPI_Info_delete(info, "key0");
	BORN(TRK_DATATYPE, MPI_Type_vector(n, 2, 3, MPI_INT, &type));
	MPI_Type_set_name(type, "a vector");
	MPI_Type_commit(&type);
	BORN(TRK_DATATYPE, MPI_Type_create_struct(2, lengths, at, types, &structure));
	BORN(TRK_GROUP, MPI_Comm_group(comm, &group));
	BORN(TRK_GROUP, MPI_Group_incl(group, 1, &zero, &part));
	BORN(TRK_OP, MPI_Op_create(add, 1, &op));
	BORN(TRK_ERRHANDLER, MPI_Comm_create_errhandler(handler, &errhandler));
	if (random % 4 == 0) {
		BORN(TRK_COMM, MPI_Comm_dup(comm, &dup));
		MPI_Comm_set_name(dup, "a duplicate");
		DIES(TRK_COMM, MPI_Comm_free(&dup));
	}
	DIES(TRK_ERRHANDLER, MPI_Errhandler_free(&errhandler));
	DIES(TRK_OP, MPI_Op_free(&op));
	DIES(TRK_GROUP, MPI_Group_free(&part));
	DIES(TRK_GROUP, MPI_Group_free(&group));
	DIES(TRK_DATATYPE, MPI_Type_free(&structure));
	DIES(TRK_DATATYPE, MPI_Type_free(&type));
	DIES(TRK_INFO, MPI_Info_free(&info));
}

static void *run(void *argument)
{
	int me = (int)(size_t)argument, in[WINDOW], out[WINDOW], flag;
	MPI_Request r[2 * WINDOW];
	MPI_Status s[2 * WINDOW];
	MPI_Comm comm;
	unsigned random = 12345u + (unsigned)me;

	static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&one);
	BORN(TRK_COMM, MPI_Comm_dup(MPI_COMM_SELF, &comm));
	pthread_mutex_unlock(&one);
	while (now() < until) {
		random = random * 1664525u + 1013904223u;
		int n = 1 + (int)(random >> 16) % WINDOW;
		for (int i = 0; i < n; i++)
			POST(MPI_Irecv(&in[i], 1, MPI_INT, 0, i, comm, &r[i]));
		for (int i = 0; i < n; i++) {
			out[i] = i * n;
			POST(MPI_Isend(&out[i], 1, MPI_INT, 0, i, comm, &r[n + i]));
		}
		switch ((random >> 8) % 3) {
		case 0:
			END(2 * n, MPI_Waitall(2 * n, r, s));
			break;
		case 1:
			for (int i = 0; i < 2 * n; i++)
				END(1, MPI_Wait(&r[i], &s[0]));
			break;
		default:
			truth[me].low -= 2 * n;
			do
				MPI_Testall(2 * n, r, &flag, s);
			while (!flag);
			truth[me].high -= 2 * n;
		}
		for (int i = 0; i < n; i++)
			__atomic_fetch_or(&wrong, in[i] != i * n, __ATOMIC_RELAXED);
		POST(MPI_Irecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, comm, &r[0]));
		POST(MPI_Recv_init(&in[0], 1, MPI_INT, 0, 1, comm, &r[1]));
		MPI_Start(&r[1]);
		MPI_Send(&out[0], 1, MPI_INT, 0, 1, comm);
		MPI_Wait(&r[1], &s[0]);
		END(1, MPI_Request_free(&r[1]));
		END(1, MPI_Wait(&r[0], &s[0]));
		objects(me, comm, random);
		truth[me].turns++;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	bool alone = argc > 2 && strcmp(argv[2], "alone") == 0;
	int provided, n_threads = alone ? 1 : THREADS;

	MPI_Init_thread(&argc, &argv, alone ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &provided);
	registry_open();
	until = now() + (argc > 1 ? atof(argv[1]) : 1);
	printf("%p %p %d\n", (const void *)registry, (const void *)truth, n_threads);
	fflush(stdout);
	for (size_t i = 0; i < THREADS && !alone; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	if (alone)
		run(NULL);
	long turns = 0;
	for (int i = 0; i < n_threads; i++) {
		if (!alone)
			pthread_join(threads[i], NULL);
		turns += truth[i].turns;
	}
	EXPECT(turns > 0);
	EXPECT(!wrong);
	EXPECT_IS(registry_n_requests(), 0);
	for (int kind = 0; kind < TRK_N_KINDS; kind++) {
		const struct registry_head *r;
		long n = 0, expected = 0;

		for (size_t i = 0; kind != TRK_REQUEST && (r = registry_record((enum trk_kind)kind, i)); i++)
			n += r->state == TRK_LIVE && !r->predefined;
		for (int i = 0; i < THREADS; i++)
			expected += truth[i].objects[kind].low;
		EXPECT_IS(n, expected);
		for (int i = 0; i < THREADS; i++)
			EXPECT_IS(truth[i].objects[kind].low, truth[i].objects[kind].high);
	}
	long born = 0, retired = 0;
	for (uint32_t i = 0; i < registry->n_threads; i++) {
		born += (long)((const struct trk_thread *)(uintptr_t)registry->threads)[i].n_born;
		retired += (long)((const struct trk_thread *)(uintptr_t)registry->threads)[i].n_retired;
	}
	EXPECT_IS(born - retired, 0);
	int rc = registry_close();
	MPI_Finalize();
	return rc;
}
