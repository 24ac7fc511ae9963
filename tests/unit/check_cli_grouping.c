/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that say the same: how old the values of each are is no difference, and is told for all of them. */
#include "../../cli/grouping.h"
#include "../support/suite.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 3 };

static struct cmd_job job;
static struct cmd_answer answers[N];

static void add(size_t i, const char *words)
{
	struct cmd_proc *p = cmd_job_add(&job, (int64_t)i, 100 + (int64_t)i, "node1", "/bin/x", NULL);

	ck_assert_ptr_nonnull(p);
	p->world_size = N;
	answers[i] = (struct cmd_answer){ 0 };
	ck_assert(cmd_spool_printf(&answers[i].text, "rank %zu of %d  pid %zu  host node1  /bin/x\n%s", i, N, 100 + i,
				   words));
}

/* What the three print, as they are or grouped. */
static const char *printed(const char *zero, const char *one, const char *two)
{
	static char text[1 << 15];
	int fds[2], out = dup(1);

	job = (struct cmd_job){ .is_job = true };
	add(0, zero);
	add(1, one);
	add(2, two);
	for (size_t i = 0; i < N; i++)
		job.procs[i].answer = &answers[i];
	ck_assert(out >= 0 && pipe2(fds, O_CLOEXEC) == 0);
	fflush(stdout);
	dup2(fds[1], 1);
	cmd_grouping_print(&job);
	fflush(stdout);
	dup2(out, 1);
	close(out);
	close(fds[1]);
	ssize_t n = read(fds[0], text, sizeof(text) - 1);
	close(fds[0]);
	text[n > 0 ? n : 0] = '\0';
	for (size_t i = 0; i < N; i++)
		cmd_answer_deinit(&answers[i]);
	cmd_job_deinit(&job);
	return text;
}

#define AGED(age) "  control variables: 1\n    eager_limit  4096  int, readonly, " age " s ago, at MPI_Init\n"

/* As many as there are variables. */
START_TEST(test_many_ages)
{
	enum { LINES = 200, BYTES = 64 };
	static char texts[3][LINES * BYTES], expected[LINES * BYTES + 100];
	size_t n[3] = { 0 }, n_expected;

	n_expected = (size_t)sprintf(expected, "\nranks [0-2] (3 ranks)  host node1  /bin/x\n");
	for (int i = 0; i < LINES; i++) {
		for (int k = 0; k < 3; k++)
			n[k] += (size_t)sprintf(texts[k] + n[k], "    v%d  1  int, %d s ago, at MPI_Init\n", i, i + k);
		n_expected += (size_t)sprintf(expected + n_expected, "    v%d  1  int, %d-%d s ago, at MPI_Init\n", i,
					      i, i + 2);
	}
	ck_assert_str_eq(printed(texts[0], texts[1], texts[2]), expected);
}
END_TEST

START_TEST(test_ages)
{
	ck_assert_str_eq(printed(AGED("12"), AGED("9"), AGED("10")),
			 "\nranks [0-2] (3 ranks)  host node1  /bin/x\n" AGED("9-12"));
	ck_assert_str_eq(printed(AGED("1"), AGED("1"), AGED("1")),
			 "\nranks [0-2] (3 ranks)  host node1  /bin/x\n" AGED("1"));
}
END_TEST

#define CALL(seconds) "  thread 7 in MPI_Barrier on MPI_COMM_WORLD, for " seconds " s, in main at ring.c:10\n"
#define IDLE(calls)   "  thread 7 in no MPI function that is tracked (" calls " calls so far)\n"

/* Ranks that wait in one call are one group, whenever each has come to it; and whatever each has done before. */
START_TEST(test_calls)
{
	ck_assert_str_eq(printed(CALL("12.5"), CALL("9.0"), CALL("10.0")),
			 "\nranks [0-2] (3 ranks)  host node1  /bin/x\n" CALL("9.0-12.5"));
	ck_assert_str_eq(printed(CALL("1.5") IDLE("3"), CALL("1.5") IDLE("9"), CALL("1.5") IDLE("3")),
			 "\nranks [0-2] (3 ranks)  host node1  /bin/x\n" CALL("1.5") IDLE("3-9"));
	/* a whole number of seconds is none of a call's */
	ck_assert_ptr_nonnull(strstr(printed(CALL("1"), CALL("2"), CALL("1")), "rank 1 of 3"));
}
END_TEST

/* What else differs still does; the range is that of the group. */
START_TEST(test_others)
{
	ck_assert_str_eq(printed(AGED("5"), AGED("70") "    x  4\n", AGED("3")),
			 "\nranks [0,2] (2 ranks)  host node1  /bin/x\n" AGED("3-5") //
			 "\nrank 1 of 3  pid 101  host node1  /bin/x\n" AGED("70") "    x  4\n");
	ck_assert_str_eq(printed("    x  4  int, 1 s ago, at MPI_Init\n", "    x  4  int, 1 s ago, at MPI_Abort\n",
				 "    x  4  int, at MPI_Init\n"),
			 "\nrank 0 of 3  pid 100  host node1  /bin/x\n    x  4  int, 1 s ago, at MPI_Init\n"
			 "\nrank 1 of 3  pid 101  host node1  /bin/x\n    x  4  int, 1 s ago, at MPI_Abort\n"
			 "\nrank 2 of 3  pid 102  host node1  /bin/x\n    x  4  int, at MPI_Init\n");
}
END_TEST

/* The words in another place are a text like any other. */
START_TEST(test_elsewhere)
{
	static const char zero[] = "    name  values of 1 s ago\n", one[] = "    name  values of 2 s ago\n";

	ck_assert_str_eq(printed(zero, one, zero),
			 "\nranks [0,2] (2 ranks)  host node1  /bin/x\n    name  values of 1 s ago\n"
			 "\nrank 1 of 3  pid 101  host node1  /bin/x\n    name  values of 2 s ago\n");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("cli_grouping");
	TCase *tc = tcase_create("cli_grouping");

	tcase_set_timeout(tc, 20);
	tcase_add_test(tc, test_ages);
	tcase_add_test(tc, test_many_ages);
	tcase_add_test(tc, test_calls);
	tcase_add_test(tc, test_others);
	tcase_add_test(tc, test_elsewhere);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
