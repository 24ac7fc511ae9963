/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg deadlock on jobs of tests/programs/hangs.c, under Open MPI with nothing prepared. The truth about each case is in
 * the table: it is what the case does.
 */
#include "../support/job.h"
#include "../support/live_main.h"
#include "../support/mpidbg_run.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static const struct hang {
	const char *name;
	int n;
	const char *result; /* NULL: the job goes on, and nothing that is said may be said to stand still */
	const char *field;  /* of a mismatch */
	int missing;        /* of a missing rank; -1: none */
} hangs[] = {
	{ "recv_recv", 2, "deadlock", NULL, -1 },
	{ "ring_ssend", 3, "deadlock", NULL, -1 },
	{ "any_source", 3, "deadlock", NULL, -1 },
	{ "crossed_comms", 2, "deadlock", NULL, -1 },
	{ "wrong_tag", 3, "mismatch", "tag", -1 },
	{ "barrier_allreduce", 3, "mismatch", "function", -1 },
	{ "allreduce_sleeps", 3, "missing rank", NULL, 2 },
	{ "chain_sleeps", 3, "missing rank", NULL, 2 },
	{ "exchange", 3, NULL, NULL, -1 },
	{ "allreduces", 3, NULL, NULL, -1 },
	{ "token", 3, NULL, NULL, -1 },
};
enum { N_HANGS = sizeof(hangs) / sizeof(hangs[0]), ASKED_S = 150, TIMES_GOING_ON = 2 };

static const char *text(const json_t *verdict, const char *key)
{
	const char *s = json_string_value(json_object_get(verdict, key));

	return s ? s : "";
}

static bool says(const struct hang *h, const json_t *verdict)
{
	const json_t *missing = json_object_get(verdict, "missing");

	if (strcmp(text(verdict, "result"), h->result) != 0 ||
	    strcmp(text(verdict, "field"), h->field ? h->field : "") != 0)
		return false;
	return h->missing < 0 ||
	       (json_array_size(missing) == 1 && json_integer_value(json_array_get(missing, 0)) == h->missing);
}

/* The rank has announced that it comes into its state, and may not be there yet: it is asked again. */
START_TEST(test_hang)
{
	const struct hang *h = &hangs[_i];
	char command[64], pid[32], said[2048] = "";
	struct job job;
	bool right = false;

	snprintf(command, sizeof(command), "hangs %s", h->name);
	job_start(command, NULL, h->n, 0, &job);
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	double end = job_now() + ASKED_S;
	for (int asked = 0; !right && job_now() < end && (h->result || asked < TIMES_GOING_ON); asked++) {
		struct mpidbg_run run;
		mpidbg_run(&run, "deadlock", "--json", "--job", pid, NULL);
		snprintf(said, sizeof(said), "%s", run.out);
		json_t *answer = mpidbg_run_json(&run);
		const json_t *verdict = json_object_get(answer, "verdict");
		if (!h->result) {
			ck_assert_msg(run.exit_code != 4, "%s: %s", h->name, said);
			ck_assert_msg(json_array_size(json_object_get(verdict, "waiting_for_ever")) == 0, "%s: %s",
				      h->name, said);
		} else {
			right = run.exit_code == 4 && says(h, verdict);
		}
		json_decref(answer);
		mpidbg_run_free(&run);
	}
	job_end(&job);
	ck_assert_msg(right || !h->result, "%s: %s", h->name, said);
}
END_TEST

int main(void)
{
	job_require();
	Suite *s = suite_create("deadlock");
	TCase *t = tcase_create("openmpi");

	tcase_set_timeout(t, LIVE_TIMEOUT_S);
	tcase_add_loop_test(t, test_hang, 0, N_HANGS);
	suite_add_tcase(s, t);
	return suite_run(s);
}
