/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks with the same output: the ages of values may differ and are printed as a range. */
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
static const char *host_of_one = "node1"; /* where rank 1 is */

static void add(size_t i, const char *words)
{
	struct cmd_proc *p = cmd_job_add(&job, (int64_t)i, 100 + (int64_t)i, "node1", "/bin/x", NULL);

	ck_assert_ptr_nonnull(p);
	p->world_size = N;
	answers[i] = (struct cmd_answer){ 0 };
	ck_assert(cmd_spool_printf(&answers[i].text, "rank %zu of %d  pid %zu  host %s  /bin/x\n%s", i, N, 100 + i,
				   i == 1 ? host_of_one : "node1", words));
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

#define CALL(seconds)   "  thread 7 in MPI_Barrier on MPI_COMM_WORLD, for " seconds " s, in main at ring.c:10\n"
#define SECOND(seconds) "  thread #2 in MPI_Barrier on MPI_COMM_WORLD, for " seconds " s, in main at ring.c:10\n"
#define IDLE(calls)     "  thread 7 in no MPI function that is tracked (" calls " calls so far)\n"
#define IDLE2(calls)    "  thread #2 in no MPI function that is tracked (" calls " calls so far)\n"

/* Ranks that wait in the same call form one group, whatever the durations and the numbers of earlier calls. */
START_TEST(test_calls)
{
	ck_assert_str_eq(printed(CALL("12.5"), CALL("9.0"), CALL("10.0")),
			 "\nranks [0-2] (3 ranks)  host node1  /bin/x\n" SECOND("9.0-12.5"));
	ck_assert_str_eq(printed(CALL("1.5") IDLE("3"), CALL("1.5") IDLE("9"), CALL("1.5") IDLE("3")),
			 "\nranks [0-2] (3 ranks)  host node1  /bin/x\n" SECOND("1.5") IDLE2("3-9"));
	/* a whole number of seconds is not the duration of a call */
	ck_assert_ptr_nonnull(strstr(printed(CALL("1"), CALL("2"), CALL("1")), "rank 1 of 3"));
}
END_TEST

/* Threads other than the first are identified by their order. */
START_TEST(test_threads)
{
	ck_assert_str_eq(printed("  thread 100 x\n  thread 7 y\n  thread 9 z\n  thread 7 z\n",
				 "  thread 101 x\n  thread 17 y\n  thread 10 z\n  thread 17 z\n",
				 "  thread 102 x\n  thread 27 y\n  thread 26 z\n  thread 26 z\n"),
			 "\nrank 2 of 3  pid 102  host node1  /bin/x\n  thread 102 x\n  thread 27 y\n  thread 26 z\n"
			 "  thread 26 z\n"
			 "\nranks [0-1] (2 ranks)  host node1  /bin/x\n  main thread x\n  thread #2 y\n  thread #3 z\n"
			 "  thread #2 z\n");
}
END_TEST

/* What else differs still does; the range is that of the group. The odd one comes first. */
START_TEST(test_others)
{
	ck_assert_str_eq(printed(AGED("5"), AGED("70") "    x  4\n", AGED("3")),
			 "\nrank 1 of 3  pid 101  host node1  /bin/x\n" AGED(
				 "70") "    x  4\n" //
				       "\nranks [0,2] (2 ranks)  host node1  /bin/x\n" AGED("3-5"));
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
			 "\nrank 1 of 3  pid 101  host node1  /bin/x\n    name  values of 2 s ago\n"
			 "\nranks [0,2] (2 ranks)  host node1  /bin/x\n    name  values of 1 s ago\n");
}
END_TEST

/* ---- whom they deal with ---------------------------------------------------------------------------------- */

#define COMM(rank) "  MPI_COMM_WORLD  rank " rank " of 3\n"
#define WORLD      "  MPI_COMM_WORLD  3 ranks\n"

/* A ring is one group, around its end too. */
START_TEST(test_ring)
{
	ck_assert_str_eq(printed(COMM("0") "    send        MPI_Ssend      to 1       tag 5    4 bytes\n"
					   "    receive                    from 2     tag 5    4 bytes\n",
				 COMM("1") "    send        MPI_Ssend      to 2       tag 5    4 bytes\n"
					   "    receive                    from 0     tag 5    4 bytes\n",
				 COMM("2") "    send        MPI_Ssend      to 0       tag 5    4 bytes\n"
					   "    receive                    from 1     tag 5    4 bytes\n"),
			 "\nranks [0-2] (3 ranks)  host node1  /bin/x\n" WORLD
			 "    send        MPI_Ssend      to rank+1    tag 5    4 bytes\n"
			 "    receive                    from rank-1  tag 5    4 bytes\n");
}
END_TEST

/* All of them with one: that rank has its number. One that deals with another is odd. */
START_TEST(test_one_for_all)
{
#define TO(rank) "    send        MPI_Ssend      to " rank "       tag 5    4 bytes\n"
	ck_assert_str_eq(printed(COMM("0") TO("2"), COMM("1") TO("2"), COMM("2") TO("2")),
			 "\nranks [0-2] (3 ranks)  host node1  /bin/x\n" WORLD TO("2"));
	ck_assert_str_eq(printed(COMM("0") TO("2"), COMM("1") TO("0"), COMM("2") TO("2")),
			 "\nrank 1 of 3  pid 101  host node1  /bin/x\n" COMM("1") TO("0") //
			 "\nranks [0,2] (2 ranks)  host node1  /bin/x\n" WORLD TO("2"));
	/* two that do the same relative to themselves are no pattern yet */
	ck_assert_ptr_nonnull(strstr(printed(COMM("0") TO("1"), COMM("1") TO("2"), COMM("2") TO("2")), "rank 0 of 3"));
	/* a tag is no rank */
	ck_assert_ptr_nonnull(strstr(printed(COMM("0") "    send  to 1  tag 1\n", COMM("1") "    send  to 2  tag 2\n",
					     COMM("2") "    send  to 0  tag 0\n"),
				     "rank 0 of 3"));
}
END_TEST

/* In a communicator in the reverse order: the rank there, and in MPI_COMM_WORLD. */
START_TEST(test_world_ranks)
{
#define BACK(rank) "  back  rank " rank " of 3  world ranks [2,1,0]\n"
	ck_assert_str_eq(printed(BACK("2") "    send  to 0 (world rank 2)  tag 5\n",
				 BACK("1") "    send  to 2 (world rank 0)  tag 5\n",
				 BACK("0") "    send  to 1 (world rank 1)  tag 5\n"),
			 "\nranks [0-2] (3 ranks)  host node1  /bin/x\n  back  3 ranks  world ranks [2,1,0]\n"
			 "    send  to rank+1 (world rank-1)  tag 5\n");
}
END_TEST

/* A communicator with two groups: the peer is in the other group. */
START_TEST(test_inter)
{
#define INTER(rank) "  inter  rank " rank " of 3, 3 remote  world ranks [0-2]  remote [3-5]\n"
	ck_assert_ptr_nonnull(
		strstr(printed(INTER("0") TO("1"), INTER("1") TO("2"), INTER("2") TO("0")), "rank 0 of 3"));
}
END_TEST

/* Nothing is split by the members of communicators; of those with no pending operations, not by their size. */
START_TEST(test_members)
{
	ck_assert_str_eq(printed("  row  rank 0 of 2  (no pending operations)\n",
				 "  row  rank 1 of 2  (no pending operations)\n",
				 "  row  rank 0 of 2  world ranks [2,4]  (no pending operations)\n"),
			 "\nranks [0-2] (3 ranks)  host node1  /bin/x\n"
			 "  row  2 ranks, 2 communicators: world ranks [0-1], [2,4]  (no pending operations)\n");
	ck_assert_str_eq(
		printed("  row  rank 0 of 2  (no pending operations)\n",
			"  row  rank 1 of 4  world ranks [1-4]  (no pending operations)\n",
			"  row  rank 0 of 3  world ranks [2,4,5]  (no pending operations)\n"),
		"\nranks [0-2] (3 ranks)  host node1  /bin/x\n"
		"  row  2-4 ranks, 3 communicators: world ranks [0-1], [1-4], [2,4,5]  (no pending operations)\n");
	ck_assert_ptr_nonnull(strstr(printed("  row  rank 0 of 2\n    receive  from any  tag 5\n",
					     "  row  rank 1 of 4\n    receive  from any  tag 5\n",
					     "  row  rank 0 of 2\n    receive  from any  tag 5\n"),
				     "rank 1 of 3"));
	/* one that is alone in a communicator */
	ck_assert_str_eq(
		printed("  MPI_COMM_SELF  rank 0 of 1  (no pending operations)\n",
			"  MPI_COMM_SELF  rank 0 of 1  world ranks [1]  (no pending operations)\n",
			"  MPI_COMM_SELF  rank 0 of 1  world ranks [2]  (no pending operations)\n"),
		"\nranks [0-2] (3 ranks)  host node1  /bin/x\n  MPI_COMM_SELF  1 rank  (no pending operations)\n");
}
END_TEST

/* Communicators that are numbered, "row 0", "row 1", each rank
 * in one of them: ranks that do the same there are one group. */
START_TEST(test_numbered)
{
#define ROW(n, own) "  \"row " n "\"  rank " own " of 2  (no pending operations)\n"
	ck_assert_str_eq(printed("  thread 100 in MPI_Barrier on \"row 0\"\n" ROW("0", "0"),
				 "  thread 101 in MPI_Barrier on \"row 0\"\n" ROW("0", "1"),
				 "  thread 102 in MPI_Barrier on \"row 12\"\n" ROW("12", "0")),
			 "\nranks [0-2] (3 ranks)  host node1  /bin/x\n"
			 "  main thread in MPI_Barrier on \"row 0-12\"\n"
			 "  \"row 0-12\"  2 ranks  (no pending operations)\n");
	ck_assert_str_eq(printed(ROW("7", "0"), ROW("7", "1"), ROW("7", "0")),
			 "\nranks [0-2] (3 ranks)  host node1  /bin/x\n"
			 "  \"row 7\"  2 ranks  (no pending operations)\n");
	/* if there are two of them, the number is needed to identify the communicator */
	ck_assert_ptr_nonnull(strstr(printed("  thread 100 in MPI_Barrier on \"row 0\"\n" ROW("0", "0") ROW("1", "0"),
					     "  thread 101 in MPI_Barrier on \"row 0\"\n" ROW("0", "1") ROW("1", "1"),
					     "  thread 102 in MPI_Barrier on \"row 1\"\n" ROW("0", "0") ROW("1", "0")),
				     "ranks [0-1] (2 ranks)"));
	/* names that differ in more, and numbers that would be printed in another way */
	static const char *const names[][3] = { { "x1", "x2", "y1" },       { "x", "x1", "x2" },
						{ "a1b1", "a1b2", "a2b1" }, { "x01", "x02", "x3" },
						{ "1x", "2x", "3" },        { "MPI x1", "MPI x2", "MPI x3" },
						{ "x1", "x2", "x1 " } };
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char texts[3][64];
		for (size_t k = 0; k < 3; k++)
			snprintf(texts[k], sizeof(texts[k]), "  %s  rank 0 of 2  (no pending operations)\n",
				 names[i][k]);
		ck_assert_msg(!strstr(printed(texts[0], texts[1], texts[2]), "ranks [0-2]"), "%s", names[i][2]);
	}
}
END_TEST

/* Many operations that differ in nothing but the peer are one line. */
START_TEST(test_folded)
{
#define FROM(rank) "    unexpected                 from " rank "     tag 5    4 bytes\n"
	ck_assert_str_eq(printed(COMM("0") FROM("1") FROM("2") FROM("1") "    send  to 1  tag 9\n", "", ""),
			 "\nrank 0 of 3  pid 100  host node1  /bin/x\n" COMM(
				 "0") "    unexpected                 from [1-2]  tag 5    4 bytes  (3 of them)\n"
				      "    send  to 1  tag 9\n"
				      "\nranks [1-2] (2 ranks)  host node1  /bin/x\n");
	ck_assert_ptr_nonnull(
		strstr(printed(COMM("0") FROM("1") FROM("2") "    send  to 1  tag 9\n", "", ""), FROM("1") FROM("2")));
	ck_assert_ptr_nonnull(strstr(printed(COMM("0") FROM("1") "    unexpected  from 2  tag 6\n" FROM("2"), "", ""),
				     FROM("1") "    unexpected  from 2  tag 6\n" FROM("2")));
}
END_TEST

/* A text that ends in the middle of a pattern, and ranks that are in no communicator. */
START_TEST(test_odd_texts)
{
	static const char *const texts[] = { "  rank ",
					     "  rank 1",
					     "  rank 1 of ",
					     COMM("0") "    send  to ",
					     COMM("0") "    send  to 9  tag 5\n",
					     COMM("0") "    send  to 99999999999\n",
					     "  x  rank 5 of 0\n    send  to 0  tag 5\n",
					     "  x  rank 0 of 2  world ranks [0",
					     "thread ",
					     "thread 99999999999999999999 x\n",
					     COMM("0") "    from 1" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *out = printed(texts[i], texts[i], texts[i]);
		ck_assert_msg(strstr(out, "ranks [0-2] (3 ranks)  host node1  /bin/x\n"), "%zu: %s", i, out);
	}
}
END_TEST

/* On different hosts: two are named, of many their number is said. */
START_TEST(test_hosts)
{
	host_of_one = "node2";
	ck_assert_str_eq(printed("  x\n", "  x\n", "  x\n"),
			 "\nranks [0-2] (3 ranks)  hosts node1, node2  /bin/x\n  x\n");
	host_of_one = "node1";
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
	tcase_add_test(tc, test_threads);
	tcase_add_test(tc, test_ring);
	tcase_add_test(tc, test_one_for_all);
	tcase_add_test(tc, test_world_ranks);
	tcase_add_test(tc, test_inter);
	tcase_add_test(tc, test_numbered);
	tcase_add_test(tc, test_members);
	tcase_add_test(tc, test_folded);
	tcase_add_test(tc, test_odd_texts);
	tcase_add_test(tc, test_hosts);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
