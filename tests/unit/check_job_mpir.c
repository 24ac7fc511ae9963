/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The launcher's table of a job on several hosts, and the processes of this host: process numbers of other hosts may be
 * equal to local ones, and the table may not say them.
 */
#include "../../cli/job_mpir.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { N = 4 };

static struct mpidbg_proc table[N];
static struct host_proc local[N];
static char here[256];

/* Ranks 0 and 1 are on another host, 2 and 3 here. */
static void setup(void)
{
	ck_assert_int_eq(gethostname(here, sizeof(here) - 1), 0);
	memset(table, 0, sizeof(table));
	memset(local, 0, sizeof(local));
	for (int i = 0; i < N; i++) {
		table[i].rank = i;
		table[i].pid = 70000000 + i % 2;
		table[i].host = i < 2 ? "elsewhere" : here;
		table[i].executable = "a.out";
		local[i].rank = i;
		local[i].world_size = N;
		local[i].pid = 70000000 + i % 2;
		snprintf(local[i].job, sizeof(local[i].job), "123");
	}
}

static struct cmd_job add(const struct host_proc *v, size_t n)
{
	struct cmd_mpir m = { .rc = MPIDBG_SUCCESS, .launcher = getpid(), .v = table, .n = N };
	struct cmd_environment env = { .rc = HOST_OK, .v = (struct host_proc *)v, .n = n };
	struct cmd_job ret = { .is_job = true };

	ck_assert(cmd_mpir_add(&m, &env, true, &ret));
	return ret;
}

START_TEST(test_equal_numbers)
{
	struct cmd_job job = add(local + 2, 2);

	ck_assert_uint_eq(job.n, N);
	for (size_t i = 0; i < job.n; i++) {
		ck_assert_int_eq(job.procs[i].rank, (int64_t)i);
		ck_assert_int_eq(job.procs[i].here, i >= 2);
		ck_assert_str_eq(job.procs[i].host, i < 2 ? "elsewhere" : here);
	}
	cmd_job_deinit(&job);
}
END_TEST

/* The host is called otherwise in the table. */
START_TEST(test_other_name)
{
	table[2].host = table[3].host = "another-name";
	struct cmd_job job = add(local + 2, 2);

	ck_assert_uint_eq(job.n, N);
	for (size_t i = 0; i < job.n; i++)
		ck_assert_int_eq(job.procs[i].here, i >= 2);
	cmd_job_deinit(&job);
}
END_TEST

/* The numbers of the table are of no use: the ranks of this host are no second world. */
START_TEST(test_no_numbers)
{
	for (int i = 0; i < N; i++)
		table[i].pid = 80000000 + i;
	struct cmd_job job = add(local + 2, 2);

	ck_assert_uint_eq(job.n, N);
	cmd_job_deinit(&job);
}
END_TEST

/* But one that was spawned is, even if it has a rank that the table has as well. */
START_TEST(test_spawned)
{
	snprintf(local[1].job, sizeof(local[1].job), "124");
	local[1].rank = 3;
	local[1].pid = 90000000;
	local[1].world_size = 7;
	struct cmd_job job = add(local + 1, 3);

	ck_assert_uint_eq(job.n, N + 1);
	ck_assert_str_eq(job.procs[N].job, "124");
	cmd_job_deinit(&job);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("job_mpir");
	TCase *t = tcase_create("table");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_test(t, test_equal_numbers);
	tcase_add_test(t, test_other_name);
	tcase_add_test(t, test_no_numbers);
	tcase_add_test(t, test_spawned);
	suite_add_tcase(s, t);
	return suite_run(s);
}
