/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that a wrapper has started in sessions of their own (tests/support/detached): they are no descendants of the
 * launcher, and the job is found by the pid of its launcher and of each rank.
 */
#include "../support/job.h"
#include "../support/live_main.h"
#include "../support/mpidbg_run.h"
#include "../support/suite.h"

#include <check.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 2 };

static void check_procs(const struct job *job, pid_t pid)
{
	struct mpidbg_run run;
	char number[32];
	size_t i;

	snprintf(number, sizeof(number), "%d", (int)pid);
	mpidbg_run(&run, "procs", "--json", "--job", number, NULL);
	json_t *answer = mpidbg_run_json(&run), *list = json_object_get(answer, "processes"), *process;
	ck_assert_int_eq(run.exit_code, 0);
	ck_assert_uint_eq(json_array_size(list), N);
	json_array_foreach(list, i, process)
	{
		ck_assert_int_eq(json_integer_value(json_object_get(process, "rank")), (json_int_t)i);
		ck_assert_int_eq(json_integer_value(json_object_get(process, "pid")), job->ranks[i].pid);
	}
	json_decref(answer);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "calls", "--job", number, NULL);
	ck_assert_msg(run.exit_code == 0 && strstr(run.out, "MPI_Recv"), "%s%s", run.out, run.err);
	mpidbg_run_free(&run);
}

START_TEST(test_found)
{
	static char wrapper[PATH_MAX];
	struct job job;

	if (_i && job_omits_mpich())
		return;
	ck_assert_ptr_nonnull(realpath("tests/support/detached", wrapper));
	job_wrapper = wrapper;
	if (_i)
		job_start_mpich("blocked Recv", N, &job);
	else
		job_start("blocked Recv", NULL, N, 0, &job);
	check_procs(&job, job.launcher);
	for (size_t i = 0; i < N; i++)
		check_procs(&job, job.ranks[i].pid);
	/* the launcher does not end them */
	for (size_t i = 0; i < N; i++)
		kill(job.ranks[i].pid, SIGKILL);
	job_end(&job);
}
END_TEST

int main(void)
{
	job_require();
	Suite *s = suite_create("detached");
	TCase *tc = tcase_create("wrapper");

	tcase_set_timeout(tc, LIVE_TIMEOUT_S);
	tcase_add_loop_test(tc, test_found, 0, 2);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
