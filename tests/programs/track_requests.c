/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: track_requests single|serialized|multiple, on 2 ranks, with the in-target library
 * Every way in which a request is made, changes and ends; after each step the registry must say what was done.
 */
#include "registry.h"

#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#endif

#include <pthread.h>

enum { MANY = 300 };

static int rank;
static MPI_Comm both, self;
static int in[MANY], out[MANY];

/* A live record with the arguments of the call. */
static void expect_born(MPI_Request request, const char *call, const void *buf, long long count, MPI_Datatype type,
			int peer, int tag, MPI_Comm comm, unsigned flags)
{
	const struct trk_request *r = registry_request(request);

	if (!EXPECT(r != NULL)) {
		fprintf(stderr, "%s: no record, or several\n", call);
		return;
	}
	if (strcmp(registry_call(r->call), call) != 0)
		EXPECT(!call);
	EXPECT_IS(r->buffer, (uintptr_t)buf);
	EXPECT_IS(r->count, count);
	EXPECT_IS(r->datatype, BITS(type));
	EXPECT_IS(r->peer, peer);
	EXPECT_IS(r->tag, tag);
	EXPECT_IS(r->comm, BITS(comm));
	EXPECT_IS(r->object_kind, TRK_COMM);
	EXPECT_IS(r->has,
		  TRK_HAS_BUFFER | TRK_HAS_COUNT | TRK_HAS_DATATYPE | TRK_HAS_PEER | TRK_HAS_TAG | TRK_HAS_COMM);
	EXPECT_IS(r->flags & ~TRK_REQ_SHARED, flags);
	EXPECT_IS(r->sequence % 2, 0);
	EXPECT(r->caller != 0);
}

static void expect_no_requests(int line)
{
	if (!EXPECT_IS(registry_n_requests(), 0))
		fprintf(stderr, "at line %d\n", line);
}
#define EXPECT_NONE expect_no_requests(__LINE__)

/* An ended record is marked as such, and keeps its contents until its slot is needed. */
static void expect_freed(uint64_t handle, int tag)
{
	const struct trk_request *r;
	int n = registry_requests(handle, TRK_FREED, 0, &r);

	EXPECT(n >= 1);
	for (int i = 0; i < n; i++) {
		registry_requests(handle, TRK_FREED, i, &r);
		if (r->tag == tag)
			return;
	}
	EXPECT(!"an ended record with this tag");
}

static void test_receive_and_send(void)
{
	MPI_Request r[2];
	MPI_Status s;

	MPI_Irecv(&in[0], 3, MPI_INT, !rank, 11, both, &r[0]);
	expect_born(r[0], "MPI_Irecv", &in[0], 3, MPI_INT, !rank, 11, both, TRK_REQ_ACTIVE);
	MPI_Issend(&out[0], 3, MPI_INT, !rank, 11, both, &r[1]);
	expect_born(r[1], "MPI_Issend", &out[0], 3, MPI_INT, !rank, 11, both, TRK_REQ_ACTIVE);
	uint64_t was = BITS(r[0]);
	MPI_Wait(&r[0], &s);
	EXPECT(r[0] == MPI_REQUEST_NULL);
	expect_freed(was, 11);
	EXPECT_IS(registry_n_requests(), 1);
	MPI_Wait(&r[1], &s);
	EXPECT_NONE;
	/* a null request is no request */
	MPI_Wait(&r[1], &s);
	int flag = 0;
	MPI_Test(&r[1], &flag, &s);
	EXPECT_NONE;
}

static void test_wildcards(void)
{
	MPI_Request r;
	MPI_Status s;

	MPI_Irecv(&in[0], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, both, &r);
	expect_born(r, "MPI_Irecv", &in[0], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, both, TRK_REQ_ACTIVE);
	MPI_Send(&out[0], 1, MPI_INT, !rank, 12, both);
	MPI_Wait(&r, &s);
	EXPECT_NONE;
}

/* Many finished ones with the same handle value: their number is right. */
static void test_shared(void)
{
	MPI_Request r[MANY];
	MPI_Status s[MANY];
	int n_shared = 0;

	for (int i = 0; i < MANY; i++)
		MPI_Irecv(&in[i], 1, MPI_INT, MPI_PROC_NULL, i, self, &r[i]);
	EXPECT_IS(registry_n_requests(), MANY);
	for (int i = 0; i < MANY; i++) {
		const struct trk_request *q;
		n_shared += registry_requests(BITS(r[i]), TRK_LIVE, 0, &q) > 1;
	}
	printf("%d of %d receives from nobody have a shared handle\n", n_shared, MANY);
	for (int i = 0; i < MANY; i++) {
		MPI_Wait(&r[i], &s[0]);
		EXPECT_IS(registry_n_requests(), MANY - 1 - i);
	}
	for (int i = 0; i < MANY; i++)
		MPI_Isend(&out[i], 1, MPI_INT, MPI_PROC_NULL, i, self, &r[i]);
	EXPECT_IS(registry_n_requests(), MANY);
	MPI_Waitall(MANY, r, s);
	EXPECT_NONE;
}

static void post(MPI_Request r[], int n)
{
	for (int i = 0; i < n; i++)
		MPI_Irecv(&in[i], 1, MPI_INT, !rank, 100 + i, both, &r[i]);
}

/* The other rank's tag i; it blocks until the receive is there, so that nothing is early. */
static void feed(int i)
{
	MPI_Ssend(&out[i], 1, MPI_INT, !rank, 100 + i, both);
}

/* Rank 0 receives, rank 1 sends: each completion function completes exactly the requests that it reports. */
static void test_completions(void)
{
	MPI_Request r[MANY];
	MPI_Status s[MANY];
	int indices[MANY], n, index, flag;

	/* arrays longer and shorter than what the library stores on the stack */
	for (int turn = 0; turn < 2; turn++) {
		int size = turn ? 100 : 10;
		if (rank == 0) {
			post(r, size);
			MPI_Testall(size, r, &flag, s);
			EXPECT_IS(flag, 0);
			MPI_Testany(size, r, &index, &flag, s);
			EXPECT_IS(flag, 0);
			MPI_Testsome(size, r, &n, indices, s);
			EXPECT_IS(n, 0);
			EXPECT_IS(registry_n_requests(), size);
		}
		MPI_Barrier(both);
		if (rank == 1) {
			feed(3);
			MPI_Barrier(both);
			feed(5);
			MPI_Barrier(both);
			feed(7);
			MPI_Barrier(both);
			feed(8);
			MPI_Barrier(both);
			feed(9);
			MPI_Barrier(both);
			for (int i = 0; i < size; i++)
				if (i != 3 && i != 5 && i != 7 && i != 8 && i != 9)
					feed(i);
			continue;
		}
		uint64_t was[MANY];
		for (int i = 0; i < size; i++)
			was[i] = BITS(r[i]);
		const struct trk_request *q;
#define ENDED(i, left)                                                                                                 \
	do {                                                                                                           \
		EXPECT(r[i] == MPI_REQUEST_NULL);                                                                      \
		EXPECT_IS(registry_requests(was[i], TRK_LIVE, 0, &q), 0);                                              \
		expect_freed(was[i], 100 + (i));                                                                       \
		EXPECT_IS(registry_n_requests(), left);                                                                \
		MPI_Barrier(both);                                                                                     \
	} while (0)
		MPI_Waitany(size, r, &index, s);
		EXPECT_IS(index, 3);
		ENDED(3, size - 1);
		MPI_Waitsome(size, r, &n, indices, s);
		EXPECT_IS(n, 1);
		EXPECT_IS(indices[0], 5);
		ENDED(5, size - 2);
		do
			MPI_Testany(size, r, &index, &flag, s);
		while (!flag);
		EXPECT_IS(index, 7);
		ENDED(7, size - 3);
		do
			MPI_Testsome(size, r, &n, indices, s);
		while (n == 0);
		EXPECT_IS(indices[0], 8);
		ENDED(8, size - 4);
		do
			MPI_Test(&r[9], &flag, s);
		while (!flag);
		ENDED(9, size - 5);
		for (int i = 0; i < size; i++)
			if (r[i] != MPI_REQUEST_NULL)
				expect_born(r[i], "MPI_Irecv", &in[i], 1, MPI_INT, 1, 100 + i, both, TRK_REQ_ACTIVE);
		if (turn)
			MPI_Waitall(size, r, s);
		else
			do
				MPI_Testall(size, r, &flag, s);
			while (!flag);
		EXPECT_NONE;
		/* none of them is active now */
		MPI_Waitsome(size, r, &n, indices, s);
		EXPECT_IS(n, MPI_UNDEFINED);
		MPI_Waitany(size, r, &index, s);
		EXPECT_IS(index, MPI_UNDEFINED);
		MPI_Waitall(size, r, s);
		EXPECT_NONE;
	}
	MPI_Barrier(both);
}

/* One call that completes two of three. */
static void test_some(void)
{
	enum { N = 3 };
	MPI_Request r[N];
	MPI_Status s[N];
	int values[N], one = 1, n, indices[N], flag;

	for (int turn = 0; turn < 2; turn++) {
		for (int i = 0; i < N; i++)
			MPI_Irecv(&values[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &r[i]);
		for (int i = 0; i < N; i += 2) {
			MPI_Send(&one, 1, MPI_INT, 0, i, MPI_COMM_SELF);
			do
				MPI_Request_get_status(r[i], &flag, MPI_STATUS_IGNORE);
			while (!flag);
		}
		EXPECT_IS(registry_n_requests(), N);
		if (turn)
			MPI_Testsome(N, r, &n, indices, s);
		else
			MPI_Waitsome(N, r, &n, indices, s);
		EXPECT_IS(n, 2);
		EXPECT_IS(registry_n_requests(), 1);
		expect_born(r[1], "MPI_Irecv", &values[1], 1, MPI_INT, 0, 1, MPI_COMM_SELF, TRK_REQ_ACTIVE);
		MPI_Send(&one, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
		MPI_Wait(&r[1], MPI_STATUS_IGNORE);
		EXPECT_NONE;
	}
}

static void test_persistent(void)
{
	MPI_Request r[2];
	MPI_Status s[2];

	MPI_Recv_init(&in[0], 2, MPI_INT, !rank, 21, both, &r[0]);
	expect_born(r[0], "MPI_Recv_init", &in[0], 2, MPI_INT, !rank, 21, both, TRK_REQ_PERSISTENT);
	MPI_Ssend_init(&out[0], 2, MPI_INT, !rank, 21, both, &r[1]);
	expect_born(r[1], "MPI_Ssend_init", &out[0], 2, MPI_INT, !rank, 21, both, TRK_REQ_PERSISTENT);
	for (int turn = 0; turn < 3; turn++) {
		if (turn == 1) {
			MPI_Start(&r[0]);
			MPI_Start(&r[1]);
		} else {
			MPI_Startall(2, r);
		}
		expect_born(r[0], "MPI_Recv_init", &in[0], 2, MPI_INT, !rank, 21, both,
			    TRK_REQ_PERSISTENT | TRK_REQ_ACTIVE);
		expect_born(r[1], "MPI_Ssend_init", &out[0], 2, MPI_INT, !rank, 21, both,
			    TRK_REQ_PERSISTENT | TRK_REQ_ACTIVE);
		if (turn == 1)
			for (int i = 0; i < 2; i++)
				MPI_Wait(&r[i], &s[i]);
		else
			MPI_Waitall(2, r, s);
		expect_born(r[0], "MPI_Recv_init", &in[0], 2, MPI_INT, !rank, 21, both, TRK_REQ_PERSISTENT);
		expect_born(r[1], "MPI_Ssend_init", &out[0], 2, MPI_INT, !rank, 21, both, TRK_REQ_PERSISTENT);
	}
	/* waiting for an inactive one changes nothing */
	MPI_Wait(&r[0], &s[0]);
	EXPECT_IS(registry_n_requests(), 2);
	uint64_t was = BITS(r[0]);
	MPI_Request_free(&r[0]);
	expect_freed(was, 21);
	const struct trk_request *q;
	registry_requests(was, TRK_FREED, 0, &q);
	EXPECT_IS(q->flags & TRK_REQ_FREE_CALLED, 0); /* it was not active */
	MPI_Request_free(&r[1]);
	EXPECT_NONE;
}

static void test_free_and_cancel(void)
{
	MPI_Request r;
	MPI_Status s;
	const struct trk_request *q;

	/* freed while active */
	MPI_Barrier(both);
	if (rank == 0) {
		MPI_Irecv(&in[0], 1, MPI_INT, 1, 31, both, &r);
		uint64_t was = BITS(r);
		MPI_Request_free(&r);
		EXPECT_NONE;
		/* earlier requests with this value that were freed remain recorded */
		int n = registry_requests(was, TRK_FREED, 0, &q), n_called = 0;
		for (int i = 0; i < n; i++) {
			registry_requests(was, TRK_FREED, i, &q);
			n_called += q->tag == 31 && q->flags == (TRK_REQ_ACTIVE | TRK_REQ_FREE_CALLED);
		}
		EXPECT_IS(n_called, 1);
		/* the value is reused: the earlier request stays known until its record is reused */
		MPI_Request more[40];
		for (int i = 0; i < 40; i++)
			MPI_Irecv(&in[1], 1, MPI_INT, 0, 900 + i, self, &more[i]);
		for (int i = 0; i < 40; i++) {
			MPI_Cancel(&more[i]);
			MPI_Wait(&more[i], &s);
		}
		n = registry_requests(was, TRK_FREED, 0, &q);
		for (int i = n_called = 0; i < n; i++) {
			registry_requests(was, TRK_FREED, i, &q);
			n_called += q->tag == 31 && q->flags == (TRK_REQ_ACTIVE | TRK_REQ_FREE_CALLED);
		}
		EXPECT_IS(n_called, 1);
		EXPECT_NONE;
		/* more than are kept, again and again: records are used again */
		uint32_t high = registry_slab(TRK_REQUEST)->high;
		for (int i = 0; i < 2000; i++) {
			MPI_Recv_init(&in[2], 1, MPI_INT, 0, i, self, &r);
			MPI_Request_free(&r);
		}
		EXPECT(registry_slab(TRK_REQUEST)->high <= high + 256);
		EXPECT_NONE;
	} else {
		MPI_Send(&out[0], 1, MPI_INT, 0, 31, both);
	}
	/* cancelled, then completed */
	MPI_Irecv(&in[0], 1, MPI_INT, !rank, 32, both, &r);
	MPI_Cancel(&r);
	expect_born(r, "MPI_Irecv", &in[0], 1, MPI_INT, !rank, 32, both, TRK_REQ_ACTIVE | TRK_REQ_CANCELLED);
	uint64_t was = BITS(r);
	MPI_Wait(&r, &s);
	int cancelled;
	MPI_Test_cancelled(&s, &cancelled);
	EXPECT(cancelled);
	EXPECT_IS(registry_requests(was, TRK_LIVE, 0, &q), 0);
	EXPECT_NONE;
	/* asked about: stays */
	int flag = 1;
	MPI_Irecv(&in[0], 1, MPI_INT, !rank, 33, both, &r);
	MPI_Request_get_status(r, &flag, &s);
	EXPECT_IS(flag, 0);
	EXPECT_IS(registry_n_requests(), 1);
	MPI_Barrier(both);
	MPI_Send(&out[0], 1, MPI_INT, !rank, 33, both);
	do
		MPI_Request_get_status(r, &flag, &s);
	while (!flag);
	EXPECT_IS(registry_n_requests(), 1);
	MPI_Wait(&r, &s);
	EXPECT_NONE;
}

static int queried(void *state, MPI_Status *s)
{
	(void)state;
	MPI_Status_set_elements(s, MPI_INT, 0);
	MPI_Status_set_cancelled(s, 0);
	s->MPI_SOURCE = s->MPI_TAG = MPI_UNDEFINED;
	return MPI_SUCCESS;
}
static int freed(void *state)
{
	(void)state;
	return MPI_SUCCESS;
}
static int cancelled(void *state, int complete)
{
	(void)state;
	(void)complete;
	return MPI_SUCCESS;
}

static void test_generalized(void)
{
	MPI_Request r;
	MPI_Status s;

	MPI_Grequest_start(queried, freed, cancelled, &in[5], &r);
	const struct trk_request *q = registry_request(r);
	EXPECT(q != NULL);
	if (q) {
		EXPECT(strcmp(registry_call(q->call), "MPI_Grequest_start") == 0);
		EXPECT_IS(q->object_kind, TRK_N_KINDS);
		EXPECT_IS(q->has, TRK_HAS_BUFFER);
		EXPECT_IS(q->buffer, (uintptr_t)&in[5]);
		MPI_Grequest_complete(r);
		EXPECT_IS(q->flags, TRK_REQ_ACTIVE | TRK_REQ_GENERALIZED_COMPLETE);
	}
	MPI_Wait(&r, &s);
	EXPECT_NONE;
}

#if MPI_VERSION >= 4 || (defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5) || defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define HAS_PERSISTENT_COLLECTIVES 1
/* Persistent collectives are counted in their class, TRK_BARRIER being 0, when they are started. */
static void expect_class(MPI_Request *r, const char *call, int class)
{
	const struct trk_request *q = registry_request(*r);

	EXPECT(q != NULL);
	if (q) {
		EXPECT(strcmp(registry_call(q->call), call) == 0);
		EXPECT_IS(q->collective, class + 1);
		EXPECT_IS(q->flags, TRK_REQ_PERSISTENT);
	}
	MPI_Request_free(r);
}

#if MPI_VERSION >= 4 || (defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5) /* which says that it is MPI 3.1 */
#define INIT(name, class, ...)                                                                                         \
	do {                                                                                                           \
		MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &r);                                                     \
		expect_class(&r, "MPI_" #name "_init", class);                                                         \
	} while (0)
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define INIT(name, class, ...)                                                                                         \
	do {                                                                                                           \
		MPIX_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &r);                                                    \
		expect_class(&r, "MPIX_" #name "_init", class);                                                        \
	} while (0)
#endif

#endif

static void test_persistent_collectives(void)
{
#ifdef HAS_PERSISTENT_COLLECTIVES
	static const int counts[2] = { 1, 1 }, places[2] = { 0, 1 };
	const MPI_Datatype types[2] = { MPI_INT, MPI_INT };
	MPI_Request r;

	INIT(Barrier, 0, both);
	INIT(Bcast, 1, in, 2, MPI_INT, 0, both);
	INIT(Allgather, 2, out, 1, MPI_INT, in, 1, MPI_INT, both);
	INIT(Allgatherv, 3, out, 1, MPI_INT, in, counts, places, MPI_INT, both);
	INIT(Allreduce, 4, out, in, 1, MPI_INT, MPI_SUM, both);
	INIT(Alltoall, 5, out, 1, MPI_INT, in, 1, MPI_INT, both);
	INIT(Alltoallv, 6, out, counts, places, MPI_INT, in, counts, places, MPI_INT, both);
	INIT(Reduce_scatter, 7, out, in, counts, MPI_INT, MPI_SUM, both);
	INIT(Reduce, 8, out, in, 1, MPI_INT, MPI_SUM, 0, both);
	INIT(Gather, 9, out, 1, MPI_INT, in, 1, MPI_INT, 0, both);
	INIT(Gatherv, 10, out, 1, MPI_INT, in, counts, places, MPI_INT, 0, both);
	INIT(Scan, 11, out, in, 1, MPI_INT, MPI_SUM, both);
	INIT(Scatter, 12, out, 1, MPI_INT, in, 1, MPI_INT, 0, both);
	INIT(Scatterv, 13, out, counts, places, MPI_INT, in, 1, MPI_INT, 0, both);
	INIT(Reduce_scatter_block, TRK_COLL_OTHER, out, in, 1, MPI_INT, MPI_SUM, both);
	INIT(Exscan, TRK_COLL_OTHER, out, in, 1, MPI_INT, MPI_SUM, both);
	INIT(Alltoallw, TRK_COLL_OTHER, out, counts, places, types, in, counts, places, types, both);
	EXPECT_NONE;
#endif
}

static void test_collectives(void)
{
	MPI_Request r;
	MPI_Status s;

	MPI_Ibcast(&in[0], 4, MPI_INT, 1, both, &r);
	const struct trk_request *q;
	EXPECT_IS(registry_requests(BITS(r), TRK_LIVE, 0, &q), 1);
	if (q) {
		EXPECT(strcmp(registry_call(q->call), "MPI_Ibcast") == 0);
		EXPECT_IS(q->peer, 1);
		EXPECT_IS(q->has & TRK_HAS_ROOT, TRK_HAS_ROOT);
		EXPECT_IS(q->has & TRK_HAS_TAG, 0);
		EXPECT_IS(q->comm, BITS(both));
		EXPECT_IS(q->count, 4);
	}
	MPI_Wait(&r, &s);
	EXPECT_NONE;
	MPI_Ibarrier(self, &r);
	EXPECT_IS(registry_n_requests(), 1);
	MPI_Wait(&r, &s);
	EXPECT_NONE;
	MPI_Iallreduce(&out[0], &in[0], 5, MPI_INT, MPI_SUM, both, &r);
	EXPECT_IS(registry_n_requests(), 1);
	MPI_Wait(&r, &s);
	EXPECT_NONE;
#if MPI_VERSION >= 4
	MPI_Barrier_init(both, MPI_INFO_NULL, &r);
	q = registry_request(r);
	EXPECT(q && q->flags == TRK_REQ_PERSISTENT);
	MPI_Start(&r);
	EXPECT(q && q->flags == (TRK_REQ_PERSISTENT | TRK_REQ_ACTIVE));
	MPI_Wait(&r, &s);
	EXPECT(q && q->flags == TRK_REQ_PERSISTENT);
	MPI_Request_free(&r);
	EXPECT_NONE;
	/* large counts */
	MPI_Irecv_c(&in[0], 2, MPI_INT, !rank, 51, both, &r);
	expect_born(r, "MPI_Irecv_c", &in[0], 2, MPI_INT, !rank, 51, both, TRK_REQ_ACTIVE);
	MPI_Send_c(&out[0], 2, MPI_INT, !rank, 51, both);
	MPI_Wait(&r, &s);
	EXPECT_NONE;
#endif
}

static void test_files_and_windows(void)
{
	MPI_File f;
	MPI_Win w;
	MPI_Request r;
	MPI_Status s;
	int *base;
	char path[200];
	const struct trk_request *q;

	snprintf(path, sizeof path, "%s/track_requests.%ld", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp",
		 (long)getpid());
	if (MPI_File_open(self, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f) ==
	    MPI_SUCCESS) {
		int before = registry_n_requests();
		MPI_File_iwrite_at(f, 0, &out[0], 6, MPI_INT, &r);
		EXPECT_IS(registry_n_requests(), before + 1);
		if (registry_requests(BITS(r), TRK_LIVE, 0, &q) == 1) {
			EXPECT(strcmp(registry_call(q->call), "MPI_File_iwrite_at") == 0);
			EXPECT_IS(q->object_kind, TRK_FILE);
			EXPECT_IS(q->comm, BITS(f));
			EXPECT_IS(q->count, 6);
		}
		MPI_Wait(&r, &s);
		EXPECT_IS(registry_n_requests(), before);
		MPI_File_close(&f);
	}
	EXPECT_NONE;
	MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, both, &base, &w);
	MPI_Win_lock_all(0, w);
	MPI_Rput(&out[0], 1, MPI_INT, !rank, 3, 1, MPI_INT, w, &r);
	if (registry_requests(BITS(r), TRK_LIVE, 0, &q) == 1) {
		EXPECT(strcmp(registry_call(q->call), "MPI_Rput") == 0);
		EXPECT_IS(q->object_kind, TRK_WIN | (TRK_HAS_SECOND_BUFFER | TRK_HAS_SECOND_DATA) >> 8);
		EXPECT_IS(q->comm, BITS(w));
		EXPECT_IS(q->peer, !rank);
		EXPECT_IS(q->second_buffer, 3);
		EXPECT_IS(q->second_count, 1);
		EXPECT_IS(q->second_datatype, BITS(MPI_INT));
	}
	EXPECT_IS(registry_n_requests(), 1);
	MPI_Wait(&r, &s);
	EXPECT_NONE;
	/* for a pure fetch the result is recorded in place of the origin, which MPI ignores */
	MPI_Rget_accumulate(NULL, 0, MPI_CHAR, &in[0], 2, MPI_INT, !rank, 4, 2, MPI_INT, MPI_NO_OP, w, &r);
	EXPECT_IS(registry_requests(BITS(r), TRK_LIVE, 0, &q), 1);
	if (q) {
		EXPECT_IS(q->buffer, (uintptr_t)&in[0]);
		EXPECT_IS(q->count, 2);
		EXPECT_IS(q->datatype, BITS(MPI_INT));
		EXPECT_IS(q->second_buffer, 4);
		EXPECT_IS(q->op, BITS(MPI_NO_OP));
	}
	MPI_Wait(&r, &s);
	MPI_Rget_accumulate(&out[0], 1, MPI_INT, &in[0], 1, MPI_INT, !rank, 4, 1, MPI_INT, MPI_SUM, w, &r);
	EXPECT_IS(registry_requests(BITS(r), TRK_LIVE, 0, &q), 1);
	if (q) {
		EXPECT_IS(q->buffer, (uintptr_t)&out[0]);
		EXPECT_IS(q->op, BITS(MPI_SUM));
	}
	MPI_Wait(&r, &s);
	EXPECT_NONE;
	MPI_Win_unlock_all(w);
	MPI_Win_free(&w);
	EXPECT_NONE;
}

/* An error in a status: completed requests are gone, pending ones are live. */
static void test_errors(void)
{
	MPI_Request r[2];
	MPI_Status s[2];
	int flag = 0;

	MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Barrier(both);
	MPI_Irecv(&in[0], 1, MPI_INT, !rank, 41, both, &r[0]); /* too short */
	MPI_Irecv(&in[1], 1, MPI_INT, !rank, 42, both, &r[1]);
	MPI_Barrier(both);
	MPI_Send(&out[0], 2, MPI_INT, !rank, 41, both);
	int rc = MPI_Wait(&r[0], &s[0]);
	EXPECT(rc != MPI_SUCCESS);
	if (r[0] == MPI_REQUEST_NULL)
		EXPECT_IS(registry_n_requests(), 1);
	MPI_Barrier(both);
	MPI_Send(&out[0], 1, MPI_INT, !rank, 42, both);
	while (!flag)
		MPI_Testall(1, &r[1], &flag, s);
	if (r[0] == MPI_REQUEST_NULL)
		EXPECT_NONE;
	/* arguments that are refused make no request */
	int n = registry_n_requests();
	rc = MPI_Isend(&out[0], -1, MPI_INT, !rank, 43, both, &r[0]);
	EXPECT(rc != MPI_SUCCESS);
	EXPECT_IS(registry_n_requests(), n);
	rc = MPI_Irecv(&in[0], 1, MPI_INT, 77, 43, both, &r[0]);
	EXPECT(rc != MPI_SUCCESS);
	EXPECT_IS(registry_n_requests(), n);
}

/* Another thread completes what this one has begun, and the other way round. */
struct handed {
	MPI_Request requests[MANY];
	int n;
};

static void *complete(void *p)
{
	struct handed *h = p;
	MPI_Status s[MANY];

	MPI_Waitall(h->n, h->requests, s);
	return NULL;
}

static void test_handed_over(void)
{
	struct handed h = { .n = MANY };
	pthread_t thread;

	for (int turn = 0; turn < 3; turn++) {
		for (int i = 0; i < MANY; i++) {
			if (i % 3 == 0)
				MPI_Irecv(&in[i], 1, MPI_INT, 0, i + 1, self, &h.requests[i]);
			else if (i % 3 == 1)
				MPI_Isend(&out[i], 1, MPI_INT, 0, i, self, &h.requests[i]);
			else
				MPI_Irecv(&in[i], 1, MPI_INT, MPI_PROC_NULL, 1, self, &h.requests[i]);
		}
		EXPECT_IS(registry_n_requests(), MANY);
		pthread_create(&thread, NULL, complete, &h);
		pthread_join(thread, NULL);
		EXPECT_NONE;
	}
}

/*
 * Each thread completes the requests of the next one, which at the
 * same time creates and completes others with the same handle.
 */
enum { GIVERS = 4, GIVEN = 50 };

static pthread_barrier_t together;
static MPI_Request given[GIVERS][GIVEN];

static void begin_nothing(MPI_Request *r, int i)
{
	if (i % 2)
		MPI_Isend(NULL, 0, MPI_INT, MPI_PROC_NULL, i, self, r);
	else
		MPI_Irecv(NULL, 0, MPI_INT, MPI_PROC_NULL, i, self, r);
}

static void *give(void *number)
{
	int k = *(int *)number;
	MPI_Request own;
	MPI_Status s;

	for (int turn = 0; turn < 100; turn++) {
		for (int i = 0; i < GIVEN; i++)
			begin_nothing(&given[k][i], i);
		pthread_barrier_wait(&together);
		for (int i = 0; i < GIVEN; i++) {
			begin_nothing(&own, i);
			MPI_Wait(&given[(k + 1) % GIVERS][i], &s);
			MPI_Wait(&own, &s);
		}
		pthread_barrier_wait(&together);
	}
	/* of what two threads have ended at one instant only one may have ended by now */
	begin_nothing(&own, 0);
	MPI_Wait(&own, &s);
	begin_nothing(&own, 1);
	MPI_Wait(&own, &s);
	return NULL;
}

static void test_given(void)
{
	pthread_t threads[GIVERS];
	int numbers[GIVERS];

	pthread_barrier_init(&together, NULL, GIVERS);
	for (int i = 0; i < GIVERS; i++) {
		numbers[i] = i;
		pthread_create(&threads[i], NULL, give, &numbers[i]);
	}
	for (int i = 0; i < GIVERS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&together);
	EXPECT_NONE;
}

/* More requests than the capacity: the excess is counted, and the recorded ones are correct. */
static void test_overflow(void)
{
	const struct trk_slab *s = registry_slab(TRK_REQUEST);
	uint32_t n = s->capacity + 1000;
	MPI_Request *r = malloc(n * sizeof *r);
	MPI_Status *statuses = malloc(n * sizeof *statuses);
	uint64_t dropped = s->n_dropped;

	if (s->capacity > 200000)
		abort();
	for (uint32_t i = 0; i < n; i++)
		MPI_Irecv(&in[0], 1, MPI_INT, 0, (int)(i % 30000), self, &r[i]);
	uint64_t live = (uint64_t)registry_n_requests();
	EXPECT(live <= s->capacity);
	EXPECT(live > s->capacity / 2);
	EXPECT_IS(s->n_dropped - dropped, n - live);
	for (uint32_t i = 0; i < n; i++)
		MPI_Cancel(&r[i]);
	MPI_Waitall((int)n, r, statuses);
	EXPECT_NONE;
	/* and there is room again */
	MPI_Irecv(&in[0], 1, MPI_INT, 0, 5, self, &r[0]);
	expect_born(r[0], "MPI_Irecv", &in[0], 1, MPI_INT, 0, 5, self, TRK_REQ_ACTIVE);
	MPI_Cancel(&r[0]);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	free(statuses);
	free(r);
}

int main(int argc, char **argv)
{
	const char *level = argc > 1 ? argv[1] : "";
	int provided, wanted = strcmp(level, "single") == 0       ? MPI_THREAD_SINGLE
			       : strcmp(level, "serialized") == 0 ? MPI_THREAD_SERIALIZED
								  : MPI_THREAD_MULTIPLE;

	MPI_Init_thread(&argc, &argv, wanted, &provided);
	registry_open();
	EXPECT_IS(provided, wanted);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_dup(MPI_COMM_WORLD, &both);
	MPI_Comm_dup(MPI_COMM_SELF, &self);
	EXPECT_NONE;
	test_receive_and_send();
	test_wildcards();
	test_shared();
	test_completions();
	test_some();
	test_persistent();
	test_free_and_cancel();
	test_generalized();
	test_collectives();
	test_persistent_collectives();
	test_files_and_windows();
	if (provided >= MPI_THREAD_SERIALIZED)
		test_handed_over();
	if (provided >= MPI_THREAD_MULTIPLE)
		test_given();
	test_overflow();
	test_errors();
	int rc = registry_close();
	MPI_Barrier(MPI_COMM_WORLD);
	if (rc == 0)
		MPI_Finalize();
	_exit(rc);
}
