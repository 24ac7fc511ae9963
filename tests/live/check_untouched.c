/* SPDX-License-Identifier: BSD-3-Clause */
/* A process is left as it was found: running, stopped, also when the command is killed; and its results are right. */
#include "../support/job.h"
#include "../support/live_main.h"
#include "../support/mpidbg_run.h"
#include "../support/process.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { READS = 50, KILLS = 40 };

/* The process runs and is not traced. After a detach it may take a moment to be scheduled. */
static void assert_running(pid_t pid, int turn)
{
	double deadline = job_now() + 5;
	char state;

	while (((state = process_state(pid)) == 'T' || state == 't' || job_is_traced(pid)) && job_now() < deadline)
		job_nap();
	ck_assert_msg(state == 'R' || state == 'S' || state == 'D', "turn %d: state %c", turn, state ? state : '-');
	ck_assert_msg(!job_is_traced(pid), "turn %d: still traced", turn);
}

/* It is stopped, or becomes so at once: a stopped process that
 * was traced runs for a moment in the kernel to stop again. */
static void assert_stopped(pid_t pid)
{
	double deadline = job_now() + 5;

	while (process_state(pid) != 'T' && job_now() < deadline)
		job_nap();
	/* long enough for a wrong continuation to show */
	for (int i = 0; i < 10; i++) {
		ck_assert_int_eq(process_state(pid), 'T');
		job_nap();
	}
	ck_assert(!job_is_traced(pid));
}

/* Tell the ping-pong to end, and check that it continued until then and that both sides agree on all messages. */
static void finish_ping_pong(struct job *job)
{
	char path[300], results[2][64] = { "", "" };
	unsigned long long rounds = 0;

	snprintf(path, sizeof path, "%s/stop", job->dir);
	int fd = open(path, O_WRONLY | O_CREAT, 0600);
	ck_assert_int_ge(fd, 0);
	close(fd);
	int rc = job_wait(job, LAUNCHER_WAIT_S);
	ck_assert_msg(rc == 0, "the job ended with %d:\n%s", rc, job_log(job));
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "%s/result.%d", job->dir, i);
		FILE *f = fopen(path, "r");
		ck_assert_ptr_nonnull(f);
		ck_assert_ptr_nonnull(fgets(results[i], sizeof results[i], f));
		fclose(f);
	}
	ck_assert_str_eq(results[0], results[1]);
	ck_assert_int_eq(sscanf(results[0], "%llu", &rounds), 1);
	ck_assert_uint_ge(rounds, 2 * 64);
}

START_TEST(test_running)
{
	struct job job;
	int n_whole = 0;

	job_start("pingpong", NULL, 2, 0, &job);
	for (int i = 0; i < READS; i++) {
		struct mpidbg_run run;
		char pid[16];
		pid_t p = job.ranks[i % 2].pid;

		snprintf(pid, sizeof pid, "%d", (int)p);
		mpidbg_run(&run, "queues", "-p", pid, "--json", NULL);
		/* 3: it was stopped in the middle of a change, and the output said so */
		ck_assert_msg(run.exit_code == 0 || run.exit_code == 3, "exit %d: %s", run.exit_code, run.err);
		json_decref(mpidbg_run_json(&run));
		n_whole += run.exit_code == 0;
		mpidbg_run_free(&run);
		assert_running(p, i);
	}
	ck_assert_int_gt(n_whole, READS / 2);
	finish_ping_pong(&job);
	job_end(&job);
}
END_TEST

START_TEST(test_job_running)
{
	struct mpidbg_run run;
	struct job job;
	char pid[16];

	job_start("pingpong", NULL, 2, 0, &job);
	snprintf(pid, sizeof pid, "%d", (int)job.launcher);
	for (int i = 0; i < READS / 5; i++) {
		mpidbg_run(&run, "queues", "--job", pid, NULL);
		ck_assert_msg(run.exit_code == 0 || run.exit_code == 3, "exit %d: %s", run.exit_code, run.err);
		mpidbg_run_free(&run);
		assert_running(job.ranks[0].pid, i);
		assert_running(job.ranks[1].pid, i);
		assert_running(job.launcher, i);
	}
	finish_ping_pong(&job);
	job_end(&job);
}
END_TEST

START_TEST(test_stopped)
{
	struct job job;

	job_start("pingpong", NULL, 2, 0, &job);
	pid_t p = job.ranks[0].pid;
	kill(p, SIGSTOP);
	assert_stopped(p);
	for (int i = 0; i < 5; i++) {
		struct mpidbg_run run;
		char pid[16];

		snprintf(pid, sizeof pid, "%d", (int)p);
		mpidbg_run(&run, "queues", "-p", pid, "--json", NULL);
		ck_assert_msg(run.exit_code == 0 || run.exit_code == 3, "exit %d: %s", run.exit_code, run.err);
		mpidbg_run_free(&run);
		assert_stopped(p);
	}
	kill(p, SIGCONT);
	assert_running(p, 0);
	finish_ping_pong(&job);
	job_end(&job);
}
END_TEST

/* Killed after 0, 1, 2 ... times a quarter of a millisecond: before, while and after the process is stopped. */
START_TEST(test_killed)
{
	struct job job;
	char path[1024], pid[16];
	int n_killed = 0;

	job_start("pingpong", NULL, 2, 0, &job);
	pid_t p = job.ranks[1].pid;
	snprintf(path, sizeof path, "%s/mpidbg", getenv("MPIDBG_BUILD"));
	snprintf(pid, sizeof pid, "%d", (int)p);
	for (int i = 0; i < KILLS; i++) {
		pid_t child = fork();
		int status;

		if (child == 0) {
			int null = open("/dev/null", O_WRONLY);

			dup2(null, 1);
			dup2(null, 2);
			execl(path, path, "queues", "-p", pid, (char *)NULL);
			_exit(127);
		}
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 + 250000L * i }, NULL);
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
		n_killed += WIFSIGNALED(status);
		assert_running(p, i);
	}
	ck_assert_int_gt(n_killed, 0);
	finish_ping_pong(&job);
	job_end(&job);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("untouched");

	tcase_add_test(tc, test_running);
	tcase_add_test(tc, test_job_running);
	tcase_add_test(tc, test_stopped);
	tcase_add_test(tc, test_killed);
	return live_main("check_untouched", NULL, 0, tc);
}
