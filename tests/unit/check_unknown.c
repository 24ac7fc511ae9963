/* SPDX-License-Identifier: BSD-3-Clause */
/* What is not known of a wait: it is said, and nothing is concluded from it. */
#include "../../verdict/report.h"
#include "../../verdict/verdict.h"
#include "../../verdict/words.h"
#include "../support/made_job.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static struct vd_job job;
static struct vd_verdict verdict;

/* What waits for another job is said, and nothing is concluded from it. */
START_TEST(test_other_job)
{
	static const struct {
		const char *function, *words;
	} rows[] = {
		{ "MPI_Comm_accept", "(MPI_Comm_accept waits for a job that calls MPI_Comm_connect" },
		{ "MPI_Comm_connect", "(MPI_Comm_connect waits for a job that calls MPI_Comm_accept" },
		{ "MPI_Comm_spawn", "(MPI_Comm_spawn waits for the processes that it starts to call MPI_Init)" },
		{ "MPI_Intercomm_create", "(MPI_Intercomm_create waits for the other group;" },
		{ "MPI_Comm_join", "(MPI_Comm_join waits for the process at the other end of a socket" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct vd_text text = { 0 };
		made_job_begin(&job, 2);
		made_job_add_rank(&job, rows[i].function);
		job.threads[0].comm = VD_UNKNOWN;
		made_job_add_rank(&job, "MPI_Recv");
		made_job_add_wait(&job, VD_RECEIVE, 0, 5);
		ck_assert_int_eq(made_job_judge(&job, &verdict), VD_NO_DEADLOCK);
		ck_assert(vd_remark(&text, &job, &verdict, 2));
		ck_assert_msg(strstr(text.bytes, rows[i].words), "%s", text.bytes);
		made_job_end(&job, &verdict);
	}
}
END_TEST

/* Of several operations a thread waits for one at least, and perhaps not for each: only if none can complete it is stuck. */
START_TEST(test_possible)
{
	for (int can = 0; can < 2; can++) {
		made_job_begin(&job, 3);
		made_job_add_rank(&job, "MPI_Waitall");
		made_job_add_wait(&job, VD_RECEIVE, 1, 5);
		made_job_add_wait(&job, VD_RECEIVE, can ? 2 : 1, 6);
		job.threads[job.n_threads - 1].possible = true;
		made_job_add_rank(&job, "MPI_Recv");
		made_job_add_wait(&job, VD_RECEIVE, 0, 5);
		made_job_add_rank(&job, NULL);
		ck_assert_int_eq(made_job_judge(&job, &verdict), can ? VD_MISSING_RANK : VD_DEADLOCK);
		ck_assert_uint_eq(verdict.n_dead, can ? 0 : 2);
		made_job_end(&job, &verdict);
	}
}
END_TEST

/* MPI_Abort does not return: the ranks that wait for its caller wait for ever. The line of MPI_Finalize is said, too. */
START_TEST(test_no_return)
{
	static const char *const functions[] = { "MPI_Abort", "MPI_Finalize" };

	for (int i = 0; i < 2; i++) {
		struct vd_text text = { 0 };
		char said[80];
		made_job_begin(&job, 2);
		made_job_add_rank(&job, functions[i]);
		job.threads[0].place = "main at a.c:7";
		made_job_add_rank(&job, "MPI_Recv");
		made_job_add_wait(&job, VD_RECEIVE, 0, 5);
		ck_assert_int_eq(made_job_judge(&job, &verdict), VD_MISSING_RANK);
		ck_assert_uint_eq(verdict.n_unknown, 0);
		vd_conclusion(&text, &job, &verdict);
		snprintf(said, sizeof(said), "missing rank: look at rank 0, in %s, a.c:7", functions[i]);
		ck_assert_str_eq(text.bytes, said);
		made_job_end(&job, &verdict);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("unknown");
	TCase *tcase = tcase_create("constructed");

	tcase_add_test(tcase, test_other_job);
	tcase_add_test(tcase, test_possible);
	tcase_add_test(tcase, test_no_return);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
