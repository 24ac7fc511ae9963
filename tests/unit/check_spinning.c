/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that poll while all others wait. */
#include "../../verdict/report.h"
#include "../support/made_job.h"
#include "../support/suite.h"

#include <check.h>
#include <string.h>

static struct vd_job job;
static struct vd_verdict verdict;

/* Rank 0 polls, rank 1 waits for it, rank 2 for rank 1. */
static void begin(const char *polls)
{
	made_job_begin(&job, 3);
	made_job_add_rank(&job, polls);
	for (int i = 1; i < 3; i++) {
		made_job_add_rank(&job, "MPI_Recv");
		made_job_add_wait(&job, VD_RECEIVE, i - 1, 5);
	}
}

static void ends(enum vd_result result, const char *conclusion)
{
	struct vd_text text = { .n = 0 };

	ck_assert_int_eq(made_job_judge(&job, &verdict), result);
	ck_assert(!verdict.stands_still);
	ck_assert_uint_eq(verdict.n_dead, 0);
	vd_conclusion(&text, &job, &verdict);
	ck_assert_str_eq(text.bytes, conclusion);
	made_job_end(&job, &verdict);
}

START_TEST(test_one)
{
	begin("MPI_Iprobe");
	ends(VD_SPINS,
	     "spinning: rank 0 polls (MPI_Iprobe), and all others wait: nothing is sent unless it leaves its loop");
	made_job_begin(&job, 2);
	made_job_add_rank(&job, "MPI_Test");
	made_job_add_rank(&job, "MPI_Testsome");
	ends(VD_SPINS, "spinning: ranks [0-1] poll (MPI_Test): nothing is sent unless one of them leaves its loop");
}
END_TEST

/* A rank that does something else may send: one that computes, has made progress, was not read, or is stopped. */
START_TEST(test_others)
{
	static const char polls[] = "no deadlock: rank 0 polls, and may make progress";

	begin("MPI_Test");
	made_job_add_rank(&job, NULL);
	job.comms[0].n = 4;
	ends(VD_NO_DEADLOCK, "no deadlock: rank 0 polls, and may make progress; rank 3 is in no MPI function");
	begin("MPI_Test");
	job.ranks[2].went_on = true;
	ends(VD_NO_DEADLOCK, "no deadlock: rank 2 goes on; rank 0 polls, and may make progress");
	begin("MPI_Test");
	job.ranks[1].one_moment = true;
	ends(VD_NO_DEADLOCK, polls);
}
END_TEST

/* The poll may succeed: a request has its counterpart, or all have started the collective. */
START_TEST(test_succeeds)
{
	static const char polls[] = "no deadlock: rank 0 polls, and may make progress";

	begin("MPI_Test");
	made_job_add_op(&job, VD_SEND, 0, 7); /* of rank 2 */
	job.ranks[0].first_op = job.n_ops;
	struct vd_op *op = vd_add_op(&job);
	ck_assert_ptr_nonnull(op);
	job.ranks[2].n_ops--;
	job.ranks[0].n_ops = 1;
	op->kind = VD_RECEIVE;
	op->comm = 0;
	op->peer = 2;
	op->tag = 7;
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_NO_DEADLOCK);
	struct vd_text text = { .n = 0 };
	vd_conclusion(&text, &job, &verdict);
	ck_assert_str_eq(text.bytes, polls);
	vd_verdict_deinit(&verdict);
	job.ops[job.n_ops - 1].tag = 8; /* another tag: it cannot */
	ck_assert_int_eq(made_job_judge(&job, &verdict), VD_SPINS);
	made_job_end(&job, &verdict);
	for (int all = 0; all < 2; all++) {
		made_job_begin(&job, 2);
		for (int i = 0; i < 2; i++) {
			made_job_add_rank(&job, "MPI_Test");
			if (!i || all)
				made_job_add_op(&job, VD_COLLECTIVE, VD_UNKNOWN, 0)->sequence = 3;
		}
		ck_assert_int_eq(made_job_judge(&job, &verdict), all ? VD_NO_DEADLOCK : VD_SPINS);
		made_job_end(&job, &verdict);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("spinning");
	TCase *tcase = tcase_create("constructed");

	tcase_add_test(tcase, test_one);
	tcase_add_test(tcase, test_others);
	tcase_add_test(tcase, test_succeeds);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
