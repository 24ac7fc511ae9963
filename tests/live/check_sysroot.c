/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A core whose files lie in a folder, as those of another machine or of a container: --sysroot. The program is there
 * only; then a library is replaced by another one.
 */
#include "../support/job.h"
#include "../support/mpidbg_run.h"
#include "../support/scratch.h"
#include "../support/shell.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIMEOUT_S = 120 };

static char dir[SCRATCH_MAX], root[SCRATCH_MAX + 8], program[SCRATCH_MAX + 32];
static struct job job;

static void setup(void)
{
	char command[SCRATCH_MAX + 48];

	scratch_make(dir, "sysroot");
	snprintf(root, sizeof(root), "%s/root", dir);
	snprintf(program, sizeof(program), "%s/program", dir);
	shell_run("cp %s/programs/blocked %s", getenv("MPIDBG_BUILD"), program);
	snprintf(command, sizeof(command), "%s Recv", program);
	job_start(command, NULL, 2, 0, &job);
	job_cores(&job);
	shell_run("mkdir %s && awk '$6 ~ /^\\// && !/deleted/ { print $6 }' /proc/%d/maps | sort -u | grep -v -e ^/dev "
		  "-e "
		  "^/tmp/ompi | "
		  "xargs cp --parents -t %s && rm %s",
		  root, (int)job.ranks[0].pid, root, program);
	job_stop(&job);
}

static void teardown(void)
{
	job_end(&job);
	scratch_remove(dir);
}

/* The program's line is known only from its file. */
START_TEST(test_found)
{
	struct mpidbg_run with, without;

	mpidbg_run(&without, "calls", "--core", job.ranks[0].core, NULL);
	mpidbg_run(&with, "calls", "--core", job.ranks[0].core, "--sysroot", root, NULL);
	ck_assert_msg(strstr(without.err, "program: No such file") && !strstr(without.out, "blocked.c:"), "%s%s",
		      without.err, without.out);
	ck_assert_msg(!strstr(with.err, root) && !strstr(with.err, "program"), "%s", with.err);
	ck_assert_msg(strstr(with.out, "in MPI_Recv") && strstr(with.out, "blocked.c:"), "%s", with.out);
	mpidbg_run_free(&without);
	mpidbg_run_free(&with);
}
END_TEST

/* Without build-id pages in the core nothing could tell: gcore writes them. */
START_TEST(test_another_library)
{
	struct mpidbg_run run;

	shell_run("f=$(find %s -name 'libmpi.so.40*') && cp $(find %s -name 'libopen-pal.so*' | head -n 1) $f", root,
		  root);
	mpidbg_run(&run, "queues", "--core", job.ranks[0].core, "--sysroot", root, NULL);
	ck_assert_msg(strstr(run.err, "build-id differs from the core's"), "%s", run.err);
	mpidbg_run_free(&run);
}
END_TEST

/* What the folder has not is taken from here if it is proven to be the same. */
START_TEST(test_not_in_folder)
{
	struct mpidbg_run run;

	shell_run("find %s -name 'libmpi.so.40*' -delete", root);
	mpidbg_run(&run, "calls", "--core", job.ranks[0].core, "--sysroot", root, NULL);
	ck_assert_msg(strstr(run.out, "blocked.c:"), "%s%s", run.err, run.out);
	mpidbg_run_free(&run);
}
END_TEST

START_TEST(test_usage)
{
	static const char *const folders[][2] = { { "/nonexistent", "No such file or directory" },
						  { "/etc/passwd", "is not a folder" },
						  { "/", "--sysroot goes with --core" } };
	struct mpidbg_run run;

	mpidbg_run(&run, "queues", "-p", "1", "--sysroot", folders[_i][0], NULL);
	ck_assert_int_eq(run.exit_code, 2);
	ck_assert_msg(strstr(run.err, folders[_i][1]), "%s", run.err);
	mpidbg_run_free(&run);
}
END_TEST

int main(void)
{
	job_require();
	Suite *suite = suite_create("sysroot");
	TCase *tc = tcase_create("cores"), *usage = tcase_create("usage");

	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_found);
	tcase_add_test(tc, test_another_library);
	tcase_add_test(tc, test_not_in_folder);
	tcase_add_loop_test(usage, test_usage, 0, 3);
	suite_add_tcase(suite, tc);
	suite_add_tcase(suite, usage);
	return suite_run(suite);
}
