/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks whose threads wait for each other, made by hand: when that is certain, and when libraries work for them. */
#include "../../verdict/enders.h"
#include "../../verdict/locks.h"
#include "../../verdict/report.h"
#include "../../verdict/thread_errors.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

enum { N_THREADS = 4 };

/* Thread i has id 10 + i and waits for the lock of thread owners[i]; -1: for nothing that is known. */
static void make(struct vd_job *job, struct vd_rank *r, struct vd_thread threads[N_THREADS], const int *owners,
		 size_t n)
{
	*r = (struct vd_rank){ .state = VD_READ, .n_threads = n };
	*job = (struct vd_job){ .ranks = r, .n_ranks = 1, .threads = threads, .n_threads = n };
	for (size_t i = 0; i < n; i++) {
		threads[i] = (struct vd_thread){ .tid = 10 + (int64_t)i, .doing = VD_WAITS, .owner = 10 + owners[i] };
		if (owners[i] >= 0) {
			threads[i].waits_for = "the mutex io_lock";
			threads[i].holder = owners[i] == (int)i ? VD_HELD_SELF : VD_HELD_THREAD;
		}
	}
}

static const struct locked {
	int owners[N_THREADS];
	size_t n;
	bool locked;
} rows[] = {
	{ { 0 }, 1, true },          { { 1, 0 }, 2, true },   { { 1, 2, 0 }, 3, true },   { { 1, 2, 1 }, 3, true },
	{ { 1, 2, 3, 3 }, 4, true }, { { 1, -1 }, 2, false }, { { 1, 0, -1 }, 3, false }, /* one that is not known may
											     act */
	{ { 7 }, 1, false },                                                              /* its holder is not there */
	{ { 0 }, 0, false },
};

START_TEST(test_locked)
{
	const struct locked *l = &rows[_i];
	struct vd_thread threads[N_THREADS];
	struct vd_rank r;
	struct vd_job job;

	make(&job, &r, threads, l->owners, l->n);
	ck_assert_int_eq(vd_is_locked(&job, &r, true), l->locked);
	for (size_t i = 0; l->locked && i < l->n; i++) {
		struct vd_thread kept = threads[i];
		threads[i].n_runs = -1; /* seen at one moment */
		ck_assert(!vd_is_locked(&job, &r, true) && vd_is_locked(&job, &r, false));
		r.one_moment = true; /* a core */
		ck_assert(vd_is_locked(&job, &r, true));
		r.one_moment = false;
		threads[i].n_runs = 1;
		ck_assert(!vd_is_locked(&job, &r, false));
		threads[i] = kept;
		threads[i].foreign = true;
		ck_assert(!vd_is_locked(&job, &r, false));
		threads[i] = kept;
		threads[i].ends = true;
		ck_assert(!vd_is_locked(&job, &r, false));
		threads[i] = kept;
		threads[i].call = VD_CALL_ALL;
		ck_assert(!vd_is_locked(&job, &r, false));
		threads[i] = kept;
		threads[i].holder = VD_HELD_UNKNOWN;
		ck_assert(!vd_is_locked(&job, &r, false));
		threads[i] = kept;
	}
	r.state = VD_UNREAD;
	ck_assert(!vd_is_locked(&job, &r, false));
}
END_TEST

/* A thread of a library is no hindrance, unless it is in the cycle: only the holder releases a lock. */
START_TEST(test_helper)
{
	static const int owners[] = { 1, 0, -1 };
	struct vd_thread threads[N_THREADS];
	struct vd_rank r;
	struct vd_job job;

	make(&job, &r, threads, owners, 3);
	threads[2].helper = true;
	ck_assert(vd_is_locked(&job, &r, true));
}
END_TEST

static const struct worker {
	bool helper, progress, in_futex;
	uint8_t doing;
	int n_runs, permille;
	bool works;
} workers[] = {
	{ true, false, false, VD_RUNS, 3, 900, true }, { true, false, false, VD_RUNS, -1, 0, true },
	{ true, false, true, VD_WAITS, 0, 0, false },  /* it has nothing to do */
	{ true, false, false, VD_WAITS, 0, 0, true },  /* it reads a file, say */
	{ true, false, true, VD_WAITS, 5, 10, false }, /* it looks now and then */
	{ true, true, false, VD_RUNS, 3, 900, false }, { false, false, false, VD_RUNS, 3, 900, false },
};

START_TEST(test_worker)
{
	static const int owners[] = { -1, -1 };
	const struct worker *w = &workers[_i];
	struct vd_thread threads[N_THREADS];
	struct vd_rank r;
	struct vd_job job;

	make(&job, &r, threads, owners, 2);
	threads[1].helper = w->helper;
	threads[1].progress = w->progress;
	threads[1].in_futex = w->in_futex;
	threads[1].doing = w->doing;
	threads[1].n_runs = w->n_runs;
	threads[1].ran_permille = w->permille;
	ck_assert_int_eq(vd_has_worker(&job, &r), w->works);
	/* the first thread waits for another one of its rank: that may be the worker */
	threads[0].waits_for_own = true;
	ck_assert_int_eq(vd_may_act(&job, &r, &threads[0], false), w->works);
	threads[0].waits_for = "the mutex io_lock";
	threads[0].holder = VD_HELD_THREAD;
	threads[0].owner = 10;
	ck_assert(!vd_may_act(&job, &r, &threads[0], false));
	threads[0].foreign = true;
	ck_assert(vd_may_act(&job, &r, &threads[0], false));
}
END_TEST

/* Two threads in collectives of one communicator; two in MPI below MPI_THREAD_MULTIPLE. */
START_TEST(test_errors)
{
	static const int owners[] = { -1, -1, -1 };
	struct vd_comm comms[2] = { { .name = "MPI_COMM_WORLD" }, { .name = "ring" } };
	struct vd_thread threads[N_THREADS];
	struct vd_text t = { .n = 0 };
	struct vd_rank r;
	struct vd_job job;

	make(&job, &r, threads, owners, 3);
	job.comms = comms;
	job.n_comms = 2;
	r.multiple = true;
	for (int i = 0; i < 2; i++) {
		threads[i].function = i ? "MPI_Bcast" : "MPI_Barrier";
		threads[i].call = VD_CALL_COLLECTIVE;
		threads[i].ordinal = 7;
	}
	ck_assert(vd_append_thread_error(&t, &job));
	ck_assert_str_eq(t.bytes, "error of the program: threads 10 and 11 of rank 0 are both in collectives of "
				  "MPI_COMM_WORLD (MPI_Barrier, MPI_Bcast), which MPI does not allow");
	threads[1].comm = 1;
	t.n = 0;
	ck_assert(!vd_append_thread_error(&t, &job));
	threads[1].comm = VD_UNKNOWN;
	ck_assert(!vd_append_thread_error(&t, &job));
	r.multiple = false;
	ck_assert(vd_append_thread_error(&t, &job));
	ck_assert_str_eq(t.bytes, "error of the program: threads 10 and 11 of rank 0 are both in MPI (MPI_Barrier, "
				  "MPI_Bcast), which MPI allows only with MPI_THREAD_MULTIPLE, but its level is lower");
	threads[1].call = VD_CALL_NONE;
	threads[1].function = NULL;
	ck_assert(!vd_append_thread_error(&t, &job));
}
END_TEST

/* A wait for a child or pipe that only one process can end: none, another rank, or a process that is no rank. */
static const struct ended {
	int64_t by;
	bool here, tied;
} ended[] = { { 0, true, false }, { 4711, false, true }, { 4712, false, false } };

static void make_ended(struct vd_job *job, struct vd_rank r[2], struct vd_thread threads[N_THREADS], int64_t *by,
		       int64_t state)
{
	static const int owners[] = { -1, -1 };

	make(job, r, threads, owners, 2);
	r[0].pid = 10;
	r[1] = (struct vd_rank){ .rank = 1, .pid = 4711, .state = VD_READ };
	job->n_ranks = 2;
	job->enders = by;
	job->n_enders = 1;
	threads[1].helper = threads[1].in_futex = true;
	threads[0].waits_for = "its child to end";
	threads[0].foreign = threads[0].call_waits = threads[0].enders_known = true;
	threads[0].n_enders = *by != 0;
	threads[0].enders_state = state;
}

START_TEST(test_ended)
{
	const struct ended *e = &ended[_i];
	struct vd_thread threads[2][N_THREADS];
	struct vd_rank r[2][2];
	struct vd_job job[2];
	int64_t by = e->by;

	make_ended(&job[0], r[0], threads[0], &by, 5);
	make_ended(&job[1], r[1], threads[1], &by, 5);
	vd_compare_enders(&job[0], r[0], &job[1], r[1]);
	ck_assert_int_eq(vd_ends_here(&job[1], r[1], threads[1]), e->here);
	ck_assert_int_eq(vd_is_foreign(&job[1], r[1], threads[1]), !e->here);
	ck_assert_ptr_eq(vd_tied(&job[1], r[1]), e->tied ? threads[1] : NULL);
	for (int i = 0; i < 7; i++) {
		make_ended(&job[1], r[1], threads[1], &by, i == 0 ? 6 : 5); /* a process in between has run */
		threads[1][0].enders_known = i != 1;
		r[1][0].pid = i == 2 ? 11 : 10;
		threads[1][0].n_runs = i == 3;
		threads[1][0].ends = i == 4;
		threads[1][1].in_futex = i != 5; /* a thread of a library does something */
		r[1][0].one_moment = i == 6;
		vd_compare_enders(&job[0], r[0], &job[1], r[1]);
		ck_assert(vd_is_foreign(&job[1], r[1], threads[1]) && !vd_tied(&job[1], r[1]));
	}
}
END_TEST

/* What other users' processes have open may not be read: said once for all ranks, with other things unchanged. */
START_TEST(test_hidden)
{
	struct vd_thread threads[2] = { { .tid = 10, .hidden = _i }, { .tid = 11, .hidden = _i } };
	struct vd_rank ranks[2] = { { .pid = 10, .n_threads = 1, .state = VD_READ },
				    { .pid = 11, .rank = 1, .first_thread = 1, .n_threads = 1, .state = VD_READ } };
	struct vd_job job = { .ranks = ranks, .n_ranks = 2, .threads = threads, .n_threads = 2 };
	uint8_t classes[2] = { VD_FREE, VD_FREE };
	struct vd_verdict v = { .result = VD_NO_DEADLOCK, .comm = VD_UNKNOWN, .classes = classes };
	struct vd_text t = { .n = 0 };
	int n = 0;

	for (int which = 0; which < VD_REMARKS; which++) {
		struct vd_text one = { .n = 0 };
		if (!vd_remark(&one, &job, &v, which))
			continue;
		n++;
		vd_append(&t, "%s", one.bytes);
	}
	ck_assert_int_eq(n, _i);
	ck_assert_str_eq(t.bytes,
			 _i ? "other processes may have the other end of a pipe or socket of ranks [0-1], too: "
			      "descriptors of other users may not be read"
			    : "");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("locks");
	TCase *tc = tcase_create("threads");

	tcase_add_loop_test(tc, test_locked, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_test(tc, test_errors);
	tcase_add_loop_test(tc, test_hidden, 0, 2);
	tcase_add_loop_test(tc, test_ended, 0, (int)(sizeof(ended) / sizeof(ended[0])));
	tcase_add_test(tc, test_helper);
	tcase_add_loop_test(tc, test_worker, 0, (int)(sizeof(workers) / sizeof(workers[0])));
	suite_add_tcase(s, tc);
	return suite_run(s);
}
