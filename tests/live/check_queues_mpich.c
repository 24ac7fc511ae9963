/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPICH, nothing prepared: communicators, their members and queues, live, with --all and from cores, as the programs
 * say. Of an operation MPICH leaves to UCX how many bytes it has, not how many of which datatype; and UCX does not
 * record the mode of a send.
 */
#include "../support/job.h"
#include "../support/live_main.h"
#include "../support/mpich_truth.h"
#include "../support/mpidbg_run.h"
#include "../support/truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *command;
	int n;
} cases[] = {
	{ "blocked Recv", 2 },    { "blocked Recv_any", 2 },  { "blocked Ssend", 2 },   { "blocked Send", 2 },
	{ "blocked Barrier", 3 }, { "blocked Allreduce", 4 }, { "blocked Waitall", 8 }, { "receives", 3 },
	{ "sends", 2 },           { "unexpected", 3 },        { "matched", 2 },         { "inter", 5 },
	{ "comms", 4 },           { "collectives", 3 },       { "threads", 2 },         { "blocked Probe", 2 },
	{ "blocked Mprobe", 2 },
};

START_TEST(test_truth)
{
	struct job job;

	if (!strcmp(cases[_i].command, "matched")) { /* the data must not be there as soon as the message is matched */
		ck_assert_int_eq(setenv("UCX_TLS", "tcp,self", 1), 0);
		ck_assert_int_eq(setenv("UCX_RNDV_THRESH", "1024", 1), 0);
	}
	job_start_mpich(cases[_i].command, cases[_i].n, &job);
	for (size_t i = 0; i < job.n_ranks; i++)
		mpich_truth_fit(job.ranks[i].truth, false);
	truth_check_job(&job);
	job_end(&job);
}
END_TEST

/* A program linked with libmpich.a, without a version string: it is identified by the sizes of its objects. */
START_TEST(test_static)
{
	static const char *const commands[] = { "../programs-mpich-static/receives", "../programs-mpich-static/sends" };
	static const int ranks[] = { 3, 2 };
	char path[512];
	struct job job;

	snprintf(path, sizeof path, "%s/programs-mpich/%s", getenv("MPIDBG_BUILD"), commands[_i]);
	if (access(path, X_OK) != 0) {
		printf("no libmpich.a here: not tested\n");
		return;
	}
	job_start_mpich(commands[_i], ranks[_i], &job);
	for (size_t i = 0; i < job.n_ranks; i++)
		mpich_truth_fit(job.ranks[i].truth, false);
	truth_check_job(&job);
	job_end(&job);
}
END_TEST

/* Several virtual interfaces, each with a worker of UCX's and a pool of requests; 4.0 is built for one. */
START_TEST(test_interfaces)
{
	struct job job;

	if (mpich_truth_version() > 400)
		ck_assert_int_eq(setenv("MPIR_CVAR_CH4_NUM_VCIS", "4", 1), 0);
	job_start_mpich("interfaces", 2, &job);
	for (size_t i = 0; i < job.n_ranks; i++)
		mpich_truth_fit(job.ranks[i].truth, false);
	truth_check_job(&job);
	job_end(&job);
}
END_TEST

/* Copies of our packs in a folder, with another size of a communicator. */
static void alter_packs(const char *folder)
{
	char script[1024];
	struct mpidbg_run run;

	snprintf(script, sizeof script,
		 "mkdir '%s' && for p in \"$MPIDBG_BUILD\"/layouts/mpich/*.layout; do sed -E 's/^(type MPIR_Comm) "
		 "[0-9]+$/\\1 7776/' "
		 "\"$p\" > "
		 "'%s'/$(basename \"$p\"); done; grep -l ' 7776$' '%s'/*",
		 folder, folder, folder);
	mpidbg_run_program(&run, (char *[]){ (char[]){ "sh" }, (char[]){ "-c" }, script, NULL });
	ck_assert_msg(run.exit_code == 0, "no pack has that type: %s", run.err);
	mpidbg_run_free(&run);
}

/* Objects of another size than all packs say: nothing is guessed, the reason is said, and what works. */
START_TEST(test_no_pack)
{
	static const char *const words[] = { "the layout pack says 7776; start the job with mpi2dd-run",
					     "what to do              start the job with mpi2dd-run: " };
	static const char *const commands[] = { "queues", "doctor" };
	char folder[SCRATCH_MAX + 8], pid[16];
	struct mpidbg_run run;
	struct job job;

	job_start_mpich("blocked Recv", 2, &job);
	snprintf(folder, sizeof folder, "%s/packs", job.dir);
	snprintf(pid, sizeof pid, "%d", (int)job.ranks[0].pid);
	alter_packs(folder);
	ck_assert_int_eq(setenv("MPIDBG_LAYOUTS", folder, 1), 0);
	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
		mpidbg_run(&run, commands[i], "-p", pid, NULL);
		ck_assert_int_eq(run.exit_code, 3);
		ck_assert_msg(strstr(run.out, words[i]) || strstr(run.err, words[i]), "%s%s", run.out, run.err);
		ck_assert_msg(!strstr(run.out, "MPI_COMM_WORLD"), "a guess: %s", run.out);
		mpidbg_run_free(&run);
	}
	mpidbg_run(&run, "calls", "-p", pid, NULL);
	ck_assert_msg(strstr(run.out, "MPI_Recv") != NULL, "%s%s", run.out, run.err);
	mpidbg_run_free(&run);
	ck_assert_int_eq(unsetenv("MPIDBG_LAYOUTS"), 0);
	job_end(&job);
}
END_TEST

/*
 * Ranks that receive from themselves all the time: a fourth of the questions to three of them stops one while it
 * changes its requests, which makes no sense then. They are read again.
 */
START_TEST(test_changing)
{
	enum { QUESTIONS = 20, LEAST = 17 };
	struct mpidbg_run run;
	int n_whole = 0;
	struct job job;
	char pid[16];

	job_start_mpich("hangs waitsome_goes_on", 3, &job);
	snprintf(pid, sizeof pid, "%d", (int)job.launcher);
	for (int i = 0; i < QUESTIONS; i++) {
		mpidbg_run(&run, "queues", "--job", pid, NULL);
		ck_assert_msg(run.exit_code == 0 || strstr(run.err, " skipped, the first: "), "%s%s", run.out, run.err);
		n_whole += run.exit_code == 0;
		mpidbg_run_free(&run);
	}
	ck_assert_int_ge(n_whole, LEAST);
	job_end(&job);
}
END_TEST

int main(void)
{
	job_require_mpich();
	TCase *tc = tcase_create("truth");

	tcase_add_loop_test(tc, test_truth, 0, sizeof cases / sizeof cases[0]);
	tcase_add_loop_test(tc, test_static, 0, 2);
	tcase_add_test(tc, test_interfaces);
	tcase_add_test(tc, test_no_pack);
	tcase_add_test(tc, test_changing);
	return live_main("check_queues_mpich", NULL, 0, tc);
}
