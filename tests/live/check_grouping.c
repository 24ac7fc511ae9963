/* SPDX-License-Identifier: BSD-3-Clause */
/* mpidbg queues of jobs in which ranks do the same relative to themselves: which of them are printed together. */
#include "../support/job.h"
#include "../support/live_main.h"
#include "../support/mpidbg_run.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

enum { ASKED_S = 30 };

/* Texts that the output must contain, in this order. */
static const struct {
	const char *command;
	int n;
	const char *words[5];
	const char *not_printed;
} jobs[] = {
	{ "hangs ring_ssend",
	  5,
	  { "ranks [0-4] (5 ranks)  host ", "MPI_COMM_WORLD  5 ranks\n", "to rank+1 " },
	  "\nrank " },
	{ "hangs ring_recv", 5, { "ranks [0-4] (5 ranks)  host ", "from rank-1 ", "tag 5 " }, "\nrank " },
	{ "hangs allreduce_sleeps",
	  4,
	  { "\nrank 3 of 4 ", "\nranks [0-2] (3 ranks)  host ", "main thread in MPI_Allreduce" },
	  "\nrank 0 of" },
};

static bool says(const char *text, int which)
{
	const char *at = text;

	for (size_t i = 0; jobs[which].words[i]; i++) {
		at = strstr(at, jobs[which].words[i]);
		if (!at)
			return false;
		at++;
	}
	return !strstr(text, jobs[which].not_printed);
}

/* A rank announces its state before it is in it; then the query is repeated. */
static void try(int which, bool mpich)
{
	char pid[32], said[4096] = "";
	struct job job;
	bool right = false;

	if (mpich)
		job_start_mpich(jobs[which].command, jobs[which].n, &job);
	else
		job_start(jobs[which].command, NULL, jobs[which].n, 0, &job);
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	for (double end = job_now() + ASKED_S; !right && job_now() < end;) {
		struct mpidbg_run run;
		mpidbg_run(&run, "queues", "--no-verdict", "--job", pid, NULL);
		snprintf(said, sizeof(said), "%s%s", run.out, run.err);
		right = run.exit_code == 0 && says(run.out, which);
		mpidbg_run_free(&run);
	}
	job_end(&job);
	ck_assert_msg(right, "%s: %s", jobs[which].command, said);
}

START_TEST(test_openmpi)
{
	try(_i, false);
}
END_TEST

START_TEST(test_mpich)
{
	if (job_omits_mpich())
		return;
	try(_i, true);
}
END_TEST

int main(void)
{
	job_require();
	Suite *s = suite_create("grouping");
	TCase *tc = tcase_create("grouping");

	tcase_set_timeout(tc, LIVE_TIMEOUT_S);
	tcase_add_loop_test(tc, test_openmpi, 0, sizeof(jobs) / sizeof(jobs[0]));
	tcase_add_loop_test(tc, test_mpich, 0, sizeof(jobs) / sizeof(jobs[0]));
	suite_add_tcase(s, tc);
	return suite_run(s);
}
