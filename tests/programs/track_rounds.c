/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: track_rounds, on 2 ranks, with the in-target library
 * Arrays of requests that are completed at once, when they are all that the program has and when they are not.
 */
#include "registry.h"

#include "handled.h"

#include <signal.h>
#include <sys/mman.h>

enum { MANY = 100 };

static MPI_Comm self, both;
static int in[MANY], out[MANY];
static MPI_Status statuses[2 * MANY];

/* Messages with oneself: 2 * n live requests, receives first, tags from `tag` on. */
static void post(MPI_Request r[], int n, int tag)
{
	for (int i = 0; i < n; i++)
		MPI_Irecv(&in[i], 1, MPI_INT, 0, tag + i, self, &r[i]);
	for (int i = 0; i < n; i++)
		MPI_Isend(&out[i], 1, MPI_INT, 0, tag + i, self, &r[n + i]);
}

static bool is(MPI_Request request, enum trk_state state, int tag)
{
	const struct trk_request *q;
	int n = registry_requests(BITS(request), state, 0, &q);

	for (int i = 0; i < n; i++) {
		registry_requests(BITS(request), state, i, &q);
		if (q->tag == tag)
			return true;
	}
	return false;
}

/* Batches of requests, repeated: live in between, freed afterwards,
 * and each record remains until its handle value is reused. */
static void test_all(void)
{
	MPI_Request r[2 * MANY], was[2 * MANY];

	for (int turn = 0; turn < 300; turn++) {
		int n = turn == 0 ? MANY : 4 + turn % 20;
		post(r, n, 1000);
		memcpy(was, r, sizeof was);
		EXPECT_IS(registry_n_requests(), 2 * n);
		for (int i = 0; i < n; i++)
			EXPECT(is(r[i], TRK_LIVE, 1000 + i));
		if (turn % 3) {
			MPI_Waitall(2 * n, r, statuses);
		} else {
			int flag;
			do {
				MPI_Testall(2 * n, r, &flag, statuses);
				EXPECT_IS(registry_n_requests(), flag ? 0 : 2 * n);
			} while (!flag);
		}
		EXPECT_IS(registry_n_requests(), 0);
		for (int i = 0; i < n; i++)
			EXPECT(is(was[i], TRK_FREED, 1000 + i) && !is(was[i], TRK_LIVE, 1000 + i));
	}
}

/* A completed request is known until its handle value is reused, or until enough others were created. */
static void test_known(void)
{
	static const int sizes[] = { 4, 30, 90, 150, 300, 700, 20 };

	for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
		int n = sizes[k];
		int *numbers = calloc((size_t)n, 2 * sizeof(int));
		MPI_Request *r = calloc((size_t)n, 4 * sizeof(MPI_Request)), *was = r + 2 * n;
		MPI_Status *ended = calloc((size_t)n, 2 * sizeof(MPI_Status));
		for (int turn = 0; turn < 8; turn++) {
			for (int i = 0; i < n; i++)
				MPI_Irecv(&numbers[i], 1, MPI_INT, 0, 2000 + turn, self, &r[i]);
			for (int i = 0; i < n; i++)
				MPI_Isend(&numbers[n + i], 1, MPI_INT, 0, 2000 + turn, self, &r[n + i]);
			EXPECT_IS(registry_n_requests(), 2 * n);
			/* the first turns of each size find out how many there are */
			for (int i = 0; turn > 3 && i < 2 * n; i += 1 + n / 20)
				EXPECT(is(was[i], TRK_FREED, 2000 + turn - 1) || is(was[i], TRK_LIVE, 2000 + turn));
			memcpy(was, r, sizeof(MPI_Request) * 2 * (size_t)n);
			MPI_Waitall(2 * n, r, ended);
			EXPECT_IS(registry_n_requests(), 0);
		}
		free(numbers);
		free(r);
		free(ended);
	}
	EXPECT_IS(registry_slab(TRK_REQUEST)->n_dropped, 0);
}

/* A part of them, in any order, with null requests: the others stay. Then these. */
static void test_part(void)
{
	MPI_Request r[40], half[20];

	for (int turn = 0; turn < 20; turn++) {
		post(r, 20, 0);
		for (int i = 0; i < 20; i++)
			half[i] = r[turn % 2 ? 39 - 2 * i : i];
		for (int i = 0; i < 20; i++)
			r[turn % 2 ? 39 - 2 * i : i] = MPI_REQUEST_NULL;
		MPI_Waitall(20, half, statuses);
		EXPECT_IS(registry_n_requests(), 20);
		MPI_Waitall(40, r, statuses);
		EXPECT_IS(registry_n_requests(), 0);
		/* none at all */
		MPI_Waitall(40, r, statuses);
		MPI_Waitall(0, r, statuses);
		EXPECT_IS(registry_n_requests(), 0);
	}
}

/* All but a few are completed one by one. */
static void test_some(void)
{
	MPI_Request r[40];
	int index, n, indices[40], flag;

	for (int turn = 0; turn < 20; turn++) {
		post(r, 20, 0);
		MPI_Wait(&r[3], &statuses[0]);
		do
			MPI_Test(&r[22], &flag, &statuses[0]);
		while (!flag);
		EXPECT_IS(registry_n_requests(), 38);
		MPI_Waitany(40, r, &index, &statuses[0]);
		EXPECT_IS(registry_n_requests(), 37);
		if (turn % 2) {
			MPI_Request_free(&r[index == 39 ? 38 : 39]);
			EXPECT_IS(registry_n_requests(), 36);
		}
		MPI_Waitsome(2, r, &n, indices, statuses);
		int left = registry_n_requests();
		/* the remaining ones, without null handles */
		n = 0;
		for (int i = 0; i < 40; i++)
			if (r[i] != MPI_REQUEST_NULL)
				r[n++] = r[i];
		EXPECT_IS(left, n);
		MPI_Waitall(n, r, statuses);
		EXPECT_IS(registry_n_requests(), 0);
	}
}

/* Among persistent ones, in place of them, and with as many of them as of messages. */
static void test_persistent(void)
{
	MPI_Request r[8], mine[8], mixed[16];

	for (int i = 0; i < 4; i++) {
		MPI_Recv_init(&in[i], 1, MPI_INT, 0, 100 + i, self, &mine[i]);
		MPI_Send_init(&out[i], 1, MPI_INT, 0, 100 + i, self, &mine[4 + i]);
	}
	for (int turn = 0; turn < 20; turn++) {
		post(r, 4, 0);
		MPI_Startall(8, mine);
		EXPECT_IS(registry_n_requests(), 16);
		for (int i = 0; i < 8; i++) {
			mixed[2 * i] = r[i];
			mixed[2 * i + 1] = mine[i];
		}
		switch (turn % 3) {
		case 0: /* the messages, then the others */
			MPI_Waitall(8, r, statuses);
			EXPECT_IS(registry_n_requests(), 8);
			MPI_Waitall(8, mine, statuses);
			break;
		case 1: /* the other way round */
			MPI_Waitall(8, mine, statuses);
			EXPECT_IS(registry_n_requests(), 16);
			MPI_Waitall(8, r, statuses);
			break;
		default:
			MPI_Waitall(16, mixed, statuses);
		}
		EXPECT_IS(registry_n_requests(), 8);
		for (int i = 0; i < 8; i++) {
			const struct trk_request *q = registry_request(mine[i]);
			EXPECT(q && q->flags == TRK_REQ_PERSISTENT);
		}
	}
	for (int i = 0; i < 8; i++)
		MPI_Request_free(&mine[i]);
	EXPECT_IS(registry_n_requests(), 0);
}

/* Cancelled ones, and generalized ones and collectives beside messages. */
static int query(void *state, MPI_Status *status)
{
	(void)state;
	MPI_Status_set_elements(status, MPI_BYTE, 0);
	MPI_Status_set_cancelled(status, 0);
	return MPI_SUCCESS;
}

static int nothing(void *state)
{
	(void)state;
	return MPI_SUCCESS;
}

static int no_cancel(void *state, int complete)
{
	(void)state, (void)complete;
	return MPI_SUCCESS;
}

static void test_others(void)
{
	MPI_Request r[11];

	for (int turn = 0; turn < 20; turn++) {
		post(r, 4, 0);
		MPI_Irecv(&in[5], 1, MPI_INT, 0, 77, self, &r[8]);
		MPI_Cancel(&r[8]);
		if (turn % 2)
			MPI_Wait(&r[8], &statuses[0]);
		MPI_Waitall(turn % 2 ? 8 : 9, r, statuses);
		EXPECT_IS(registry_n_requests(), 0);
		post(r, 4, 0);
		MPI_Ibarrier(self, &r[8]);
		MPI_Grequest_start(query, nothing, no_cancel, NULL, &r[9]);
		MPI_Irecv(&in[6], 1, MPI_INT, MPI_PROC_NULL, 1, self, &r[10]);
		EXPECT_IS(registry_n_requests(), 11);
		MPI_Waitall(8, r, statuses);
		EXPECT_IS(registry_n_requests(), 3);
		MPI_Grequest_complete(r[9]);
		MPI_Waitall(3, r + 8, statuses);
		EXPECT_IS(registry_n_requests(), 0);
	}
}

/* A long-lived request, posted before and among requests that are completed together. */
static void test_long(void)
{
	MPI_Request r[16], staying;

	for (int turn = 0; turn < 200; turn++) {
		int n_live = turn > 20 && turn < 180;
		if (turn == 21)
			MPI_Irecv(&in[MANY - 1], 1, MPI_INT, 0, 4321, self, &staying);
		post(r, 8, 3000 + turn);
		EXPECT_IS(registry_n_requests(), 16 + n_live);
		MPI_Waitall(16, r, statuses);
		EXPECT_IS(registry_n_requests(), n_live);
		EXPECT(!n_live || is(staying, TRK_LIVE, 4321));
		if (turn == 179) {
			MPI_Send(out, 1, MPI_INT, 0, 4321, self);
			MPI_Wait(&staying, &statuses[0]);
			EXPECT_IS(registry_n_requests(), 0);
		}
	}
}

/* One request of the array fails: incomplete ones are still live, and requests posted by the error handler do not
 * belong to the array. */
static MPI_Request posted;
static bool handler_posts;

static void handler(MPI_Comm *comm, int *code, ...)
{
	(void)comm, (void)code;
	if (handler_posts)
		MPI_Irecv(&in[MANY - 1], 1, MPI_INT, 0, 999, self, &posted);
}

static void test_error(void)
{
	enum { N = 8 };
	MPI_Errhandler errhandler;
	MPI_Request r[N];
	int rank, n_posted = 0;

	MPI_Comm_rank(both, &rank);
	MPI_Comm_create_errhandler(handler, &errhandler);
	MPI_Comm_set_errhandler(both, errhandler);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, errhandler);
	for (int turn = 0; turn < 20; turn++) {
		handler_posts = turn > 5 && turn % 2;
		posted = MPI_REQUEST_NULL;
		for (int i = 0; i < N; i++)
			MPI_Irecv(&in[i], 1, MPI_INT, !rank, i, both, &r[i]);
		EXPECT_IS(registry_n_requests(), N);
		MPI_Barrier(both);
		/* one is too long */
		for (int i = 0; i < N; i++)
			MPI_Send(out, i == 3 ? 2 : 1, MPI_INT, !rank, i, both);
		int rc = MPI_Waitall(N, r, turn % 3 ? statuses : MPI_STATUSES_IGNORE), n_left = 0;
		EXPECT(rc != MPI_SUCCESS || WAITALL_MAY_HIDE_ERROR);
		handler_posts = false;
		for (int i = 0; i < N; i++) {
			n_left += r[i] != MPI_REQUEST_NULL;
			EXPECT(r[i] == MPI_REQUEST_NULL || is(r[i], TRK_LIVE, i));
		}
		EXPECT_IS(registry_n_requests(), n_left + (posted != MPI_REQUEST_NULL));
		for (int i = 0; i < N; i++)
			MPI_Wait(&r[i], &statuses[0]);
		if (posted != MPI_REQUEST_NULL) {
			n_posted++;
			EXPECT(is(posted, TRK_LIVE, 999));
			MPI_Send(out, 1, MPI_INT, 0, 999, self);
			MPI_Wait(&posted, &statuses[0]);
		}
		EXPECT_IS(registry_n_requests(), 0);
	}
	EXPECT(n_posted > 0);
	MPI_Errhandler_free(&errhandler);
}

/* The arguments of a call that makes a request, while the MPI library reads a message that cannot be read yet. */
static char *unreadable;
static int n_inside, tag_inside;

static void inside(int number, siginfo_t *info, void *context)
{
	(void)number, (void)context;
	const struct trk_thread *t = registry_own_thread();
	const struct trk_frame *f = &t->frames[0];
	if ((char *)info->si_addr < unreadable || (char *)info->si_addr >= unreadable + 4096)
		_exit(9);
	mprotect(unreadable, 4096, PROT_READ | PROT_WRITE);
	n_inside++;
	EXPECT_IS(f->depth, 1);
	EXPECT(strcmp(registry_call(f->call), "MPI_Isend") == 0);
	EXPECT_IS(f->has & TRK_HAS_MESSAGE, TRK_HAS_MESSAGE);
	EXPECT_IS(f->comm, BITS(self));
	EXPECT_IS(f->datatype, BITS(MPI_INT));
	EXPECT_IS(f->buffer, (uintptr_t)unreadable);
	EXPECT_IS(f->count, 10);
	EXPECT_IS(f->peer, 0);
	EXPECT_IS(f->tag, tag_inside);
	EXPECT(f->caller != 0);
}

static void test_arguments(void)
{
	struct sigaction action = { .sa_sigaction = inside, .sa_flags = SA_SIGINFO };
	MPI_Request r[2], wide[16];

	unreadable = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaction(SIGSEGV, &action, NULL);
	for (tag_inside = 0; tag_inside < 40; tag_inside++) {
		if (tag_inside % 10 == 5)
			post(wide, 8, 500);
		MPI_Irecv(in, 10, MPI_INT, 0, tag_inside, self, &r[0]);
		mprotect(unreadable, 4096, PROT_NONE);
		MPI_Isend(unreadable, 10, MPI_INT, 0, tag_inside, self, &r[1]);
		mprotect(unreadable, 4096, PROT_READ | PROT_WRITE);
		EXPECT(is(r[0], TRK_LIVE, tag_inside));
		EXPECT(is(r[1], TRK_LIVE, tag_inside));
		MPI_Waitall(2, r, statuses);
		if (tag_inside % 10 == 5)
			MPI_Waitall(16, wide, statuses);
		EXPECT_IS(registry_n_requests(), 0);
	}
	EXPECT_IS(n_inside, 40);
	signal(SIGSEGV, SIG_DFL);
	munmap(unreadable, 4096);
}

int main(int argc, char **argv)
{
	/* not MPI_THREAD_SERIALIZED: there an MPI_Waitall that
	 * failed did not end in Open MPI 4.1.4, with ThreadSanitizer */
	MPI_Init(&argc, &argv);
	registry_open();
	MPI_Comm_dup(MPI_COMM_SELF, &self);
	MPI_Comm_dup(MPI_COMM_WORLD, &both);
	test_all();
	test_part();
	test_some();
	test_persistent();
	test_others();
	/* and after all that, still */
	test_all();
	test_long();
	test_error();
	test_arguments();
	test_known();
	int rc = registry_close();
	MPI_Barrier(MPI_COMM_WORLD);
	if (rc == 0)
		MPI_Finalize();
	_exit(rc);
}
