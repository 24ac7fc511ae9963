/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg deadlock on a faulty folder of cores: with two cores of one rank, with a core missing, with cores of another
 * job. Each fault is reported in one line, and the remaining cores are analysed.
 */
#include "../support/hangs.h"
#include "../support/live_main.h"
#include "../support/mpidbg_run.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ASKED_S = 150 };

static struct mpidbg_run run;

/* Start a job, wait until it is deadlocked, take cores of its ranks and stop it. */
static void make_cores(const char *name, int n, enum hang_config config, struct job *job)
{
	const struct hang hang = { .name = name, .n = n };
	char pid[32];
	bool there = false;

	hang_start(&hang, config, job);
	snprintf(pid, sizeof(pid), "%d", (int)job->launcher);
	for (double until = job_now() + ASKED_S; !there && job_now() < until;) {
		mpidbg_run(&run, "deadlock", "--job", pid, NULL);
		there = run.exit_code == 4;
		mpidbg_run_free(&run);
	}
	ck_assert(there);
	job_cores(job);
	job_stop(job);
}

static void run_deadlock(const char *dir)
{
	mpidbg_run_free(&run);
	mpidbg_run(&run, "deadlock", "--cores", dir, NULL);
}

/* Its standard error must be one line that contains @p line; "": it must be empty. */
static void check_stderr(const char *line)
{
	const char *end = strchr(run.err, '\n');

	ck_assert_msg(strstr(run.err, line) && (*line ? end && !end[1] : !*run.err), "%s%s", run.out, run.err);
}

static void copy(const char *core, const char *dir, const char *name)
{
	char to[1200];

	snprintf(to, sizeof(to), "%s/%s", dir, name);
	ck_assert_int_eq(link(core, to), 0);
}

static void check_folders(enum hang_config config)
{
	struct job job, other;
	char extra[1200];

	make_cores("ring_recv", 3, config, &job);
	make_cores("recv_recv", 2, config, &other);
	run_deadlock(job.dir);
	check_stderr("");
	/* cores do not show whether a message of MPICH is in flight */
	ck_assert_int_eq(run.exit_code, config == HANG_OMPI ? 4 : 0);
	ck_assert_msg(strstr(run.out, config == HANG_OMPI ? "deadlock: rank 0 waits for rank 2"
							  : "possible deadlock: as of this moment rank 0 waits for "
							    "rank 2"),
		      "%s", run.out);

	copy(job.ranks[1].core, job.dir, "core.again");
	run_deadlock(job.dir);
	check_stderr("are both of this rank");
	ck_assert_msg(strstr(run.out, "not read: rank 1: it counts as able to go on"), "%s", run.out);
	ck_assert_int_eq(run.exit_code, 3);
	snprintf(extra, sizeof(extra), "%s/core.again", job.dir);
	ck_assert_int_eq(unlink(extra), 0);

	copy(other.ranks[0].core, job.dir, "core.other0");
	copy(other.ranks[1].core, job.dir, "core.other1");
	run_deadlock(job.dir);
	if (config == HANG_OMPI) {
		/* Open MPI's jobs have names, so each is analysed by itself */
		check_stderr("is of another job (");
		ck_assert_msg(strstr(run.out, "5 of 5 ranks wait for something that can never happen."), "%s", run.out);
		ck_assert_int_eq(run.exit_code, 4);
	} else {
		ck_assert_ptr_nonnull(strstr(run.err, "are both of this rank"));
		ck_assert_msg(strstr(run.out, "not read: ranks [0-1]: they count as able to go on"), "%s", run.out);
		ck_assert_int_eq(run.exit_code, 3);
	}

	ck_assert_int_eq(unlink(job.ranks[2].core), 0);
	snprintf(extra, sizeof(extra), "%s/core.other0", job.dir);
	ck_assert_int_eq(unlink(extra), 0);
	snprintf(extra, sizeof(extra), "%s/core.other1", job.dir);
	ck_assert_int_eq(unlink(extra), 0);
	run_deadlock(job.dir);
	check_stderr("no core of rank [2] of 3");
	ck_assert_msg(strstr(run.out, "1 rank of MPI_COMM_WORLD is not here"), "%s", run.out);
	ck_assert_int_eq(run.exit_code, 3);
	mpidbg_run_free(&run);
	job_end(&job);
	job_end(&other);
}

START_TEST(test_cores)
{
	if (_i && job_omits_mpich())
		return;
	check_folders(_i ? HANG_MPICH : HANG_OMPI);
}
END_TEST

int main(void)
{
	job_require();
	Suite *s = suite_create("deadlock_cores");
	TCase *tc = tcase_create("folders of cores");

	tcase_set_timeout(tc, LIVE_TIMEOUT_S);
	tcase_add_loop_test(tc, test_cores, 0, 2);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
