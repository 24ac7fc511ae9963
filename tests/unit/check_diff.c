/* SPDX-License-Identifier: BSD-3-Clause */
/* mpidbg diff of made-up snapshots: what differs is known, because it was written so. Real jobs:
 * tests/live/check_diff.c. */
#include "../support/mpidbg_run.h"
#include "../support/scratch.h"
#include "../support/snapshots.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 4096, LONG_AGO = 1763712000 };

static char dir[SCRATCH_MAX], a[SCRATCH_MAX + 16], b[SCRATCH_MAX + 16];
static struct mpidbg_run run;

static void setup(void)
{
	scratch_make(dir, "diff");
	snprintf(a, sizeof(a), "%s/a.json", dir);
	snprintf(b, sizeof(b), "%s/b.json", dir);
}

static void teardown(void)
{
	mpidbg_run_free(&run);
	scratch_remove(dir);
}

static void earlier(enum snapshots_kind kind, struct snapshots_at at)
{
	at.time = LONG_AGO;
	snapshots_write(a, kind, &at);
}

static void later(enum snapshots_kind kind, struct snapshots_at at)
{
	at.time = LONG_AGO + 12;
	snapshots_write(b, kind, &at);
}

static void says(const char *text)
{
	ck_assert_msg(strstr(run.out, text) != NULL, "not there: %s\n%.1500s", text, run.out);
}

static void ends_with(const char *sentence)
{
	size_t n = strlen(run.out), m = strlen(sentence);

	ck_assert_msg(n > m && strcmp(run.out + n - m, sentence) == 0, "%s", run.out);
}

START_TEST(test_stuck)
{
	earlier(SNAPSHOTS_RING, (struct snapshots_at){ .n = MANY });
	later(SNAPSHOTS_RING, (struct snapshots_at){ .n = MANY });
	mpidbg_run(&run, "diff", a, b, NULL);
	ck_assert_int_eq(run.exit_code, 0);
	ck_assert_str_eq(run.out, "  ranks [0-4095]  no change        MPI_Recv from rank-1, tag 5 on MPI_COMM_WORLD, "
				  "at solve.c:71 in step\n\n"
				  "no message has arrived, no receive and no send is done\n"
				  "stuck: none of 4096 ranks has made progress in 12 s\n");
}
END_TEST

START_TEST(test_slow)
{
	int *seen = calloc(MANY, sizeof(*seen));
	json_t *group, *rank;
	size_t i, k;

	earlier(SNAPSHOTS_RING, (struct snapshots_at){ .n = MANY });
	later(SNAPSHOTS_RING, (struct snapshots_at){ .n = MANY, .moved = 3 });
	mpidbg_run(&run, "diff", a, b, NULL);
	ck_assert_int_eq(run.exit_code, 0);
	says("  ranks [0-2]     went on          MPI_Recv from rank");
	says("-1, tag 5 on MPI_COMM_WORLD, at solve.c:71 in step  ->  MPI_Barrier on MPI_COMM_WORLD, at solve.c:71 in "
	     "step\n");
	says("messages: 0 arrived unexpectedly, 3 received, 0 sent\n");
	ends_with("slow: 3 of 4096 ranks have made progress in 12 s; ranks [3-4095] have not\n");
	mpidbg_run_free(&run);

	/* each rank is in one group */
	mpidbg_run(&run, "diff", "--json", a, b, NULL);
	json_t *answer = mpidbg_run_json(&run), *changes = json_object_get(answer, "changes");
	ck_assert_str_eq(json_string_value(json_object_get(changes, "result")), "slow");
	ck_assert_int_eq(json_integer_value(json_object_get(changes, "seconds")), 12);
	json_array_foreach(json_object_get(changes, "groups"), i, group)
	{
		const char *change = json_string_value(json_object_get(group, "change"));
		json_array_foreach(json_object_get(group, "ranks"), k, rank)
		{
			int r = (int)json_integer_value(rank);
			ck_assert(r >= 0 && r < MANY);
			seen[r]++;
			ck_assert_str_eq(change, r < 3 ? "went on" : "no change");
		}
	}
	for (int r = 0; r < MANY; r++)
		ck_assert_int_eq(seen[r], 1);
	json_decref(answer);
	free(seen);
}
END_TEST

START_TEST(test_calls)
{
	earlier(SNAPSHOTS_RING, (struct snapshots_at){ .n = 4, .n_calls = 5 });
	later(SNAPSHOTS_RING, (struct snapshots_at){ .n = 4, .n_calls = 8, .n_unexpected = 2 });
	mpidbg_run(&run, "diff", a, b, NULL);
	says("went on          again MPI_Recv from rank");
	says("  (3 MPI calls)\n");
	says("messages: 2 arrived unexpectedly, 0 received, 0 sent\n");
	ends_with("going on: all of 4 ranks have made progress in 12 s\n");
}
END_TEST

/* The later one first; and ranks that only one of them has. */
START_TEST(test_order)
{
	earlier(SNAPSHOTS_RING, (struct snapshots_at){ .n = 5 });
	later(SNAPSHOTS_RING, (struct snapshots_at){ .n = 5, .moved = 1 });
	mpidbg_run(&run, "diff", b, a, NULL);
	ck_assert_int_eq(run.exit_code, 0);
	ck_assert_msg(strstr(run.err, "a.json is the earlier snapshot: compared in this order"), "%s", run.err);
	ends_with("slow: 1 of 5 ranks has made progress in 12 s; ranks [1-4] have not\n");
	mpidbg_run_free(&run);
	earlier(SNAPSHOTS_MISSING, (struct snapshots_at){ .n = 20 });
	later(SNAPSHOTS_MISSING, (struct snapshots_at){ .n = 18 });
	mpidbg_run(&run, "diff", a, b, NULL);
	says("  ranks [18-19]  not known        MPI_Allreduce on MPI_COMM_WORLD, at solve.c:71 in step  ->  not in "
	     "this snapshot\n");
}
END_TEST

/* The groups of the two are not the same ones, and the later one has more of them. */
START_TEST(test_groups)
{
	earlier(SNAPSHOTS_RING, (struct snapshots_at){ .n = 40 });
	later(SNAPSHOTS_APART, (struct snapshots_at){ .n = 40 });
	mpidbg_run(&run, "diff", a, b, NULL);
	ck_assert_int_eq(run.exit_code, 0);
	says("  rank 39  went on          MPI_Recv from rank-1, tag 5 on MPI_COMM_WORLD, at solve.c:71 in step  ->  ");
	mpidbg_run_free(&run);
	/* the ranks belong to other processes, each in its own group; the earlier snapshot has one group */
	snapshots_write(b, SNAPSHOTS_APART, &(struct snapshots_at){ .n = 40, .time = 2000000000 });
	mpidbg_run(&run, "diff", "--json", "tests/snapshots/ring_tag.json", b, NULL);
	json_t *answer = mpidbg_run_json(&run), *group;
	size_t i, n = 0;
	json_array_foreach(json_object_get(json_object_get(answer, "changes"), "groups"), i, group)
	{
		const char *before = json_string_value(json_object_get(group, "before"));
		if (!before)
			continue;
		ck_assert_str_eq(before, "MPI_Recv from rank-1, tag 8 on MPI_COMM_WORLD, at ring_hang.c:61 in main");
		n++;
	}
	ck_assert_uint_eq(n, 4);
	ck_assert_uint_eq(i, 40);
	json_decref(answer);
}
END_TEST

static size_t n_lines(void)
{
	size_t n = 0;

	for (const char *s = run.out; (s = strstr(s, "went on ")); s++)
		n++;
	return n;
}

/* Too many lines: the one of the rank that the verdict names is shown; and all with --all. */
START_TEST(test_lines)
{
	enum { N = 17 * 17, SHOWN = 60 };

	earlier(SNAPSHOTS_APART, (struct snapshots_at){ .n = N });
	later(SNAPSHOTS_COMPUTING, (struct snapshots_at){ .n = N });
	mpidbg_run(&run, "diff", a, b, NULL);
	ck_assert_uint_eq(n_lines(), SHOWN);
	says("  rank 272  went on          MPI_Recv from ");
	says("\n  and 229 more lines (--all shows them)\n");
	mpidbg_run_free(&run);
	mpidbg_run(&run, "diff", "--all", b, a, NULL); /* compared in the order of their times */
	ck_assert_uint_eq(n_lines(), N);
	ck_assert_msg(!strstr(run.out, "more lines"), "%s", run.out);
}
END_TEST

START_TEST(test_refused)
{
	earlier(SNAPSHOTS_RING, (struct snapshots_at){ .n = 4, .text = "\033[31m</b>" });
	later(SNAPSHOTS_RING, (struct snapshots_at){ .n = 4, .schema = "mpidbg-snapshot/4" });
	mpidbg_run(&run, "diff", a, b, NULL);
	ck_assert_int_eq(run.exit_code, 3);
	ck_assert_msg(strstr(run.err, "is no snapshot that this version knows (mpidbg-snapshot/4)"), "%s", run.err);
	ck_assert_str_eq(run.out, "");
	mpidbg_run_free(&run);
	mpidbg_run(&run, "diff", a, a, NULL);
	ck_assert_int_eq(run.exit_code, 0);
	ck_assert_ptr_null(strchr(run.out, '\033'));
	ends_with("stuck: none of 4 ranks has made progress in less than 1 s\n");
	mpidbg_run_free(&run);
	mpidbg_run(&run, "diff", a, NULL);
	ck_assert_int_eq(run.exit_code, 2);
	ck_assert_str_eq(run.err, "mpidbg: diff: two snapshots are needed: mpidbg diff EARLIER.json LATER.json, "
				  "written by mpidbg snapshot; or mpidbg diff --job JOB\n");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("diff");
	TCase *tc = tcase_create("made up");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_stuck);
	tcase_add_test(tc, test_slow);
	tcase_add_test(tc, test_calls);
	tcase_add_test(tc, test_order);
	tcase_add_test(tc, test_groups);
	tcase_add_test(tc, test_lines);
	tcase_add_test(tc, test_refused);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
