/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The registry when it is small, full, off, watched by a debugger, or used by many threads. The test sets the
 * environment that the first argument is named after.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* RTLD_DEFAULT, RTLD_NEXT */
#endif
#include "track_object.h"

#include "../../include/mpi2dd.h"

#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SMALL = 16, THREADS = 4, ROUNDS = 2000 };

/* How many records of a kind are in a state? */
static int count(enum trk_kind kind, enum trk_state state)
{
	const struct registry_head *r;
	int n = 0;

	for (size_t i = 0; (r = registry_record(kind, i)); i++)
		n += r->state == state;
	return n;
}

/* MPI2DD_TRACK_INFO=16 */
static void small(void)
{
	const struct trk_slab *s = registry_slab(TRK_INFO);
	MPI_Info infos[2 * SMALL], a;

	EXPECT_IS(s->capacity, SMALL);
	for (int i = 0; i < 1000; i++) {
		MPI_Info_create(&a);
		MPI_Info_set(a, "key", "value");
		REQUIRE(INFO(a));
		MPI_Info_free(&a);
	}
	EXPECT_IS(s->n_live, 2);
	EXPECT_IS(s->n_dropped, 0);
	int n_freed = count(TRK_INFO, TRK_FREED) + count(TRK_INFO, TRK_EARLIER);
	EXPECT(n_freed >= 1 && n_freed <= SMALL / 4);
	/* more than the capacity: the rest is counted, and freeing unrecorded objects is harmless */
	for (int i = 0; i < 2 * SMALL; i++)
		MPI_Info_create(&infos[i]);
	EXPECT_IS(s->n_live, SMALL);
	EXPECT_IS(s->n_dropped, 2 * SMALL - (SMALL - 2));
	EXPECT(INFO(infos[0]) && !INFO(infos[2 * SMALL - 1]));
	for (int i = 2 * SMALL - 1; i >= 0; i--)
		MPI_Info_free(&infos[i]);
	EXPECT_IS(s->n_live, 2);
	MPI_Info_create(&a);
	REQUIRE(INFO(a));
	EXPECT_IS(s->n_live, 3);
	MPI_Info_free(&a);
}

/* MPI2DD_TRACK_INFO=64 */
static void debugged(void)
{
	struct MPI2DD_INFO *info = dlsym(RTLD_DEFAULT, "MPI2DD_info");
	int (*release)(int, uint64_t) = (int (*)(int, uint64_t))(uintptr_t)dlsym(RTLD_DEFAULT, "MPI2DD_release");
	MPI_Info a, was;

	EXPECT(info && release);
	struct MPI2DD_EXTENSION e;
	memcpy(&e, info->padding, sizeof e);
	EXPECT_IS(e.magic, MPI2DD_EXTENSION_MAGIC);
	EXPECT_IS(e.registry, (uintptr_t)registry);
	info->debugger_flags |= MPI2DD_FLAG_BEING_DEBUGGED;
	for (int i = 0; i < 40; i++) {
		MPI_Info_create(&a);
		was = a;
		MPI_Info_free(&a);
	}
	EXPECT_IS(count(TRK_INFO, TRK_FREED) + count(TRK_INFO, TRK_EARLIER), 40);
	int n_same = 0;
	const struct registry_head *r;
	for (size_t i = 0; (r = registry_record(TRK_INFO, i)); i++)
		n_same += r->handle == BITS(was) && (r->state == TRK_FREED || r->state == TRK_EARLIER);
	EXPECT_IS(release(TRK_INFO, BITS(was)), n_same);
	EXPECT_IS(count(TRK_INFO, TRK_FREED) + count(TRK_INFO, TRK_EARLIER), 40 - n_same);
	EXPECT_IS(release(TRK_INFO, BITS(was)), 0);
	EXPECT_IS(release(TRK_INFO, BITS(MPI_INFO_NULL)), 0);
	EXPECT_IS(release(-1, 0) + release(TRK_N_KINDS, 0) + release(TRK_REQUEST, 0), 0);
	MPI_Info_create(&a);
	EXPECT_IS(release(TRK_INFO, BITS(a)), 0); /* it is live, and stays */
	REQUIRE(INFO(a));
	MPI_Info_free(&a);
}

/* MPI2DD_TRACK_ARENA=65536 */
static void arena(void)
{
	MPI_Info info;
	char key[32], value[200];

	EXPECT_IS(registry->arena_bytes, 65536);
	memset(value, 'v', sizeof value);
	value[sizeof value - 1] = '\0';
	MPI_Info_create(&info);
	for (int i = 0; i < 400; i++) {
		snprintf(key, sizeof key, "key%d", i);
		MPI_Info_set(info, key, value);
	}
	EXPECT(registry->n_arena_dropped > 0);
	const struct trk_info *r = INFO(info);
	REQUIRE(r);
	EXPECT_IS(r->pairs.n, 0);
	EXPECT_IS(r->pairs.addr, 0);
	EXPECT_IS(r->pairs.total, 400);
	/* smaller again: it fits */
	for (int i = 0; i < 390; i++) {
		snprintf(key, sizeof key, "key%d", i);
		MPI_Info_delete(info, key);
	}
	EXPECT_IS(r->pairs.n, 10);
	MPI_Info_free(&info);
}

/* MPI2DD_TRACK=0 */
static void off(void)
{
	MPI_Comm dup;
	MPI_Datatype t;
	MPI_Info info;

	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	MPI_Type_contiguous(3, MPI_INT, &t);
	MPI_Info_create(&info);
	MPI_Info_free(&info);
	MPI_Type_free(&t);
	MPI_Comm_free(&dup);
	for (int kind = 0; kind < TRK_N_KINDS; kind++) {
		EXPECT_IS(registry_slab(kind)->n_live, 0);
		EXPECT_IS(registry_slab(kind)->records, 0);
	}
	EXPECT(registry->n_types > 0 && registry->n_threads > 0);
}

__attribute__((noinline)) static void make(MPI_Info *info)
{
	MPI_Info_create(info);
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static void post(MPI_Request *request, int *buffer, int tag)
{
	MPI_Irecv(buffer, 1, MPI_INT, 0, tag, MPI_COMM_SELF, request);
	__asm__ volatile("" ::: "memory");
}

/* Of requests, too: while their records are used again and again, and the memory for places with them. */
static void where_requests(void)
{
	enum { N = 20 };
	MPI_Request r[N], other[2];
	MPI_Status statuses[N];
	int in[N];
	uint64_t used = 0;

	for (int turn = 0; turn < 50; turn++) {
		for (int i = 0; i < N; i++)
			post(&r[i], &in[i], i);
		for (int i = 0; i < N; i++) {
			const struct trk_request *q = registry_request(r[i]);
			REQUIRE(q);
			const uint64_t *at = span_at(q->where);
			REQUIRE(at);
			EXPECT(q->tag == i && q->where.n >= 3 && q->where.n <= 4 && q->where.total == q->where.n);
			EXPECT(at[0] == q->caller && at[0] > (uintptr_t)post && at[0] < (uintptr_t)post + 128);
			EXPECT(at[1] > (uintptr_t)where_requests && at[1] < (uintptr_t)where_requests + 2048);
		}
		for (int i = 0; i < N; i++)
			MPI_Send(&turn, 1, MPI_INT, 0, i, MPI_COMM_SELF);
		MPI_Waitall(N, r, statuses);
		/* in between persistent ones, which have places and are freed */
		MPI_Send_init(&turn, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &other[0]);
		MPI_Recv_init(&in[0], 1, MPI_INT, 0, 1, MPI_COMM_SELF, &other[1]);
		MPI_Request_free(&other[0]);
		MPI_Request_free(&other[1]);
		EXPECT_IS(registry_n_requests(), 0);
		/* 64 that were freed are kept, with their places */
		if (turn == 40)
			used = registry->arena_used;
	}
	EXPECT_IS(registry->arena_used, used);
	EXPECT_IS(registry->n_arena_dropped, 0);
}

/* MPI2DD_TRACK_WHERE=4 */
static void where(void)
{
	MPI_Info info;

	where_requests();
	make(&info);
	__asm__ volatile("" ::: "memory");
	const struct trk_info *r = INFO(info);
	REQUIRE(r);
	const uint64_t *at = span_at(r->where);
	REQUIRE(at);
	EXPECT(r->where.n >= 3 && r->where.n <= 4);
	EXPECT(at[0] > (uintptr_t)make && at[0] < (uintptr_t)make + 128);
	EXPECT(at[1] > (uintptr_t)where && at[1] < (uintptr_t)where + 128);
	MPI_Info_free(&info);
	EXPECT_IS(COMM(MPI_COMM_WORLD)->where.n, 0);
}

static void *work(void *number)
{
	MPI_Datatype vector, outer, dup;
	MPI_Info info;
	MPI_Comm comm;
	MPI_Group group;

	(void)number;
	for (int i = 0; i < ROUNDS; i++) {
		MPI_Type_vector(2, 1, 3, MPI_INT, &vector);
		MPI_Type_contiguous(4, vector, &outer);
		MPI_Type_free(&vector);
		MPI_Type_dup(outer, &dup);
		MPI_Info_create(&info);
		MPI_Info_set(info, "a", "b");
		MPI_Info_free(&info);
		MPI_Type_free(&dup);
		MPI_Type_free(&outer);
		if (i % 50 == 0) {
			MPI_Comm_group(MPI_COMM_SELF, &group);
			MPI_Comm_create_group(MPI_COMM_SELF, group, (int)(intptr_t)number, &comm);
			MPI_Comm_free(&comm);
			MPI_Group_free(&group);
		}
	}
	return NULL;
}

/* The thread's first call, which keeps errno; then the thread
 * ends without telling anybody (no destructor of a key runs). */
static void *end_unnoticed(void *unused)
{
	MPI_Datatype type;

	(void)unused;
	errno = 4711;
	MPI_Type_contiguous(2, MPI_INT, &type);
	EXPECT_IS(errno, 4711);
	MPI_Type_free(&type);
	syscall(SYS_exit, 0);
	return NULL;
}

/* More threads than slots, one after the other: the slots of those that have ended are found and used again. */
static void unnoticed(void)
{
	for (uint32_t i = 0; i < registry->threads_capacity + 8; i++) {
		pthread_t thread;

		if (!EXPECT(pthread_create(&thread, NULL, end_unnoticed, NULL) == 0))
			return;
		pthread_join(thread, NULL);
	}
	EXPECT_IS(registry->n_threads, registry->threads_capacity);
	EXPECT_IS(registry->n_threads_dropped, 0);
}

/* MPI_THREAD_MULTIPLE */
static void threads(void)
{
	pthread_t all[THREADS];
	uint32_t n_types = registry_slab(TRK_DATATYPE)->n_live, n_comms = registry_slab(TRK_COMM)->n_live;
	uint64_t n_born = registry_slab(TRK_DATATYPE)->n_born;
	const struct registry_head *r;

	for (intptr_t i = 0; i < THREADS; i++)
		pthread_create(&all[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(all[i], NULL);
	EXPECT_IS(registry_slab(TRK_DATATYPE)->n_born - n_born, 3 * THREADS * ROUNDS);
	EXPECT_IS(registry_slab(TRK_DATATYPE)->n_live, n_types);
	EXPECT_IS(count(TRK_DATATYPE, TRK_LIVE), n_types);
	EXPECT_IS(registry_slab(TRK_COMM)->n_live, n_comms);
	EXPECT_IS(registry_slab(TRK_INFO)->n_live, 2);
	for (enum trk_kind kind = 0; kind < TRK_N_KINDS; kind++) {
		EXPECT_IS(registry_slab(kind)->n_dropped, 0);
		for (size_t i = 0; kind != TRK_REQUEST && (r = registry_record(kind, i)); i++)
			if (r->sequence % 2)
				EXPECT_IS(r->sequence % 2, 0);
	}
}

/* Before MPI_Init. */
static void before(void)
{
	registry_open();
	EXPECT_IS(registry->mpi_state, 0);
	EXPECT_IS(registry->world_size, -1);
	EXPECT_IS(registry->thread_level, -1);
	EXPECT(registry->n_types > TRK_N_KINDS && registry->n_fields > 100);
#if MPI_VERSION >= 4
	MPI_Session session;
	MPI_Group group;
	MPI_Comm comm;
	MPI_Info info;

	MPI_Info_create(&info);
	MPI_Info_set(info, "early", "yes");
	REQUIRE(INFO(info));
	EXPECT_IS(INFO(info)->pairs.n, 1);
	MPI_Session_init(info, MPI_ERRORS_RETURN, &session);
	REQUIRE(registry_object(TRK_SESSION, session));
	EXPECT_IS(registry->mpi_state, 1);
	MPI_Group_from_session_pset(session, "mpi://SELF", &group);
	REQUIRE(GROUP(group));
	MPI_Comm_create_from_group(group, "tag", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
	REQUIRE(COMM(comm));
	EXPECT_IS(COMM(comm)->size, 1);
	EXPECT_IS(COMM(comm)->errhandler, BITS(MPI_ERRORS_RETURN));
	MPI_Comm_free(&comm);
	MPI_Group_free(&group);
	MPI_Info_free(&info);
	MPI_Session_finalize(&session);
	exit(registry_close()); /* MPICH 4.0 cannot start MPI again after the last session */
#endif
}

int main(int argc, char *argv[])
{
	static const struct {
		const char *name;
		void (*run)(void);
	} modes[] = { { "small", small }, { "debugged", debugged }, { "arena", arena },        { "off", off },
		      { "where", where }, { "threads", threads },   { "unnoticed", unnoticed } };
	const char *mode = argc > 1 ? argv[1] : "";
	int level, size;

	if (strcmp(mode, "before") == 0)
		before();
	MPI_Init_thread(&argc, &argv,
			strcmp(mode, "threads") == 0 || strcmp(mode, "unnoticed") == 0 ? MPI_THREAD_MULTIPLE
										       : MPI_THREAD_SINGLE,
			&level);
	registry_open();
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	EXPECT_IS(registry->world_size, size);
	EXPECT_IS(registry->mpi_state, 1);
	EXPECT_IS(registry->thread_level, level == MPI_THREAD_MULTIPLE ? 3 : registry->thread_level);
	for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
		if (strcmp(mode, modes[i].name) == 0)
			modes[i].run();
	MPI_Finalize();
	return registry_close();
}
