/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Intercomm_create of two groups: ranks 0 and 2 with leader 0, ranks 1 and 3 with leader 1. */
#include "../../verdict/leaders.h"
#include "../../verdict/report.h"
#include "../../verdict/words.h"
#include "../support/made_job.h"
#include "../support/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct vd_job job;
static struct vd_verdict verdict;

static int32_t half(int first)
{
	struct vd_comm *c = vd_add_comm(&job);

	c->name = first ? "odd" : "even";
	c->n = c->n_local = 2;
	c->members = malloc(2 * sizeof(*c->members));
	c->members[0] = first;
	c->members[1] = first + 2;
	return (int32_t)job.n_comms - 1;
}

/* Ranks that are in @p missing are in another function. */
static void make(unsigned missing, const char *other)
{
	made_job_begin(&job, 4);
	int32_t halves[2] = { half(0), half(1) };
	for (int r = 0; r < 4; r++) {
		made_job_add_rank(&job, missing & 1U << r ? other : "MPI_Intercomm_create");
		struct vd_thread *t = &job.threads[r];
		if (missing & 1U << r)
			continue;
		t->comm = halves[r % 2];
		t->root = r % 2;
		if (r > 1)
			continue;
		t->peers = 0;
		t->leader = 1 - r;
		t->tag = 99;
	}
}

static void ck_contains(const char *words)
{
	struct vd_text text = { 0 };

	vd_conclusion(&text, &job, &verdict);
	ck_assert_msg(strstr(text.bytes, words), "%s", text.bytes);
}

START_TEST(test_all_have_come)
{
	make(0, NULL);
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_NO_DEADLOCK);
	made_job_end(&job, &verdict);
}
END_TEST

/* Whoever does not come is missing for both groups: a member as well as a leader. */
START_TEST(test_missing)
{
	make(1U << _i, NULL);
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_MISSING_RANK);
	ck_assert_uint_eq(verdict.n_suspects, 1);
	ck_assert_int_eq(verdict.suspects[0], _i);
	ck_assert_uint_eq(verdict.n_waiting, 3);
	made_job_end(&job, &verdict);
}
END_TEST

/* The leader of the odd ranks waits for a message of rank 2, which waits for the odd ranks in MPI_Intercomm_create. */
START_TEST(test_cycle)
{
	make(1 << 1, "MPI_Recv");
	struct vd_rank *r = &job.ranks[1];
	size_t n_ranks = job.n_ranks, n_threads = job.n_threads;
	r->first_op = job.n_ops;
	job.n_ranks = 2; /* operations are added to the last rank and thread */
	job.n_threads = 2;
	job.threads[1].first_await = job.n_awaits;
	made_job_add_wait(&job, VD_RECEIVE, 2, 5);
	job.n_ranks = n_ranks;
	job.n_threads = n_threads;
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_DEADLOCK);
	ck_assert_uint_eq(verdict.n_dead, 4);
	made_job_end(&job, &verdict);
}
END_TEST

START_TEST(test_tags)
{
	make(0, NULL);
	job.threads[1].tag = 98;
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_MISMATCH);
	ck_assert_int_eq(verdict.field, VD_FIELD_TAG);
	ck_contains("on even with tag 99, rank 1 in MPI_Intercomm_create with tag 98: the tag differs");
	made_job_end(&job, &verdict);
}
END_TEST

/* The leader names the wrong rank: a member of the other group, or of its own. */
START_TEST(test_named)
{
	make(0, NULL);
	job.threads[0].leader = _i;
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_MISMATCH);
	ck_assert_int_eq(verdict.field, VD_FIELD_LEADER);
	ck_contains("the remote leader differs");
	made_job_end(&job, &verdict);
}
END_TEST

/* An argument that is not known is no reason for a conclusion. */
START_TEST(test_not_known)
{
	make(0, NULL);
	job.threads[0].leader = VD_UNKNOWN;
	job.threads[1].tag = 98;
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_NO_DEADLOCK);
	made_job_end(&job, &verdict);
	make(1 << 3, "MPI_Recv"); /* of which nothing is known */
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_NO_DEADLOCK);
	made_job_end(&job, &verdict);
}
END_TEST

/* The messages of the leaders have the program's tag, but are none that a receive of the program could have meant. */
START_TEST(test_messages)
{
	for (int marked = 0; marked < 2; marked++) {
		make(1 << 1, "MPI_Recv");
		job.ranks[1].first_op = job.n_ops;
		job.n_ranks = job.n_threads = 2;
		job.threads[1].first_await = job.n_awaits;
		made_job_add_op(&job, VD_MESSAGE, 0, 99);
		made_job_add_wait(&job, VD_RECEIVE, 0, 5);
		job.n_ranks = job.n_threads = 4;
		if (marked)
			vd_mark_leaders(&job);
		ck_assert_int_eq(made_job_judge(&job, &verdict), marked ? VD_DEADLOCK : VD_MISMATCH);
		made_job_end(&job, &verdict);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("leaders");
	TCase *tcase = tcase_create("leaders");

	tcase_add_test(tcase, test_all_have_come);
	tcase_add_loop_test(tcase, test_missing, 0, 4);
	tcase_add_test(tcase, test_cycle);
	tcase_add_test(tcase, test_tags);
	tcase_add_loop_test(tcase, test_named, 2, 4);
	tcase_add_test(tcase, test_not_known);
	tcase_add_test(tcase, test_messages);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
