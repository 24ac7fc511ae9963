/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs of the standard ABI of MPI 5, compiled once and run with both MPIs, nothing prepared. Only where both have a library of the
 * ABI (Debian sid): elsewhere the makefile leaves this test out.
 */
#include "../support/job.h"
#include "../support/mpidbg_run.h"
#include "../support/suite.h"

#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMEOUT_S = 300, ASKED_S = 120 };

static const char *const mpis[] = { "openmpi", "mpich" };

/* Start a program of build/programs-abi with the library of one MPI; @p abi false: the one that is linked with its libmpi. */
static void start(const char *command, bool mpich, bool abi, int n, struct job *ret)
{
	char build[PATH_MAX], text[PATH_MAX + 128];

	ck_assert_ptr_nonnull(realpath(getenv("MPIDBG_BUILD"), build));
	snprintf(text, sizeof(text), "%s/programs-abi/%s", build, mpis[mpich]);
	if (abi)
		setenv("LD_LIBRARY_PATH", text, 1);
	snprintf(text, sizeof(text), "%s/programs-abi/%s", build, command);
	if (mpich && abi) /* below the build folder's programs-mpich */
		snprintf(text, sizeof(text), "../programs-abi/%s", command);
	if (mpich)
		job_start_mpich(abi ? text : command, n, ret);
	else
		job_start(abi ? text : command, NULL, n, 0, ret);
	unsetenv("LD_LIBRARY_PATH");
}

/* The verdict of the job, once it is a deadlock: its first lines up to the time that it names, and who waits. */
static void verdict(const struct job *job, char *ret, size_t size)
{
	struct mpidbg_run run = { 0 };
	double until = job_now() + ASKED_S;
	char pid[32];

	snprintf(pid, sizeof(pid), "%d", (int)job->launcher);
	do {
		mpidbg_run_free(&run);
		mpidbg_run(&run, "deadlock", "--job", pid, NULL);
	} while (run.exit_code != 4 && job_now() < until);
	ck_assert_msg(run.exit_code == 4, "exit %d\n%s%s", run.exit_code, run.out, run.err);
	const char *seen = strstr(run.out, "\nseen at "), *rest = seen ? strchr(seen + 1, '\n') : NULL;
	ck_assert_msg(rest, "%s", run.out);
	snprintf(ret, size, "%.*s%s", (int)(seen - run.out), run.out, rest);
	mpidbg_run_free(&run);
}

static const struct {
	const char *command;
	int n;
} hangs[] = { { "hangs any_source", 3 },  { "hangs wrong_tag", 3 },   { "hangs persistent_ring", 3 },
	      { "hangs self_recv", 2 },   { "hangs waitany_all", 3 }, { "hangs send_send", 2 },
	      { "hangs wrong_source", 3 } };

START_TEST(test_same_verdict)
{
	char texts[2][8192];
	struct job job;

	for (int mpich = 0; mpich < 2; mpich++) {
		for (int abi = 0; abi < 2; abi++) {
			start(hangs[_i].command, mpich, abi, hangs[_i].n, &job);
			verdict(&job, texts[abi], sizeof(texts[abi]));
			job_end(&job);
		}
		ck_assert_str_eq(texts[0], texts[1]);
	}
}
END_TEST

static void expect(const char *pid, const char *const words[], const char *what, const char *value, const char *kind)
{
	struct mpidbg_run run;

	if (kind)
		mpidbg_run(&run, what, kind, value, "-p", pid, NULL);
	else
		mpidbg_run(&run, what, value, "-p", pid, NULL);
	for (; *words; words++)
		ck_assert_msg(strstr(run.out, *words), "%s %s: no \"%s\"\n%s%s", what, value, *words, run.out, run.err);
	mpidbg_run_free(&run);
}

/* Facts that are stored as constants of the ABI, and wildcards. */
START_TEST(test_objects)
{
	struct job job;
	char pid[32];

	start("standard", _i, true, 2, &job);
	snprintf(pid, sizeof(pid), "%d", (int)job.ranks[0].pid);
	expect(pid, (const char *const[]){ "grid", "cartesian topology, dims [2] periods [yes]", NULL }, "comms",
	       "--all", NULL);
	expect(pid, (const char *const[]){ "column", "(vector)", NULL }, "handles", "datatype", NULL);
	expect(pid, (const char *const[]){ "window", "size 4 bytes", NULL }, "handles", "win", NULL);
	expect(pid, (const char *const[]){ "from any   tag any  4 bytes", "from 1     tag 11   4 bytes", NULL },
	       "queues", "--no-verdict", NULL);
	job_end(&job);
}
END_TEST

int main(void)
{
	job_require();
	Suite *suite = suite_create("abi");
	TCase *tc = tcase_create("abi");

	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_loop_test(tc, test_same_verdict, 0, sizeof(hangs) / sizeof(hangs[0]));
	tcase_add_loop_test(tc, test_objects, 0, 2);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
