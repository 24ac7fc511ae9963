/* SPDX-License-Identifier: BSD-3-Clause */
/* tools/run_tests with programs that pass, fail, and fail once: what is counted, and what runs a second time. */
#include "../support/scratch.h"
#include "../support/shell.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static char tree[SCRATCH_MAX];

/* Each program prints the line of Check from which its checks are counted. */
static void setup(void)
{
	scratch_make(tree, "run");
	shell_run(
		"mkdir -p '%s/tests/live' && cd '%s/tests/live' && "
		"echo 'echo \"100%%: Checks: 2, Failures: 0, Errors: 0\"' >good && "
		"echo 'echo \"66%%: Checks: 3, Failures: 1, Errors: 0\"; exit 1' >bad && cp bad check_no_deadlock && "
		"{ echo 'cd %s'; echo '[ ! -e seen ] || exec tests/live/good'; echo 'touch seen'; cat bad; } >once && "
		"sed -i '1i #!/bin/sh' good bad check_no_deadlock once && chmod +x *",
		tree, tree, tree);
}

static void teardown(void)
{
	scratch_remove(tree);
}

/* Run programs, all in tests/live. @param again the value of TEST_AGAIN. @return what is printed */
static const char *run(int status, int again, const char *programs)
{
	return shell_output(status,
			    "rm -f %s/seen; for p in %s; do "
			    "[ $p = --waiting ] || p=%s/tests/live/$p; set -- \"$@\" $p; done; "
			    "TEST_AGAIN=%d tools/run_tests %s \"$@\" 2>&1",
			    tree, programs, tree, again, tree);
}

static void has(const char *out, const char *line)
{
	ck_assert_msg(strstr(out, line) != NULL, "no \"%s\" in:\n%s", line, out);
}

START_TEST(test_once)
{
	has(run(0, 0, "good"), "\n2 passed, 0 failed\n");
	const char *out = run(1, 0, "good bad once");
	has(out, "FAIL live/bad: exit 1, 3 checks, 1 bad");
	has(out, "FAIL live/once: exit 1, 3 checks, 1 bad");
	has(out, "\n6 passed, 2 failed\n");
}
END_TEST

START_TEST(test_again)
{
	const char *out = run(0, 1, "once good");
	has(out, "fail live/once: exit 1, 3 checks, 1 bad");
	has(out, "\nunstable: live/once failed once");
	has(out, "\n4 passed, 0 failed\n");
	out = run(1, 1, "bad good");
	has(out, "FAIL live/bad: exit 1, 3 checks, 1 bad");
	ck_assert_msg(!strstr(out, "unstable"), "%s", out);
	has(out, "\n4 passed, 1 failed\n");
}
END_TEST

START_TEST(test_false_verdicts)
{
	const char *out = run(1, 1, "check_no_deadlock");

	has(out, "FAIL live/check_no_deadlock");
	ck_assert_msg(!strstr(out, "fail live"), "it ran again: %s", out);
}
END_TEST

START_TEST(test_many)
{
	const char *out = run(1, 1, "bad bad bad bad bad bad");

	has(out, "6 programs failed: too many to run again\n");
	has(out, "\n0 passed, 6 failed\n");
}
END_TEST

/* A program that waits runs beside the others: more at once than TEST_JOBS allows by default, all counted. */
START_TEST(test_waiting)
{
	const char *out = run(0, 0, "good good --waiting good good good");

	has(out, "\n10 passed, 0 failed\n");
	out = run(1, 0, "--waiting once good");
	has(out, "FAIL live/once: exit 1, 3 checks, 1 bad");
	has(out, "\n4 passed, 1 failed\n");
	/* each goes on when all have begun: two a processor, and the one that waits */
	out = shell_output(
		0,
		"cd %s && n=$(($(nproc) * 2 + 1)) && unset TEST_JOBS && { echo '#!/bin/sh'; echo 'touch "
		"'%s'/begun.$$'; "
		"echo \"until [ \\$(ls %s/begun.* | wc -l) -ge $n ]; do sleep 0.1; done\"; cat tests/live/good; } "
		">tests/live/meet && chmod +x tests/live/meet && set -- && for i in $(seq $((n - 1))); do "
		"set -- \"$@\" %s/tests/live/meet; done && cd - >&2 && tools/run_tests %s \"$@\" --waiting "
		"%s/tests/live/meet 2>&1",
		tree, tree, tree, tree, tree, tree);
	has(out, " passed, 0 failed\n");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("run_tests");
	TCase *tc = tcase_create("run_tests");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_once);
	tcase_add_test(tc, test_again);
	tcase_add_test(tc, test_false_verdicts);
	tcase_add_test(tc, test_many);
	tcase_add_test(tc, test_waiting);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
