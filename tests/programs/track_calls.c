/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: track_calls blocked | callbacks | threads, on 2 ranks, with the in-target library
 * What the registry says of the calls that threads are in. blocked: a second thread looks at the first one while that
 * waits. callbacks: an error handler looks, and leaves by longjmp. threads: more of them than there are slots.
 */
#include "registry.h"

#include "handled.h"

#include <pthread.h>
#include <setjmp.h>
#include <time.h>

static int rank;
static MPI_Comm both, control;

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
}

/* ---- blocked ------------------------------------------------------------------------------------------ */

static int in[8], out[8];
static MPI_Request requests[2];
static MPI_Status statuses[2];
static int indices[2], n_done;

/* What rank 0 does, and what rank 1 does to set it free. */
#define MEET(name, call_0, call_1)                                                                                     \
	static void name##_0(void)                                                                                     \
	{                                                                                                              \
		call_0;                                                                                                \
	}                                                                                                              \
	static void name##_1(void)                                                                                     \
	{                                                                                                              \
		call_1;                                                                                                \
	}
#define RECEIVE_TWO                                                                                                    \
	MPI_Irecv(&in[0], 1, MPI_INT, 1, 61, both, &requests[0]);                                                      \
	MPI_Irecv(&in[1], 1, MPI_INT, 1, 62, both, &requests[1])
#define SEND_TWO                                                                                                       \
	MPI_Send(&out[0], 1, MPI_INT, 0, 61, both);                                                                    \
	MPI_Send(&out[1], 1, MPI_INT, 0, 62, both)
#define MEET_SAME(name, call) MEET(name, call, call)

MEET(recv, MPI_Recv(in, 3, MPI_INT, 1, 7, both, &statuses[0]), MPI_Send(out, 3, MPI_INT, 0, 7, both))
MEET(any, MPI_Recv(in, 3, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, both, &statuses[0]),
     MPI_Send(out, 3, MPI_INT, 0, 7, both))
MEET(ssend, MPI_Ssend(out, 2, MPI_DOUBLE, 1, 8, both), MPI_Recv(in, 2, MPI_DOUBLE, 0, 8, both, &statuses[0]))
MEET(probe, MPI_Probe(1, 9, both, &statuses[0]);
     MPI_Recv(in, 1, MPI_INT, 1, 9, both, &statuses[0]), MPI_Send(out, 1, MPI_INT, 0, 9, both))
MEET(sendrecv, MPI_Sendrecv(out, 2, MPI_INT, 1, 10, in, 4, MPI_INT, 1, 11, both, &statuses[0]),
     MPI_Sendrecv(out, 2, MPI_INT, 0, 11, in, 4, MPI_INT, 0, 10, both, &statuses[0]))
MEET(wait, MPI_Irecv(in, 1, MPI_INT, 1, 61, both, &requests[0]);
     MPI_Wait(&requests[0], &statuses[0]), MPI_Send(out, 1, MPI_INT, 0, 61, both))
MEET(waitall, RECEIVE_TWO; MPI_Waitall(2, requests, statuses), SEND_TWO)
MEET(waitany, RECEIVE_TWO; MPI_Waitany(2, requests, indices, statuses); MPI_Waitall(2, requests, statuses), SEND_TWO)
MEET(waitsome, RECEIVE_TWO; MPI_Waitsome(2, requests, &n_done, indices, statuses);
     MPI_Waitall(2, requests, statuses), SEND_TWO)
MEET(barrier, MPI_Barrier(both), MPI_Barrier(both))
MEET_SAME(bcast, MPI_Bcast(in, 5, MPI_INT, 1, both))
MEET_SAME(reduce, MPI_Reduce(out, in, 5, MPI_INT, MPI_MAX, 0, both))
MEET_SAME(allreduce, MPI_Allreduce(out, in, 6, MPI_INT, MPI_SUM, both))
MEET_SAME(gather, MPI_Gather(out, 2, MPI_INT, in, 2, MPI_INT, 0, both))
MEET_SAME(scatter, MPI_Scatter(out, 2, MPI_INT, in, 2, MPI_INT, 1, both))
MEET_SAME(allgather, MPI_Allgather(out, 3, MPI_INT, in, 3, MPI_INT, both))
MEET_SAME(alltoall, MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, both))
MEET_SAME(reduce_scatter, MPI_Reduce_scatter_block(out, in, 2, MPI_INT, MPI_SUM, both))

enum {
	DATA = TRK_HAS_BUFFER | TRK_HAS_COUNT | TRK_HAS_DATATYPE,
	POINT = DATA | TRK_HAS_PEER | TRK_HAS_TAG | TRK_HAS_COMM,
	COLL = DATA | TRK_HAS_COMM,
	ROOTED = COLL | TRK_HAS_PEER | TRK_HAS_ROOT,
	ASKED = TRK_HAS_REQUESTS | TRK_HAS_COUNT,
	TWO = TRK_HAS_SECOND_BUFFER | TRK_HAS_SECOND_DATA
};

static const struct meeting {
	const char *call;
	void (*act[2])(void);
	unsigned has;
	int peer, tag;
	long long count;
	const void *buffer;
	int type;               /* 'i' MPI_INT, 'd' MPI_DOUBLE */
	int op;                 /* 's' MPI_SUM, 'm' MPI_MAX */
	const void *second;     /* buffer */
	long long second_count; /* of MPI_INT */
} meetings[] = {
#define M(name)                                                                                                        \
	{                                                                                                              \
		name##_0, name##_1                                                                                     \
	}
	{ "MPI_Recv", M(recv), POINT, 1, 7, 3, in, 'i', 0, NULL, 0 },
	{ "MPI_Recv", M(any), POINT, MPI_ANY_SOURCE, MPI_ANY_TAG, 3, in, 'i', 0, NULL, 0 },
	{ "MPI_Ssend", M(ssend), POINT, 1, 8, 2, out, 'd', 0, NULL, 0 },
	{ "MPI_Probe", M(probe), TRK_HAS_PEER | TRK_HAS_TAG | TRK_HAS_COMM, 1, 9, 0, NULL, 0, 0, NULL, 0 },
	{ "MPI_Sendrecv", M(sendrecv), POINT | TRK_HAS_SOURCE | TWO, 1, 10, 2, out, 'i', 0, in, 4 },
	{ "MPI_Wait", M(wait), ASKED, 0, 0, 1, NULL, 0, 0, NULL, 0 },
	{ "MPI_Waitall", M(waitall), ASKED, 0, 0, 2, NULL, 0, 0, NULL, 0 },
	{ "MPI_Waitany", M(waitany), ASKED, 0, 0, 2, NULL, 0, 0, NULL, 0 },
	{ "MPI_Waitsome", M(waitsome), ASKED, 0, 0, 2, NULL, 0, 0, NULL, 0 },
	{ "MPI_Barrier", M(barrier), TRK_HAS_COMM, 0, 0, 0, NULL, 0, 0, NULL, 0 },
	{ "MPI_Bcast", M(bcast), ROOTED, 1, 0, 5, in, 'i', 0, NULL, 0 },
	{ "MPI_Reduce", M(reduce), ROOTED | TRK_HAS_OBJECT | TRK_HAS_SECOND_BUFFER, 0, 0, 5, out, 'i', 'm', in, 0 },
	{ "MPI_Allreduce", M(allreduce), COLL | TRK_HAS_OBJECT | TRK_HAS_SECOND_BUFFER, 0, 0, 6, out, 'i', 's', in, 0 },
	{ "MPI_Gather", M(gather), ROOTED | TWO, 0, 0, 2, out, 'i', 0, in, 2 },
	{ "MPI_Scatter", M(scatter), ROOTED | TWO, 1, 0, 2, in, 'i', 0, out, 2 },
	{ "MPI_Allgather", M(allgather), COLL | TWO, 0, 0, 3, out, 'i', 0, in, 3 },
	{ "MPI_Alltoall", M(alltoall), COLL | TWO, 0, 0, 2, out, 'i', 0, in, 2 },
	{ "MPI_Reduce_scatter_block", M(reduce_scatter), COLL | TRK_HAS_OBJECT | TRK_HAS_SECOND_BUFFER, 0, 0, 2, out,
	  'i', 's', in, 0 },
};
enum { N_MEETINGS = sizeof meetings / sizeof meetings[0] };

static const struct trk_thread *seen; /* slot of rank 0's first thread */
static volatile int at;               /* the meeting that it goes to next */

/* Where the program itself is loaded. */
static void *own_base(void)
{
	Dl_info info;

	return dladdr((void *)own_base, &info) ? info.dli_fbase : NULL;
}

static void expect_frame(const struct meeting *m, const struct trk_frame *f)
{
	if (strcmp(registry_call(f->call), m->call) != 0) {
		fprintf(stderr, "in %s, expected %s\n", registry_call(f->call), m->call);
		EXPECT(!m->call);
		return;
	}
	EXPECT_IS(f->has, m->has);
	if (m->has & TRK_HAS_COMM)
		EXPECT_IS(f->comm, BITS(both));
	if (m->has & TRK_HAS_PEER)
		EXPECT_IS(f->peer, m->peer);
	if (m->has & TRK_HAS_TAG)
		EXPECT_IS(f->tag, m->tag);
	if (m->has & TRK_HAS_COUNT)
		EXPECT_IS(f->count, m->count);
	if (m->has & TRK_HAS_BUFFER)
		EXPECT_IS(f->buffer, (uintptr_t)m->buffer);
	if (m->has & TRK_HAS_DATATYPE)
		EXPECT_IS(f->datatype, m->type == 'i' ? BITS(MPI_INT) : BITS(MPI_DOUBLE));
	if (m->has & TRK_HAS_OBJECT) {
		EXPECT_IS(f->object_kind, TRK_OP);
		EXPECT_IS(f->object, m->op == 's' ? BITS(MPI_SUM) : BITS(MPI_MAX));
	}
	if (m->has & TRK_HAS_SECOND_BUFFER)
		EXPECT_IS(f->second_buffer, (uintptr_t)m->second);
	if (m->has & TRK_HAS_SECOND_DATA) {
		EXPECT_IS(f->second_count, m->second_count);
		EXPECT_IS(f->second_datatype, BITS(MPI_INT));
	}
	if (m->has & TRK_HAS_REQUESTS)
		EXPECT_IS(f->requests, (uintptr_t)requests);
	if (m->has & TRK_HAS_SOURCE) {
		EXPECT_IS(f->source, 1);
		EXPECT_IS(f->receive_tag, 11);
	}
	long long now = (long long)time(NULL);
	EXPECT((long long)f->since <= now && (long long)f->since >= now - 30);
	/* the place on the stack is there while the call is */
	EXPECT(f->frame && *(const uintptr_t *)(uintptr_t)f->frame == f->caller);
	Dl_info info;
	EXPECT(dladdr((void *)(uintptr_t)f->caller, &info) && info.dli_fbase == own_base());
}

static void *look(void *unused)
{
	(void)unused;
	for (int i = 0; i < N_MEETINGS; i++) {
		const struct meeting *m = &meetings[i];
		time_t deadline = time(NULL) + 20;
		while (at != i && time(NULL) < deadline)
			nap();
		while (!(seen->frames[0].depth == 1 && seen->frames[0].has == m->has &&
			 strcmp(registry_call(seen->frames[0].call), m->call) == 0) &&
		       time(NULL) < deadline)
			nap();
		for (int turn = 0; turn < 3; turn++) {
			EXPECT_IS(seen->frames[0].depth, 1);
			expect_frame(m, &seen->frames[0]);
			nap();
		}
		MPI_Send(NULL, 0, MPI_INT, 1, i, control);
	}
	return NULL;
}

/* Begun and finished, per class in the order of mqs_get_comm_coll_state(). */
static void expect_collectives(void)
{
	static const int classes[] = { 0, 1, 2, 4, 5, 8, 9, 12 }; /* one blocking one of each was made */
	const struct trk_comm *c = registry_object(TRK_COMM, both);
	MPI_Request r;

	if (!EXPECT(c != NULL) || !EXPECT_IS(c->collectives.n, 2 * TRK_COLL_COUNTERS))
		return;
	const uint64_t *n = (const uint64_t *)(uintptr_t)c->collectives.addr;
	for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
		EXPECT_IS(n[2 * classes[i]], 1);
		EXPECT_IS(n[2 * classes[i] + 1], 1);
	}
	EXPECT_IS(n[2 * TRK_COLL_OTHER], 1); /* MPI_Reduce_scatter_block */
	EXPECT_IS(n[2 * 10], 0);
	/* a nonblocking one is finished when its request is, or at once */
	MPI_Ibarrier(both, &r);
	EXPECT_IS(n[0], 2);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	EXPECT_IS(n[1], 2);
	/* a failing call has finished, too: no thread is in it */
	MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
	EXPECT(MPI_Bcast(in, 1, MPI_INT, 77, both) != MPI_SUCCESS);
	EXPECT_IS(n[2], 2);
	EXPECT_IS(n[3], 2);
}

static void test_blocked(void)
{
	pthread_t thread;

	if (rank == 1) {
		for (int i = 0; i < N_MEETINGS; i++) {
			MPI_Recv(NULL, 0, MPI_INT, 0, i, control, MPI_STATUS_IGNORE);
			meetings[i].act[1]();
			EXPECT_IS(registry_own_thread()->frames[0].depth, 0);
		}
		expect_collectives();
		return;
	}
	seen = registry_own_thread();
	if (!EXPECT(seen != NULL))
		return;
	uint64_t n_calls = seen->n_calls;
	pthread_create(&thread, NULL, look, NULL);
	for (int i = 0; i < N_MEETINGS; i++) {
		at = i;
		meetings[i].act[0]();
		EXPECT_IS(seen->frames[0].depth, 0);
	}
	EXPECT(seen->n_calls - n_calls >= N_MEETINGS);
	expect_collectives();
	pthread_join(thread, NULL);
}

/* ---- callbacks ---------------------------------------------------------------------------------------- */

static jmp_buf back;
static enum { LOOK, NEST, LEAVE } what;
static int n_handled;

static void expect_depth(unsigned depth, const char *innermost)
{
	const struct trk_thread *t = registry_own_thread();

	if (!EXPECT(t != NULL) || !EXPECT_IS(t->frames[0].depth, depth))
		return;
	EXPECT(strcmp(registry_call(t->frames[depth - 1].call), innermost) == 0);
}

static void handler(MPI_Comm *comm, int *code, ...)
{
	(void)code;
	n_handled++;
	switch (what) {
	case LOOK:
		expect_depth(1, "MPI_Send");
		break;
	case NEST:
		/* a call within a call; its error is delivered here as well */
		if (n_handled == 1) {
			expect_depth(1, "MPI_Send");
			int rc = MPI_Recv(in, 1, MPI_INT, 99, 1, *comm, MPI_STATUS_IGNORE);
			EXPECT(rc != MPI_SUCCESS || HANDLED_IS_SUCCESS);
			expect_depth(1, "MPI_Send");
		} else {
			expect_depth(2, "MPI_Recv");
			EXPECT(strcmp(registry_call(registry_own_thread()->frames[0].call), "MPI_Send") == 0);
		}
		break;
	case LEAVE:
		expect_depth(1, "MPI_Send");
		longjmp(back, 1);
	}
}

static void fail(void)
{
	MPI_Send(out, 1, MPI_INT, 99, 1, both);
}

/* The same from deep in the stack, which overwrites its earlier contents. */
__attribute__((noinline)) static void fail_deep(int n)
{
	volatile char fill[3000];

	memset((char *)fill, n, sizeof fill);
	if (n > 0)
		fail_deep(n - 1);
	else
		fail();
	fill[0] = fill[1];
}

static int copied(MPI_Comm comm, int key, void *extra, void *in_value, void *out_value, int *flag)
{
	(void)key;
	(void)extra;
	(void)in_value;
	(void)out_value;
	int size;
	/* a call of the program's within MPI_Comm_dup, which the library's own calls within it are not */
	MPI_Comm_size(comm, &size);
	EXPECT_IS(size, 2);
	expect_depth(1, "MPI_Comm_dup");
	*flag = 0;
	return MPI_SUCCESS;
}

static void test_callbacks(void)
{
	MPI_Errhandler h;

	MPI_Comm_create_errhandler(handler, &h);
	MPI_Comm_set_errhandler(both, h);
	what = LOOK;
	fail();
	EXPECT_IS(n_handled, 1);
	n_handled = 0;
	what = NEST;
	fail();
	EXPECT_IS(n_handled, 2);
	EXPECT_IS(registry_own_thread()->frames[0].depth, 0);
	what = LEAVE;
	for (volatile int i = 0; i < 20; i++) {
		if (setjmp(back) == 0)
			fail();
		if (setjmp(back) == 0)
			fail_deep(i);
		if (setjmp(back) == 0)
			fail();
	}
	int size;
	MPI_Comm_size(both, &size);
	EXPECT_IS(registry_own_thread()->frames[0].depth, 0);
	MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
	MPI_Errhandler_free(&h);

	int key;
	MPI_Comm copy;
	MPI_Comm_create_keyval(copied, MPI_COMM_NULL_DELETE_FN, &key, NULL);
	MPI_Comm_set_attr(both, key, NULL);
	MPI_Comm_dup(both, &copy);
	MPI_Comm_free(&copy);
	EXPECT_IS(registry_own_thread()->frames[0].depth, 0);
}

/* ---- threads ------------------------------------------------------------------------------------------ */

enum { MORE = 40 };

static pthread_barrier_t all;

static void *one_call(void *unused)
{
	int r;

	MPI_Comm_rank(both, &r);
	EXPECT(registry_own_thread() != NULL);
	return unused;
}

static void *call_together(void *n_slots)
{
	int r;

	MPI_Comm_rank(both, &r);
	if (registry_own_thread())
		__atomic_fetch_add((int *)n_slots, 1, __ATOMIC_RELAXED);
	pthread_barrier_wait(&all);
	return NULL;
}

static void test_threads(void)
{
	unsigned n = registry->threads_capacity + MORE;
	pthread_t *threads = calloc(n, sizeof *threads);
	pthread_attr_t attr;
	int n_slots = 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 * 1024);
	for (unsigned i = 0; i < n; i++) {
		pthread_create(&threads[0], &attr, one_call, NULL);
		pthread_join(threads[0], NULL);
	}
	/* one after the other they use the same slot */
	EXPECT(registry->n_threads <= 8);
	EXPECT_IS(registry->n_threads_dropped, 0);
	uint32_t n_before = 0;
	for (uint32_t i = 0; i < registry->n_threads; i++)
		n_before += ((const struct trk_thread *)(uintptr_t)registry->threads)[i].tid != 0;
	pthread_barrier_init(&all, NULL, n);
	for (unsigned i = 0; i < n; i++)
		if (pthread_create(&threads[i], &attr, call_together, &n_slots) != 0)
			abort();
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	EXPECT_IS(n_slots, registry->threads_capacity - n_before);
	EXPECT_IS(registry->n_threads_dropped, n - (unsigned)n_slots);
	EXPECT_IS(registry->n_threads, registry->threads_capacity);
	n_slots = 0;
	pthread_create(&threads[0], &attr, one_call, NULL);
	pthread_join(threads[0], NULL);
	free(threads);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int provided;

	/* out of error handlers by longjmp: only where the library holds no lock */
	MPI_Init_thread(&argc, &argv, strcmp(mode, "callbacks") == 0 ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE,
			&provided);
	registry_open();
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_dup(MPI_COMM_WORLD, &both);
	MPI_Comm_dup(MPI_COMM_WORLD, &control);
	if (strcmp(mode, "blocked") == 0)
		test_blocked();
	else if (strcmp(mode, "callbacks") == 0)
		test_callbacks();
	else if (strcmp(mode, "threads") == 0)
		test_threads();
	int rc = registry_close();
	MPI_Barrier(MPI_COMM_WORLD);
	if (rc == 0)
		MPI_Finalize();
	_exit(rc);
}
