/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank that cannot be stopped, because it is in an uninterruptible system call (tests/programs/held.c): the others wait for it, and
 * it is named, with the call. It may come back at any time, which is no deadlock.
 */
#include "../support/host_child.h"
#include "../support/job.h"
#include "../support/live_main.h"
#include "../support/mpidbg_run.h"
#include "../support/suite.h"

#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 3 };

START_TEST(test_suspect)
{
	struct mpidbg_run run;
	struct job job;
	char pid[32];

	if (_i && job_omits_mpich())
		return;
	if (_i)
		job_start_mpich("held", N, &job);
	else
		job_start("held", NULL, N, 0, &job);
	for (double end = job_now() + LAUNCHER_WAIT_S; host_child_state(job.ranks[N - 1].pid) != 'D'; job_nap())
		ck_assert_msg(job_now() < end, "rank 2 is in state %c", host_child_state(job.ranks[N - 1].pid));
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	mpidbg_run(&run, "deadlock", "--job", pid, NULL);
	ck_assert_msg(run.exit_code == 3 &&
			      strstr(run.out, "missing rank: look at rank 2, in an uninterruptible system "
					      "call (vfork)\n"),
		      "exit code %d\n%s%s", run.exit_code, run.out, run.err);
	ck_assert_msg(strstr(run.out, "MPI function not known, in an uninterruptible system call (vfork)") &&
			      !strstr(run.out, "could not be read") && !strstr(run.out, "rank 2 is not in it"),
		      "%s", run.out);
	ck_assert_msg(strstr(run.err, "does not stop: it is in a system call that cannot be interrupted"), "%s",
		      run.err);
	mpidbg_run_free(&run);
	job_end(&job);
}
END_TEST

int main(void)
{
	job_require();
	Suite *s = suite_create("uninterruptible");
	TCase *tc = tcase_create("suspect");

	tcase_set_timeout(tc, LIVE_TIMEOUT_S);
	tcase_add_loop_test(tc, test_suspect, 0, 2);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
