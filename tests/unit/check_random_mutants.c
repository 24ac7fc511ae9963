/* SPDX-License-Identifier: BSD-3-Clause */
/* tools/random_mutants in a small tree: a change that the test there detects, one that it does not, one that is listed
 * as no change. */
#include "../support/scratch.h"
#include "../support/shell.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char tree[SCRATCH_MAX];

static void put(const char *name, const char *text)
{
	char path[SCRATCH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", tree, name);
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	ck_assert_int_eq(fclose(f), 0);
}

static const char product[] = "int limit(int value, int low, int high);\n"
			      "int unseen(int a);\n"
			      "int limit(int value, int low, int high)\n"
			      "{\n"
			      "\tif (value < low)\n"
			      "\t\treturn low;\n"
			      "\tif (value > high)\n"
			      "\t\treturn high;\n"
			      "\treturn value + 0;\n"
			      "}\n"
			      "int unseen(int a)\n"
			      "{\n"
			      "\treturn a + 1;\n"
			      "}\n";

/* Files of a project that has one test; the test looks at one side. */
static void setup(void)
{
	scratch_make(tree, "mutants");
	shell_run("cd '%s' && mkdir -p verdict tests/unit tests/mutants tools", tree);
	put("verdict/a.c", product);
	put("tests/unit/check_a.c", "int limit(int value, int low, int high);\n"
				    "int main(void)\n"
				    "{\n"
				    "\treturn limit(5, 5, 9) != 5 || limit(4, 5, 9) != 5 || limit(7, 5, 9) != 7;\n"
				    "}\n");
	put("Makefile", "B := build\n"
			"CFLAGS := -O0\n"
			"check-build: $B/tests/unit/check_a\n"
			"$B/%.o: %.c\n"
			"\t@mkdir -p $(@D)\n"
			"\tgcc $(CFLAGS) -c $< -o $@\n"
			"$B/tests/unit/check_a: $B/verdict/a.o $B/tests/unit/check_a.o\n"
			"\tgcc $(CFLAGS) -o $@ $^\n"
			"check: check-build\n"
			"\ttools/run_tests $B $B/tests/unit/check_a\n");
	put("tools/run_tests", "#!/bin/sh\n\"$2\"\n");
	shell_run("chmod +x '%s/tools/run_tests'", tree);
}

static void teardown(void)
{
	scratch_remove(tree);
}

/* Run it. @return what it prints */
static const char *run(int status)
{
	return shell_output(status, "unset MAKEFLAGS MAKELEVEL; tools/random_mutants '%s' 9 1 2>&1", tree);
}

START_TEST(test_tree)
{
	char text[sizeof(product)];

	/* of the lines that are executed three can be changed: each once */
	const char *out = run(1);
	ck_assert_msg(strstr(out, "seed 1: 3 planted, 1 caught\n") != NULL, "%s", out);
	ck_assert_msg(strstr(out, "ok   verdict/a.c:9: unit/check_a\n") != NULL, "%s", out);
	ck_assert_msg(strstr(out, "LIVE verdict/a.c:5: unit/check_a\n     - if (value < low)\n"
				  "     + if (value <= low)\n") != NULL,
		      "%s", out);
	ck_assert_msg(strstr(out, "LIVE verdict/a.c:7: unit/check_a\n") != NULL, "%s", out);
	ck_assert_msg(!strstr(out, "a.c:13"), "a line that no test executes: %s", out);

	/* both survivors return the same value */
	put("tests/mutants/unchanged", "# a comment\nverdict/a.c\nif (value <= low)\nlow is the value\n\n"
				       "verdict/a.c\nif (value >= high)\nhigh is the value\n");
	out = run(0);
	ck_assert_msg(strstr(out, "seed 1: 1 planted, 1 caught\n") != NULL, "%s", out);
	ck_assert_msg(!strstr(out, "LIVE"), "%s", out);

	/* the sources are as they were */
	char path[SCRATCH_MAX + 64];
	snprintf(path, sizeof(path), "%s/verdict/a.c", tree);
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	ck_assert_str_eq(text, product);
}
END_TEST

int main(void)
{
	if (system("command -v gcov python3 >/dev/null") != 0) {
		puts("gcov or python3: not installed");
		return 77;
	}
	Suite *suite = suite_create("random_mutants");
	TCase *tc = tcase_create("random_mutants");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_tree);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
