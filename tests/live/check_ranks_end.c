/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that exit, or are killed, while mpidbg deadlock reads their job, at other moments of it each time: it ends,
 * says which ones have ended, judges the rest, and says nothing false. All but one of the ranks of a job end, one
 * after the other.
 */
#include "../../host/host.h"
#include "../support/hangs.h"
#include "../support/live_main.h"
#include "../support/mpidbg_run.h"
#include "../support/suite.h"

#include <check.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * allreduce_sleeps: the last rank is missing, and those that end. chain_sleeps: each rank waits for the next one,
 * the last one sleeps. From eight ranks on several processes read them.
 */
static const struct row {
	const char *name;
	int n;
	enum hang_config config;
	int signal;          /* SIGUSR2: the rank calls _exit() */
	const char *options; /* with them the launcher lets the other ranks run */
} rows[] = {
	{ "chain_sleeps", 5, HANG_OMPI, SIGKILL, "--enable-recovery" },
	{ "allreduce_sleeps", 10, HANG_OMPI, SIGUSR2, "--enable-recovery" },
	{ "chain_sleeps", 4, HANG_OMPI_LIB, SIGKILL, "--enable-recovery" },
	{ "chain_sleeps", 5, HANG_MPICH, SIGUSR2, "-disable-auto-cleanup" },
	{ "allreduce_sleeps", 10, HANG_MPICH, SIGUSR2, "-disable-auto-cleanup" },
	{ "allreduce_sleeps", 5, HANG_MPICH, SIGKILL, NULL },
	{ "chain_sleeps", 4, HANG_MPICH_LIB, SIGKILL, NULL },
};

enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };

static void start(const struct row *row, struct job *job)
{
	static char wrapper[PATH_MAX];
	const struct hang hang = { .name = row->name, .n = row->n };

	ck_assert_ptr_nonnull(realpath("tests/support/outlives", wrapper));
	job_wrapper = row->options ? row->options : wrapper;
	hang_start(&hang, row->config, job);
}

/* Send the signal after a time, while the command runs. */
static pid_t end_later(pid_t pid, int number, double seconds)
{
	pid_t child = fork();

	ck_assert_int_ge(child, 0);
	if (child)
		return child;
	for (double until = job_now() + seconds; job_now() < until;)
		usleep(500);
	_exit(kill(pid, number) != 0);
}

/* Is a rank said to be missing that has not ended, and is not the last? */
static bool names_a_wrong_one(const json_t *verdict, const bool *ended, int n)
{
	const json_t *rank;
	size_t i;

	json_array_foreach(json_object_get(verdict, "missing"), i, rank)
	{
		json_int_t r = json_integer_value(rank);
		if (r < 0 || r >= n || (!ended[r] && r != n - 1))
			return true;
	}
	return false;
}

static void check_answer(const struct row *row, const struct mpidbg_run *run, const bool *ended, int last_ended)
{
	json_t *answer = mpidbg_run_json(run);
	const json_t *verdict = json_object_get(answer, "verdict");
	const char *result = json_string_value(json_object_get(verdict, "result"));
	bool missing = result && strcmp(result, "missing rank") == 0;
	char name[32], found[32];

	ck_assert_msg(result && (missing || strcmp(result, "no deadlock") == 0), "%s%s", run->out, run->err);
	ck_assert_msg(run->exit_code == 0 || run->exit_code == 3 || (run->exit_code == 4 && missing), "%d\n%s%s",
		      run->exit_code, run->out, run->err);
	ck_assert_msg(!names_a_wrong_one(verdict, ended, row->n), "%s%s", run->out, run->err);
	json_decref(answer);
	/* a rank that ended before is reported as ended, or as not here */
	snprintf(name, sizeof(name), "rank %d", last_ended);
	snprintf(found, sizeof(found), " of %d ranks were found", row->n);
	ck_assert_msg(last_ended < 0 || strstr(run->err, name) || strstr(run->err, found) ||
			      strstr(run->err, "ranks ["),
		      "rank %d\n%s%s", last_ended, run->out, run->err);
}

/*
 * The verdict when a rank has ended and none ends: it becomes known as soon as every rank had a processor between the
 * two moments at which it is read. Fails by the timeout of the test.
 */
static void check_known(const struct row *row, char *pid, const bool *ended)
{
	struct mpidbg_run run;

	for (bool known = false; !known;) {
		mpidbg_run(&run, "deadlock", "--json", "--job", pid, NULL);
		check_answer(row, &run, ended, -1);
		known = run.exit_code == 4;
		mpidbg_run_free(&run);
	}
}

START_TEST(test_ends)
{
	const struct row *row = &rows[_i];
	bool ended[JOB_RANKS_MAX] = { false };
	struct mpidbg_run run;
	struct job job;
	char pid[32];
	double seconds = 0;
	int status, before = -1;

	if (row->config == HANG_MPICH && job_omits_mpich())
		return;
	start(row, &job);
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	for (bool there = false; !there;) { /* all are in their state */
		mpidbg_run(&run, "deadlock", "--job", pid, NULL);
		there = run.exit_code == 4;
		seconds = run.seconds;
		mpidbg_run_free(&run);
	}
	for (int k = 0; k < row->n - 1; k++) {
		/* a middle one first, and at the end the last, which sleeps */
		int r = (k * 3 + 2) % row->n, free_one = 0;
		while (ended[r])
			r = free_one++;
		pid_t child = end_later(job.ranks[r].pid, row->signal, seconds * (k + 0.5) / (row->n - 1));
		ended[r] = true;
		mpidbg_run(&run, "deadlock", "--json", "--job", pid, NULL);
		ck_assert(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
		check_answer(row, &run, ended, before);
		mpidbg_run_free(&run);
		before = r;
		if (k == 0) /* no rank ends now: the verdict is known */
			check_known(row, pid, ended);
	}
	job_end(&job);
}
END_TEST

/* How a rank has ended, or has failed to end the job, is said; and which call has returned an error. */
static const struct how {
	const char *name;
	bool stops;                  /* its launcher is stopped */
	enum hang_config configs[2]; /* Open MPI, MPICH */
	const char *said[2];
} hows[] = {
	{ "exits_unwaited",
	  true,
	  { HANG_OMPI, HANG_MPICH },
	  { "missing rank: look at rank 2, which has ended with exit code 3\n",
	    "\n  rank 2       ended with exit code 3\n" } },
	{ "killed_unwaited",
	  true,
	  { HANG_OMPI, HANG_MPICH },
	  { "missing rank: look at rank 2, which was killed by signal 9 (Killed)\n",
	    "\n  rank 2       killed by signal 9" } },
	{ "abort_stays",
	  true,
	  { HANG_OMPI, HANG_MPICH },
	  { "missing rank: look at rank 2, in MPI_Abort, which has not ended the job, hangs_ends.h:",
	    "in MPI_Abort                   at hangs_ends.h:" } },
	{ "truncated",
	  false,
	  { HANG_OMPI_LIB, HANG_MPICH_LIB },
	  { "error returned: MPI_Recv returned MPI_ERR_TRUNCATE to rank 0, ",
	    " s ago, in receive_from at hangs.h:57; the program has gone on\n" } },
};

enum { N_HOWS = 2 * sizeof(hows) / sizeof(hows[0]) };

/* The launchers that tests have stopped, in memory that the tests, processes of their own, share: also one that fails
 * leaves none stopped. */
static pid_t *stopped;

static void share_stopped(void)
{
	stopped = mmap(NULL, N_HOWS * sizeof(*stopped), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert(stopped != MAP_FAILED);
}

static void continue_stopped(void)
{
	for (int i = 0; i < N_HOWS; i++)
		if (stopped[i])
			kill(stopped[i], SIGCONT);
	munmap(stopped, N_HOWS * sizeof(*stopped));
}

START_TEST(test_how)
{
	const struct how *h = &hows[_i / 2];
	const struct hang hang = { .name = h->name, .n = 3 };
	struct mpidbg_run run;
	struct job job;
	char pid[32];
	pid_t starter;

	if (_i % 2 && job_omits_mpich())
		return;
	hang_start(&hang, h->configs[_i % 2], &job);
	ck_assert(host_process_state(job.ranks[0].pid, &starter) && starter > 1);
	stopped[_i] = starter;
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	for (bool known = false; !known;) { /* fails by the timeout of the test */
		mpidbg_run(&run, "deadlock", "--job", pid, NULL);
		known = run.exit_code == 4 && strstr(run.out, h->said[0]) && strstr(run.out, h->said[1]) &&
			(!h->stops || strstr(run.err, " is stopped by a signal: it neither"));
		mpidbg_run_free(&run);
	}
	kill(starter, SIGCONT);
	job_end(&job);
	stopped[_i] = 0;
}
END_TEST

int main(void)
{
	job_require();
	Suite *s = suite_create("ranks_end");
	TCase *tc = tcase_create("while they are read");

	tcase_set_timeout(tc, LIVE_TIMEOUT_S);
	tcase_add_loop_test(tc, test_ends, 0, N_ROWS);
	suite_add_tcase(s, tc);
	TCase *how = tcase_create("how");
	tcase_set_timeout(how, LIVE_TIMEOUT_S);
	tcase_add_unchecked_fixture(how, share_stopped, continue_stopped);
	tcase_add_loop_test(how, test_how, 0, N_HOWS);
	suite_add_tcase(s, how);
	return suite_run(s);
}
