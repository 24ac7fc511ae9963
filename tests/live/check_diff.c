/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg diff on snapshots of real jobs (tests/programs/hangs.c): one that
 * stands still, one that polls for what never comes, one that goes on.
 */
#include "../support/job.h"
#include "../support/live_main.h"
#include "../support/mpidbg_run.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct pair {
	const char *command;
	const char *result;
} pairs[] = {
	{ "hangs recv_recv", "stuck" },
	{ "hangs test_loop", "spinning without progress" },
	{ "hangs exchange", "going on" },
};
enum { N_PAIRS = sizeof(pairs) / sizeof(pairs[0]), ASKED_S = 120 };

static void snapshot(const struct job *job, const char *name, char path[512])
{
	char pid[32];
	struct mpidbg_run run;

	snprintf(pid, sizeof(pid), "%d", (int)job->launcher);
	snprintf(path, 512, "%s/%s", job->dir, name);
	mpidbg_run(&run, "snapshot", "--job", pid, NULL);
	ck_assert_msg(run.exit_code == 0, "%s", run.err);
	FILE *f = fopen(path, "we");
	ck_assert(f && fputs(run.out, f) >= 0 && fclose(f) == 0);
	mpidbg_run_free(&run);
}

/* A rank announces its state before it is in it, and may be
 * waiting for a processor; then both snapshots are taken again. */
START_TEST(test_pair)
{
	char before[512], after[512], said[1024] = "";
	struct job job;
	bool right = false;

	job_start(pairs[_i].command, NULL, 2, 0, &job);
	double end = job_now() + ASKED_S;
	snapshot(&job, "a.json", before);
	while (!right && job_now() < end) {
		struct mpidbg_run run;
		snapshot(&job, "b.json", after);
		mpidbg_run(&run, "diff", "--json", before, after, NULL);
		snprintf(said, sizeof(said), "%s", run.out);
		json_t *answer = mpidbg_run_json(&run);
		const char *result = json_string_value(json_object_get(json_object_get(answer, "changes"), "result"));
		right = run.exit_code == 0 && result && strcmp(result, pairs[_i].result) == 0;
		json_decref(answer);
		mpidbg_run_free(&run);
		rename(after, before);
	}
	job_end(&job);
	ck_assert_msg(right, "%s: %s", pairs[_i].command, said);
}
END_TEST

int main(void)
{
	job_require();
	Suite *s = suite_create("diff");
	TCase *tc = tcase_create("jobs");

	tcase_set_timeout(tc, LIVE_TIMEOUT_S);
	tcase_add_loop_test(tc, test_pair, 0, N_PAIRS);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
