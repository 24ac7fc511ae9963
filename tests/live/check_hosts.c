/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A job on two hosts, which see nothing of each other but the network: each host writes the snapshot of its ranks, and
 * the two together are judged.
 */
#include "../support/job.h"
#include "../support/live_main.h"
#include "../support/mpidbg_run.h"
#include "../support/scratch.h"
#include "../support/shell.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[SCRATCH_MAX];

static void start(const char *program)
{
	const char *build = getenv("MPIDBG_BUILD");

	scratch_make(folder, "hosts");
	shell_run("tests/support/hosts n1 n2 -- tests/support/snapshot_hosts %s %s %s", build ? build : "build", folder,
		  program);
}

static void end(void)
{
	scratch_remove(folder);
}

/* Judge both parts, or the one of a host. */
static json_t *judge(const char *host, struct mpidbg_run *run)
{
	char part[2][SCRATCH_MAX + 32];

	snprintf(part[0], sizeof(part[0]), "%s/part.%s.json", folder, host ? host : "n1");
	snprintf(part[1], sizeof(part[1]), "%s/part.n2.json", folder);
	mpidbg_run(run, "deadlock", "--json", "--snapshot", part[0], host ? NULL : part[1], NULL);
	json_t *answer = mpidbg_run_json(run);
	json_t *verdict = json_incref(json_object_get(answer, "verdict"));
	json_decref(answer);
	return verdict;
}

static const char *text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

START_TEST(test_deadlock)
{
	struct mpidbg_run run;

	start("hangs ring_recv");
	json_t *verdict = judge(NULL, &run);
	ck_assert_msg(run.exit_code == 4, "%s%s", run.out, run.err);
	ck_assert_str_eq(text(verdict, "result"), "deadlock");
	ck_assert_uint_eq(json_array_size(json_object_get(verdict, "cycle")), 4);
	ck_assert_uint_eq(json_array_size(json_object_get(verdict, "unavailable")), 0);
	ck_assert_msg(strncmp(text(verdict, "basis"), "merged from 2 snapshots", 23) == 0, "%s", run.out);
	json_decref(verdict);
	mpidbg_run_free(&run);
	/* of half of the ranks nothing is concluded */
	for (int i = 0; i < 2; i++) {
		verdict = judge(i ? "n2" : "n1", &run);
		ck_assert_msg(run.exit_code != 4, "%s%s", run.out, run.err);
		ck_assert_uint_eq(json_array_size(json_object_get(verdict, "waiting_for_ever")), 0);
		json_decref(verdict);
		mpidbg_run_free(&run);
	}
	end();
}
END_TEST

/* The suspect is on the other host. Each host was read once: that
 * proves no deadlock (exit status 4), but names the suspect. */
START_TEST(test_missing)
{
	struct mpidbg_run run;

	start("hangs allreduce_sleeps");
	json_t *verdict = judge(NULL, &run);
	const json_t *missing = json_object_get(verdict, "missing");
	ck_assert_msg(run.exit_code == 0, "%s%s", run.out, run.err);
	ck_assert(json_is_false(json_object_get(verdict, "stands_still")));
	ck_assert_str_eq(text(verdict, "result"), "missing rank");
	ck_assert_uint_eq(json_array_size(missing), 1);
	ck_assert_int_eq(json_integer_value(json_array_get(missing, 0)), 3);
	json_decref(verdict);
	mpidbg_run_free(&run);
	end();
}
END_TEST

int main(void)
{
	job_require();
	if (geteuid() != 0 ||
	    system("tests/support/hosts n1 n2 -- unshare --pid --fork --mount --mount-proc true 2>/dev/null")) {
		printf("skipped: hosts are made of name spaces, which are not allowed here (root, CAP_SYS_ADMIN, "
		       "ip)\n");
		return 77;
	}
	Suite *s = suite_create("hosts");
	TCase *tc = tcase_create("hosts");

	tcase_set_timeout(tc, LIVE_TIMEOUT_S);
	tcase_add_test(tc, test_deadlock);
	tcase_add_test(tc, test_missing);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
