/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process before MPI_Init and after MPI_Finalize, under both MPIs, with the in-target library and without it: it is
 * said which it is, nobody is told to start with mpi2dd-run what was, and print and comms agree.
 */
#include "../support/job.h"
#include "../support/mpidbg_run.h"
#include "../support/starter_run.h"
#include "../support/suite.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMEOUT_S = 240, N_CASES = 8 };

static struct starter_run job;
static struct mpidbg_run run;
static char pid[16];

/* A bit each. */
static bool is_mpich(int i)
{
	return i & 1;
}

static bool is_after(int i)
{
	return i & 2;
}

static bool is_prepared(int i)
{
	return i & 4;
}

static void start(int i)
{
	const char *mpi = is_mpich(i) ? "mpich" : "openmpi";

	starter_start(&job, "%smpirun.%s -n 1 %s/programs%s/ends %s", is_prepared(i) ? "R " : "", mpi,
		      getenv("MPIDBG_BUILD"), is_mpich(i) ? "-mpich" : "", is_after(i) ? "after" : "before");
	starter_await(&job, "ready ");
	snprintf(pid, sizeof(pid), "%d", atoi(strstr(job.out, "ready ") + 6));
}

static void end(void)
{
	kill(job.pid, SIGTERM);
	starter_wait(&job);
	mpidbg_run_free(&run);
}

static void ask(const char *command, const char *kind, const char *value)
{
	mpidbg_run_free(&run);
	mpidbg_run(&run, command, "-p", pid, kind, value, NULL);
}

#define ck_has(text, words) ck_assert_msg(strstr(text, words), "\"%s\" is not said:\n%s%s", words, run.out, run.err)

START_TEST(test_stage)
{
	static const char *const commands[] = { "comms", "queues" };

	start(_i);
	if (is_mpich(_i) && !is_prepared(_i) && !job_mpich_is_read()) { /* then its state is not read either */
		for (size_t c = 0; c < 2; c++) {
			ask(commands[c], NULL, NULL);
			ck_assert_int_eq(run.exit_code, 3);
			ck_has(run.err, "start the job with mpi2dd-run");
		}
		end();
		return;
	}
	for (size_t c = 0; c < 2; c++) {
		ask(commands[c], NULL, NULL);
		ck_assert_msg(run.exit_code == 1, "exit %d\n%s%s", run.exit_code, run.out, run.err);
		ck_has(run.out, is_after(_i) ? ", finalised)\n" : ", not initialised yet)\n");
		ck_has(run.err, is_after(_i) ? "MPI has been finalised" : "MPI is not initialised yet");
		ck_assert_msg(!strstr(run.err, "mpi2dd-run") && !strstr(run.out, "mpi2dd-run"), "%s%s", run.out,
			      run.err);
	}
	ask("doctor", NULL, NULL);
	ck_assert_int_eq(run.exit_code, 0);
	ck_has(run.out, is_after(_i) ? "state                   finalized" : "state                   before init");
	ck_assert_msg(!strstr(run.out, "layout make"), "%s", run.out);
	if (!is_after(_i))
		ck_has(run.out, "what to do              look again when MPI_Init has returned\n");

	ask("print", "comm", "MPI_COMM_WORLD");
	if (is_prepared(_i)) {
		ck_assert_int_eq(run.exit_code, is_after(_i) ? 0 : 1);
		ck_has(is_after(_i) ? run.out : run.err, is_after(_i) ? "\n    state               finalized\n"
								      : "not known before MPI_Init has returned");
		ck_assert(!strstr(run.out, "live"));
		ck_assert(!strstr(run.err, "mpi2dd-run"));
	} else {
		ck_assert_int_eq(run.exit_code, 1);
	}
	end();
}
END_TEST

int main(void)
{
	job_require();
	Suite *suite = suite_create("ends");
	TCase *tcase = tcase_create("live");

	tcase_set_timeout(tcase, TIMEOUT_S);
	tcase_add_checked_fixture(tcase, starter_setup, starter_teardown);
	tcase_add_loop_test(tcase, test_stage, 0, N_CASES);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
