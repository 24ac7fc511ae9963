/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg deadlock on input that is not as it should be: each defect is said in a line, and the rest is judged. The snapshots are made
 * up (tests/support/snapshots.h): a ring of receives, a cycle of all.
 */
#include "../support/mpidbg_run.h"
#include "../support/scratch.h"
#include "../support/snapshots.h"
#include "../support/suite.h"

#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 4 };

static char whole[SCRATCH_MAX], part[SCRATCH_MAX];
static struct mpidbg_run run;

static json_t *ring(void)
{
	snapshots_write(whole, SNAPSHOTS_RING, &(struct snapshots_at){ .n = N, .time = 1763712000 });
	json_t *ret = json_load_file(whole, 0, NULL);
	ck_assert_ptr_nonnull(ret);
	return ret;
}

static void keep(json_t *snapshot, const char *path)
{
	ck_assert_int_eq(json_dump_file(snapshot, path, 0), 0);
	json_decref(snapshot);
}

/* Leave the ranks from first to last of the snapshot. */
static json_t *ranks(int first, int last)
{
	json_t *ret = ring(), *list = json_object_get(ret, "processes");

	for (size_t i = json_array_size(list); i-- > 0;)
		if ((int)i < first || (int)i > last)
			json_array_remove(list, i);
	return ret;
}

static void ask(void)
{
	mpidbg_run_free(&run);
	mpidbg_run(&run, "deadlock", "--snapshot", whole, part, NULL);
}

/* One line, and no other. */
static void said(const char *line)
{
	const char *end = strchr(run.err, '\n');

	ck_assert_msg(strstr(run.err, line) && end && !end[1], "%s%s", run.out, run.err);
}

static void setup(void)
{
	memset(&run, 0, sizeof(run));
	fclose(fdopen(scratch_file(whole, "whole"), "w"));
	fclose(fdopen(scratch_file(part, "part"), "w"));
}

static void teardown(void)
{
	mpidbg_run_free(&run);
	remove(whole);
	remove(part);
}

START_TEST(test_parts)
{
	json_t *second = ranks(2, 3);
	keep(ranks(0, 1), whole);
	keep(second, part);
	ask();
	ck_assert_str_eq(run.err, "");
	ck_assert_int_eq(run.exit_code, 4);
	ck_assert_msg(strstr(run.out, "4 of 4 ranks wait for something that can never happen."), "%s", run.out);
}
END_TEST

/* A message from rank 0 to rank 1 and one from rank 1 to rank 2 have not arrived. */
static void set_flows(json_t *snapshot)
{
	static const int numbers[][6] = { { 1, 3, 1 }, { 0, 0, 3, 2, 7, 1 }, { 1, 0, 7 } };
	json_t *process;
	size_t i;

	json_array_foreach(json_object_get(snapshot, "processes"), i, process)
	{
		json_int_t rank = json_integer_value(json_object_get(process, "rank"));
		json_t *comm = json_array_get(json_object_get(process, "communicators"), 0), *flows = json_array();
		for (int k = 0; rank < 3 && k < (rank == 1 ? 6 : 3); k++)
			json_array_append_new(flows, json_integer(numbers[rank][k]));
		json_object_set_new(comm, "flows", flows);
		if (!json_object_get(comm, "unexpected"))
			json_object_set_new(comm, "unexpected", json_array());
	}
}

/* From rank 0 to 1 only: both are of one part, also if merged snapshots are merged again. */
static void has_one_on_its_way(void)
{
	json_t *answer = mpidbg_run_json(&run),
	       *list = json_object_get(json_object_get(answer, "verdict"), "on_their_way");

	ck_assert_msg(json_array_size(list) == 1, "%s", run.out);
	ck_assert_int_eq(json_integer_value(json_object_get(json_array_get(list, 0), "from")), 0);
	ck_assert_int_eq(json_integer_value(json_object_get(json_array_get(list, 0), "to")), 1);
	json_decref(answer);
}

START_TEST(test_on_their_way)
{
	char merged[SCRATCH_MAX];

	fclose(fdopen(scratch_file(merged, "merged"), "w"));
	json_t *last = ranks(3, 3), *second = ranks(2, 2), *first = ranks(0, 1);
	set_flows(first);
	set_flows(second);
	json_object_set_new(second, "time", json_integer(1763712002));
	keep(first, whole);
	keep(second, part);
	mpidbg_run(&run, "deadlock", "--json", "--snapshot", whole, part, NULL);
	has_one_on_its_way();
	mpidbg_run_free(&run);
	mpidbg_run(&run, "snapshot", "--snapshot", whole, part, NULL);
	keep(mpidbg_run_json(&run), merged);
	keep(last, part);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "deadlock", "--json", "--snapshot", part, merged, NULL);
	has_one_on_its_way();
	ck_assert_msg(strstr(run.out, "merged from 3 snapshots, taken within 3 s: messages in flight between them "
				      "are unknown"),
		      "%s", run.out);
	remove(merged);
}
END_TEST

START_TEST(test_damaged_json)
{
	FILE *f = fopen(part, "w");

	keep(ring(), whole);
	fputs("{\"schema\": \"mpidbg-snapshot/2\", \"processes\": [{\"rank\": 0, ", f);
	fclose(f);
	ask();
	said(": no JSON: ");
	ck_assert_int_eq(run.exit_code, 4);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "deadlock", "--snapshot", part, NULL);
	said(": no JSON: ");
	ck_assert_int_eq(run.exit_code, 3);
	ck_assert_str_eq(run.out, "");
}
END_TEST

START_TEST(test_missing_part)
{
	keep(ranks(0, 2), part);
	keep(ranks(0, 2), whole);
	mpidbg_run(&run, "deadlock", "--snapshot", part, NULL);
	ck_assert_int_eq(run.exit_code, 0);
	ck_assert_msg(strstr(run.out, "1 rank of MPI_COMM_WORLD is not here: it counts as able to go on"), "%s",
		      run.out);
	ck_assert_msg(strstr(run.out, "\nno deadlock"), "%s", run.out);
}
END_TEST

/* The same ranks in two files. */
START_TEST(test_twice)
{
	json_t *second = ranks(1, 1);
	keep(ring(), whole);
	keep(second, part);
	ask();
	said(": rank 1 is in an earlier file, too: that one counts");
	ck_assert_int_eq(run.exit_code, 4);
}
END_TEST

/* Two processes of one file have a rank: it is not known which is meant, and nothing is concluded from either. */
START_TEST(test_two_of_one_rank)
{
	json_t *snapshot = ring(), *list = json_object_get(snapshot, "processes");
	json_t *other = json_deep_copy(json_array_get(list, 2));

	json_object_set_new(other, "pid", json_integer(4711));
	json_array_insert_new(list, 0, other);
	keep(snapshot, whole);
	mpidbg_run(&run, "deadlock", "--snapshot", whole, NULL);
	said(": another process has rank 2 as well: both are omitted");
	ck_assert_msg(strstr(run.out, "not read: rank 2: it counts as able to go on"), "%s", run.out);
	ck_assert_int_ne(run.exit_code, 4);
}
END_TEST

START_TEST(test_rank_not_known)
{
	json_t *snapshot = ring(), *process = json_array_get(json_object_get(snapshot, "processes"), 3);

	json_object_set_new(process, "rank", json_null());
	json_object_set_new(process, "pid", json_integer(4711));
	keep(snapshot, whole);
	mpidbg_run(&run, "deadlock", "--snapshot", whole, NULL);
	said("process 4711: its rank is unknown: it is omitted");
	ck_assert_int_ne(run.exit_code, 4);
}
END_TEST

START_TEST(test_another_job)
{
	json_t *second = ranks(2, 3);

	json_object_set_new(json_object_get(second, "job"), "launcher", json_integer(77));
	keep(second, part);
	json_t *first = ranks(0, 1);
	json_object_set_new(json_object_get(first, "job"), "launcher", json_integer(66));
	keep(first, whole);
	ask();
	said(": has another launcher than the files before: is it of this job?");
}
END_TEST

START_TEST(test_other_moment)
{
	json_t *second = ranks(2, 3);

	json_object_set_new(second, "time", json_integer(1763712000 + 3600));
	keep(second, part);
	keep(ranks(0, 1), whole);
	ask();
	said(": was taken 3600 s after the files before: what its ranks were doing then is not known");
	ck_assert_msg(strstr(run.out, "merged from 2 snapshots, taken within 3601 s: "), "%s", run.out);
}
END_TEST

/* A rank that has ended while the others were read: it will not send any more. */
START_TEST(test_gone)
{
	json_t *snapshot = ring(), *list = json_object_get(snapshot, "processes");

	json_array_set_new(list, 2,
			   json_pack("{s:i, s:i, s:i, s:s, s:[s]}", "rank", 2, "pid", 4711, "world_number", 0, "state",
				     "gone", "problems", "process 4711 is gone"));
	keep(snapshot, whole);
	mpidbg_run(&run, "deadlock", "--snapshot", whole, NULL);
	ck_assert_msg(strstr(run.out, "\nmissing rank: look at rank 2, which has ended\n"), "%s%s", run.out, run.err);
	ck_assert_int_eq(run.exit_code, 4);
}
END_TEST

/* One that could not be read: it may do anything. */
START_TEST(test_unread)
{
	json_t *snapshot = ring(), *list = json_object_get(snapshot, "processes");

	json_array_set_new(list, 2, json_pack("{s:i, s:i, s:i}", "rank", 2, "pid", 4711, "world_number", 0));
	keep(snapshot, whole);
	mpidbg_run(&run, "deadlock", "--snapshot", whole, NULL);
	ck_assert_msg(strstr(run.out, "not read: rank 2: it counts as able to go on"), "%s%s", run.out, run.err);
	ck_assert_int_eq(run.exit_code, 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("deadlock_input");
	TCase *t = tcase_create("snapshots");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, test_parts);
	tcase_add_test(t, test_on_their_way);
	tcase_add_test(t, test_damaged_json);
	tcase_add_test(t, test_missing_part);
	tcase_add_test(t, test_twice);
	tcase_add_test(t, test_two_of_one_rank);
	tcase_add_test(t, test_rank_not_known);
	tcase_add_test(t, test_another_job);
	tcase_add_test(t, test_other_moment);
	tcase_add_test(t, test_gone);
	tcase_add_test(t, test_unread);
	suite_add_tcase(s, t);
	return suite_run(s);
}
