/* SPDX-License-Identifier: BSD-3-Clause */
/* Problems of the processes of a job: a problem that several ranks have is printed once. */
#include "../../cli/problems.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX = 8 };

static struct cmd_job job;
static struct cmd_answer answers[MAX];

static void begin(bool is_job)
{
	job = (struct cmd_job){ .is_job = is_job };
	memset(answers, 0, sizeof(answers));
}

/* A process and its problem; NULL: none. @p world names its MPI_COMM_WORLD */
static struct cmd_answer *add(int64_t rank, const char *world, const char *core, const char *words)
{
	size_t i = job.n;
	char name[256];
	struct cmd_proc *p = cmd_job_add(&job, rank, rank < 0 ? 50 : 100 + rank, "node1", "/bin/x", core);

	ck_assert_ptr_nonnull(p);
	p->world = CMD_NO_WORLD;
	cmd_proc_set(&p->job, world);
	cmd_proc_name(&job, p, name, sizeof(name));
	if (words)
		cmd_lines_add(&answers[i].problems, "%s: %s", name, words);
	return &answers[i];
}

/* All lines, each with its end. */
static const char *said(void)
{
	static char text[4096];

	for (size_t i = 0; i < job.n; i++)
		job.procs[i].answer = &answers[i];
	cmd_problems_gather(&job);
	text[0] = '\0';
	for (size_t i = 0; i < job.problems.n; i++) {
		size_t used = strlen(text);

		snprintf(text + used, sizeof(text) - used, "%s\n", job.problems.line[i]);
	}
	for (size_t i = 0; i < job.n; i++)
		cmd_answer_deinit(&answers[i]);
	cmd_job_deinit(&job);
	return text;
}

START_TEST(test_same)
{
	begin(true);
	add(0, "w", NULL, "vars: none");
	add(1, "w", NULL, NULL);
	add(2, "w", NULL, "vars: none");
	add(3, "w", NULL, "vars: none");
	ck_assert_str_eq(said(), "ranks [0,2-3]: vars: none\n");
}
END_TEST

START_TEST(test_different)
{
	begin(true);
	add(0, "w", NULL, "vars: this");
	add(1, "w", NULL, "vars: that");
	ck_assert_str_eq(said(), "rank 0 (process 100): vars: this\nrank 1 (process 101): vars: that\n");
}
END_TEST

/* A rank of another world is another rank; a process without a rank has its own line. */
START_TEST(test_others)
{
	begin(true);
	add(0, "w", NULL, "vars: none");
	add(1, "w", NULL, "vars: none");
	add(0, "spawned", NULL, "vars: none");
	add(-1, "w", NULL, "vars: none");
	ck_assert_str_eq(said(), "ranks [0-1]: vars: none\nrank 0 (process 100): vars: none\nprocess 50: vars: none\n");
	begin(false);
	add(0, "w", NULL, "vars: none");
	ck_assert_str_eq(said(), "process 100: vars: none\n");
}
END_TEST

START_TEST(test_cores)
{
	begin(true);
	add(0, "w", "dir/core.100", "vars: none");
	add(1, "w", "dir/core.101", "vars: none");
	add(2, "w", "dir/core.102", "is cut off");
	ck_assert_str_eq(said(), "ranks [0-1]: vars: none\ndir/core.102: is cut off\n");
}
END_TEST

/* A query that the plugin does not know is unknown for all processes. */
START_TEST(test_unknown)
{
	begin(true);
	for (int rank = 0; rank < 3; rank++) {
		struct cmd_answer *a = add(rank, "w", NULL, NULL);

		a->unknown = true;
		cmd_lines_add(&a->problems, "vars: the plugin does not know that");
	}
	ck_assert_str_eq(said(), "vars: the plugin does not know that\n");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("cli_problems");
	TCase *tc = tcase_create("cli_problems");

	tcase_set_timeout(tc, 20);
	tcase_add_test(tc, test_same);
	tcase_add_test(tc, test_different);
	tcase_add_test(tc, test_others);
	tcase_add_test(tc, test_cores);
	tcase_add_test(tc, test_unknown);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
