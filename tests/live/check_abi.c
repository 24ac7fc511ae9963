/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs of the standard ABI of MPI 5, compiled once and run with both MPIs, without and with the in-target library.
 * Only where both have a library of the ABI (Debian sid): elsewhere the makefile leaves this test out.
 */
#include "../support/job.h"
#include "../support/mpidbg_run.h"
#include "../support/shell.h"
#include "../support/suite.h"

#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMEOUT_S = 300, ASKED_S = 120 };

static const char *const mpis[] = { "openmpi", "mpich" };

/* How a program is started: the one of the ABI, otherwise the one that is linked with libmpi; and by mpi2dd-run. */
enum { ABI = 1, PREPARED = 2, N_WAYS = 4 };

static void start(const char *command, bool mpich, int way, int n, struct job *ret)
{
	static char starter[PATH_MAX + 32];
	char build[PATH_MAX], text[PATH_MAX + 128];

	ck_assert_ptr_nonnull(realpath(getenv("MPIDBG_BUILD"), build));
	snprintf(starter, sizeof(starter), "%s/mpi2dd-run", build);
	job_starter = way & PREPARED ? starter : NULL;
	snprintf(text, sizeof(text), "%s/programs-abi/%s", build, mpis[mpich]);
	if (way & ABI)
		setenv("LD_LIBRARY_PATH", text, 1);
	snprintf(text, sizeof(text), "%s/programs-abi/%s", build, command);
	if (mpich && way & ABI) /* below the build folder's programs-mpich */
		snprintf(text, sizeof(text), "../programs-abi/%s", command);
	if (mpich)
		job_start_mpich(way & ABI ? text : command, n, ret);
	else
		job_start(way & ABI ? text : command, NULL, n, 0, ret);
	unsetenv("LD_LIBRARY_PATH");
	job_starter = NULL;
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

static void cut_first_line(char *text)
{
	text[strcspn(text, "\n")] = '\0';
}

/* The program of the ABI has the verdict of the one that is linked with libmpi, without and with
 * the in-target library. */
START_TEST(test_same_verdict)
{
	static char texts[2][N_WAYS][8192];
	struct job job;

	for (int mpich = 0; mpich < 2; mpich++) {
		for (int way = 0; way < N_WAYS; way++) {
			start(hangs[_i].command, mpich, way, hangs[_i].n, &job);
			verdict(&job, texts[mpich][way], sizeof(texts[mpich][way]));
			job_end(&job);
		}
		ck_assert_str_eq(texts[mpich][0], texts[mpich][ABI]);
		ck_assert_str_eq(texts[mpich][PREPARED], texts[mpich][PREPARED | ABI]);
	}
	cut_first_line(texts[0][PREPARED | ABI]);
	cut_first_line(texts[1][PREPARED | ABI]);
	ck_assert_str_eq(texts[0][PREPARED | ABI], texts[1][PREPARED | ABI]);
}
END_TEST

static void expect(const char *pid, const char *const words[], const char *what, const char *value, const char *kind)
{
	struct mpidbg_run run;

	if (!value)
		mpidbg_run(&run, what, "-p", pid, NULL);
	else if (kind)
		mpidbg_run(&run, what, kind, value, "-p", pid, NULL);
	else
		mpidbg_run(&run, what, value, "-p", pid, NULL);
	for (; *words; words++)
		ck_assert_msg(strstr(run.out, *words), "%s %s: no \"%s\"\n%s%s", what, value ? value : "", *words,
			      run.out, run.err);
	mpidbg_run_free(&run);
}

static const char *fact(const json_t *truth, const char *name)
{
	return json_string_value(json_object_get(truth, name));
}

/* Facts that are stored as constants of the ABI, wildcards, and handles as the program has them. */
START_TEST(test_objects)
{
	const int mpich = _i & 1, way = ABI | (_i & PREPARED);
	const json_t *truth;
	struct job job;
	char pid[32];

	start("standard", mpich, way, 2, &job);
	truth = job.ranks[0].truth;
	snprintf(pid, sizeof(pid), "%d", (int)job.ranks[0].pid);
	expect(pid, (const char *const[]){ "grid", "cartesian topology, dims [2] periods [yes]", NULL }, "comms",
	       "--all", NULL);
	expect(pid, (const char *const[]){ "column", "size 24, extent 88", NULL }, "handles", "datatype", NULL);
	expect(pid, (const char *const[]){ "window", "size 4 bytes", NULL }, "handles", "win", NULL);
	expect(pid, (const char *const[]){ "from any   tag any  4 bytes", "from 1     tag 11   4 bytes", NULL },
	       "queues", "--no-verdict", NULL);
	/* of the two receives, that of the blocked call */
	expect(pid, (const char *const[]){ "receive     MPI_Recv       from 1     tag 11 ", NULL }, "queues",
	       "--no-verdict", NULL);
	expect(pid, (const char *const[]){ "communicator MPI_COMM_WORLD", NULL }, "print", "0x101", "comm");
	expect(pid, (const char *const[]){ "communicator MPI_COMM_SELF", NULL }, "print", "fortran:0x102", "comm");
	expect(pid, (const char *const[]){ "datatype MPI_INT", NULL }, "print", "0x209", "datatype");
	expect(pid, (const char *const[]){ "communicator grid", NULL }, "print", fact(truth, "grid"), "comm");
	expect(pid, (const char *const[]){ "communicator grid", NULL }, "print", fact(truth, "fortran"), "comm");
	expect(pid, (const char *const[]){ "datatype column", "vector", NULL }, "print", fact(truth, "column"),
	       "datatype");
	expect(pid, (const char *const[]){ "peer                any", "tag                 any", NULL }, "print",
	       fact(truth, "request"), "request");
	if (way & PREPARED) {
		expect(pid, (const char *const[]){ "MPI_Recv from 1, tag 11, 1 x MPI_INT on MPI_COMM_WORLD", NULL },
		       "calls", NULL, NULL);
		expect(pid, (const char *const[]){ "MPI2DD_TRACK", NULL }, "vars", NULL, NULL);
	}
	job_end(&job);
}
END_TEST

/* Our header of the ABI, and the one that is installed. */
START_TEST(test_header)
{
	const char *n = shell_output(0, "tests/programs/abi/compare_header '%s/programs-abi/include'",
				     getenv("MPIDBG_BUILD"));

	ck_assert_msg(atoi(n) > 250, "%s", n);
}
END_TEST

int main(void)
{
	job_require();
	Suite *suite = suite_create("abi");
	TCase *tc = tcase_create("abi");

	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_loop_test(tc, test_same_verdict, 0, sizeof(hangs) / sizeof(hangs[0]));
	tcase_add_loop_test(tc, test_objects, 0, 4);
	tcase_add_test(tc, test_header);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
