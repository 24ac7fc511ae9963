/* SPDX-License-Identifier: BSD-3-Clause */
/* The analysis of made-up jobs whose ranks wait at windows. */
#include "../../verdict/report.h"
#include "../../verdict/verdict.h"
#include "../../verdict/words.h"
#include "../support/made_job.h"
#include "../support/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct vd_job job;
static struct vd_verdict verdict;

static void begin(int n)
{
	made_job_begin(&job, n);
}

static void add_rank(const char *function)
{
	made_job_add_rank(&job, function);
}

static void add_wait(enum vd_op_kind kind, int peer, int64_t tag)
{
	made_job_add_wait(&job, kind, peer, tag);
}

/* A window of all ranks, with what its members have begun. */
static int add_window(const char *name)
{
	struct vd_comm *c = vd_add_comm(&job);
	ck_assert_ptr_nonnull(c);
	c->name = name;
	c->n = c->n_local = job.comms[0].n;
	c->kind = VD_WINDOW;
	return (int)job.n_comms - 1;
}

static void add_window_call(const char *function, int window, int target)
{
	add_rank(function);
	job.threads[job.n_threads - 1].comm = window;
	job.threads[job.n_threads - 1].target = target;
}

static void add_begun(int window, enum vd_epoch_kind kind, int peer)
{
	struct vd_epoch *e = vd_add_epoch(&job);
	ck_assert_ptr_nonnull(e);
	e->comm = window;
	e->kind = (uint8_t)kind;
	e->peer = peer;
}

/* Each holds the lock for which the other waits. The report also names the target, rank 0. */
START_TEST(test_locks)
{
	for (int kind = VD_LOCKED_SHARED; kind <= VD_LOCKED_EXCLUSIVE; kind++) {
		for (uint8_t lock = 0; lock < 3; lock++) { /* not known, shared, exclusive */
			begin(2);
			int a = add_window("window a"), b = add_window("window b");
			add_window_call("MPI_Win_lock", a, 0);
			job.threads[0].lock = lock;
			add_begun(b, (enum vd_epoch_kind)kind, 0);
			add_window_call("MPI_Win_lock", b, 0);
			job.threads[1].lock = lock;
			add_begun(a, (enum vd_epoch_kind)kind, 0);
			/* a shared lock excludes no other shared one */
			ck_assert_int_eq(made_job_judge(&job, &verdict),
					 kind == VD_LOCKED_EXCLUSIVE || lock == 2 ? VD_DEADLOCK : VD_NO_DEADLOCK);
			made_job_end(&job, &verdict);
		}
	}
}
END_TEST

/* Two targets of one window; a rank in a flush may hold the lock or wait for it. */
START_TEST(test_lock_order)
{
	for (int flushes = 0; flushes < 2; flushes++) {
		begin(3);
		int a = add_window("window a");
		add_window_call("MPI_Win_lock", a, 1);
		add_begun(a, VD_LOCKED_EXCLUSIVE, 2);
		add_window_call(flushes ? "MPI_Win_flush" : "MPI_Win_lock", a, flushes ? 1 : 2);
		add_begun(a, VD_LOCKED_EXCLUSIVE, 1);
		add_window_call("MPI_Win_lock_all", a, VD_ANY);
		ck_assert_int_eq(made_job_judge(&job, &verdict), flushes ? VD_NO_DEADLOCK : VD_DEADLOCK);
		ck_assert_uint_eq(verdict.n_dead, flushes ? 0 : 3);
		ck_assert_uint_eq(verdict.n_cycle, flushes ? 0 : 2);
		made_job_end(&job, &verdict);
	}
}
END_TEST

/* The last rank has accessed its target and flushed it: MPI has granted the lock. */
static void add_held(int window, enum vd_epoch_kind kind, int peer, int held)
{
	add_begun(window, kind, peer);
	job.epochs[job.n_epochs - 1].held = held;
}

/*
 * MPI may grant a lock at the first access: rank 1, in a flush, may hold it or wait for it. Rank 0, which waits for
 * rank 1, has requested it, too. Only if MPI has granted it to rank 0 for certain, there is a deadlock.
 */
START_TEST(test_lock_granted_late)
{
	static const struct {
		enum vd_epoch_kind kind;
		int peer, held; /* of rank 0 */
		bool dead, known;
	} rows[] = { { VD_LOCKED_EXCLUSIVE, 0, 0, true, true },
		     { VD_LOCKED_EXCLUSIVE, 0, VD_UNKNOWN, false, false },
		     { VD_LOCKED_SHARED, 0, 0, true, true },
		     { VD_LOCKED_SHARED, 0, VD_UNKNOWN, false, false },
		     { VD_LOCKED_SHARED, VD_ANY, 0, true, true },
		     { VD_LOCKED_SHARED, VD_ANY, 1, false, false },
		     { VD_LOCKED_SHARED, VD_ANY, VD_UNKNOWN, false, false },
		     { VD_LOCKED_EXCLUSIVE, 1, 1, false, true } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct vd_text text = { 0 }, remark = { 0 };
		begin(2);
		int a = add_window("window a");
		job.n_with_objects = 2;
		add_rank("MPI_Recv");
		add_wait(VD_RECEIVE, 1, 5);
		add_held(a, rows[i].kind, rows[i].peer, rows[i].held);
		add_window_call("MPI_Win_flush", a, 0);
		add_begun(a, VD_LOCKED_EXCLUSIVE, 0);
		ck_assert_msg((made_job_judge(&job, &verdict) == VD_DEADLOCK) == rows[i].dead, "row %zu", i);
		vd_conclusion(&text, &job, &verdict);
		vd_remark(&remark, &job, &verdict, 2);
		if (rows[i].known)
			ck_assert_msg(remark.n == 0, "row %zu: %s", i, remark.bytes);
		else
			ck_assert_msg(!strcmp(text.bytes, "no deadlock is known: rank 1 waits for something unknown") &&
					      !strcmp(remark.bytes,
						      "it is unknown what rank 1 waits for: it counts as able to go on "
						      "(which of the "
						      "ranks that have requested a lock holds it is unavailable)"),
				      "row %zu: %s\n%s", i, text.bytes, remark.bytes);
		made_job_end(&job, &verdict);
	}
}
END_TEST

/* Of several requested locks at least one is held, but not
 * each: rank 2 waits for rank 0 or 1, of which rank 1 computes. */
START_TEST(test_lock_candidates)
{
	for (int held = 0; held < 2; held++) {
		begin(3);
		int a = add_window("window a");
		add_rank("MPI_Recv");
		add_wait(VD_RECEIVE, 2, 5);
		add_held(a, VD_LOCKED_EXCLUSIVE, 1, held ? 1 : VD_UNKNOWN);
		add_rank(NULL);
		add_begun(a, VD_LOCKED_EXCLUSIVE, 1);
		add_window_call("MPI_Win_lock", a, 1);
		job.threads[job.n_threads - 1].lock = 2;
		made_job_judge(&job, &verdict);
		ck_assert_uint_eq(verdict.n_dead, held ? 2 : 0);
		made_job_end(&job, &verdict);
	}
}
END_TEST

/* A target that waits in MPI makes progress; one that sleeps is reported as missing. */
START_TEST(test_target)
{
	for (int sleeps = 0; sleeps < 2; sleeps++) {
		begin(2);
		int a = add_window("window a");
		add_window_call("MPI_Win_unlock", a, 1);
		add_begun(a, VD_LOCKED_EXCLUSIVE, 1);
		add_rank(sleeps ? NULL : "MPI_Recv");
		if (!sleeps)
			add_wait(VD_RECEIVE, 0, 5);
		ck_assert_int_eq(made_job_judge(&job, &verdict), sleeps ? VD_MISSING_RANK : VD_NO_DEADLOCK);
		ck_assert_uint_eq(verdict.n_suspects, sleeps ? 1 : 0);
		made_job_end(&job, &verdict);
	}
}
END_TEST

/* Start, post, complete, wait: the posts or the completions that are not there. */
START_TEST(test_active_target)
{
	static const struct {
		const char *origin, *target;
		bool started, posted, dead;
	} rows[] = { { "MPI_Win_start", NULL, false, false, true },
		     { "MPI_Win_start", NULL, false, true, false },
		     { "MPI_Win_complete", NULL, true, false, true },
		     { "MPI_Win_complete", NULL, true, true, false },
		     { NULL, "MPI_Win_wait", false, true, true },
		     { NULL, "MPI_Win_wait", true, true, true },
		     { "MPI_Win_complete", "MPI_Win_wait", true, true, false } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin(2);
		int a = add_window("window a");
		if (rows[i].origin) {
			add_window_call(rows[i].origin, a, VD_UNKNOWN);
		} else {
			add_rank("MPI_Recv");
			add_wait(VD_RECEIVE, 1, 5);
		}
		if (rows[i].started)
			add_begun(a, VD_STARTED, 1);
		if (rows[i].target) {
			add_window_call(rows[i].target, a, VD_UNKNOWN);
		} else {
			add_rank("MPI_Recv");
			add_wait(VD_RECEIVE, 0, 5);
		}
		if (rows[i].posted)
			add_begun(a, VD_POSTED, 0);
		ck_assert_msg((made_job_judge(&job, &verdict) == VD_DEADLOCK) == rows[i].dead, "row %zu", i);
		made_job_end(&job, &verdict);
	}
}
END_TEST

/* MPI_Win_start waits for all of its group, and for no other member of the window. */
START_TEST(test_start_group)
{
	for (int32_t n = 0; n < 3; n++) {
		for (int posted = 0; posted < 2; posted++) {
			begin(3);
			int a = add_window("window a");
			add_window_call("MPI_Win_start", a, VD_UNKNOWN);
			struct vd_thread *t = &job.threads[0];
			t->n_targets = n;
			t->targets = n ? calloc((size_t)n, sizeof(*t->targets)) : NULL;
			ck_assert(t->targets || !n);
			for (int32_t i = 0; i < n; i++)
				t->targets[i] = 2 - i;
			add_rank(NULL);
			if (posted && n == 2)
				add_begun(a, VD_POSTED, 0);
			add_rank("MPI_Recv");
			add_wait(VD_RECEIVE, 0, 5);
			if (posted && n == 1)
				add_begun(a, VD_POSTED, 0);
			/* 0: the group is unknown: rank 1 may be in it, or not; 2: it needs rank 1, too */
			enum vd_result expected = n == 0 || (n == 1 && posted) ? VD_NO_DEADLOCK : VD_DEADLOCK;
			struct vd_text text = { 0 };
			ck_assert_msg(made_job_judge(&job, &verdict) == expected, "%d targets, posted %d: %s", n,
				      posted, vd_result_text(&verdict));
			ck_assert_uint_eq(verdict.n_dead, expected == VD_DEADLOCK ? 2 : 0);
			vd_conclusion(&text, &job, &verdict);
			ck_assert_int_eq(strncmp(text.bytes, "no deadlock is known: ", 22) == 0, n == 0);
			made_job_end(&job, &verdict);
		}
	}
}
END_TEST

/* No window facts are recorded: the report says how to get them. */
START_TEST(test_window_not_recorded)
{
	for (int recorded = 0; recorded < 2; recorded++) {
		struct vd_text text = { 0 };
		begin(2);
		add_window_call("MPI_Win_lock", VD_UNKNOWN, VD_UNKNOWN);
		add_window_call("MPI_Win_lock", VD_UNKNOWN, VD_UNKNOWN);
		job.n_with_objects = (size_t)recorded;
		ck_assert_int_eq(made_job_judge(&job, &verdict), VD_NO_DEADLOCK);
		ck_assert(vd_remark(&text, &job, &verdict, 2));
		ck_assert_msg(
			strstr(text.bytes, "it is unknown what ranks [0-1] wait for: they count as able to go on") ==
				text.bytes,
			"%s", text.bytes);
		ck_assert_int_eq(strstr(text.bytes, "mpi2dd-run") != NULL, !recorded);
		made_job_end(&job, &verdict);
	}
}
END_TEST

/* Of two windows it is not known which is which: nothing is concluded. */
START_TEST(test_window_unknown)
{
	begin(2);
	int a = add_window("window"), b = add_window("window");
	job.comms[b].first_alike = a;
	job.comms[a].is_mixed_up = true;
	add_rank("MPI_Win_fence");
	job.threads[0].comm = b;
	add_rank("MPI_Recv");
	add_wait(VD_RECEIVE, 0, 5);
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_NO_DEADLOCK);
	ck_assert_uint_eq(verdict.n_unknown, 1);
	made_job_end(&job, &verdict);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("windows");
	TCase *t = tcase_create("made-up jobs");

	tcase_add_test(t, test_locks);
	tcase_add_test(t, test_lock_order);
	tcase_add_test(t, test_lock_granted_late);
	tcase_add_test(t, test_lock_candidates);
	tcase_add_test(t, test_target);
	tcase_add_test(t, test_active_target);
	tcase_add_test(t, test_start_group);
	tcase_add_test(t, test_window_not_recorded);
	tcase_add_test(t, test_window_unknown);
	suite_add_tcase(s, t);
	return suite_run(s);
}
