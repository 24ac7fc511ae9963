/* SPDX-License-Identifier: BSD-3-Clause */
#include "hang_job.h"

#include "job_names.h"
#include "message.h"

#include "../host/clock.h"
#include "../host/host.h"
#include "../hosts/slurm.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { END_S = 60 };
#define SLICE_S 1.0 /* after which the end of the job is noticed */

static const int passed_on[] = { SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };
static const int for_both[] = { SIGINT, SIGQUIT }; /* a terminal sends them to the command, too */
enum { N_PASSED_ON = sizeof(passed_on) / sizeof(passed_on[0]), N_FOR_BOTH = sizeof(for_both) / sizeof(for_both[0]) };

static volatile sig_atomic_t passed_to;

double cmd_hang_now(void)
{
	return host_now_ms() / 1e3;
}

static void pass_on(int sig)
{
	int error = errno;

	if (passed_to > 0)
		kill((pid_t)passed_to, sig);
	errno = error;
}

bool cmd_hang_job_start(struct cmd_hang_job *j, char *const *words)
{
	struct sigaction a = { .sa_handler = pass_on, .sa_flags = SA_RESTART }, before;

	j->child = j->pid = fork();
	if (j->child == 0) {
		execvp(words[0], words);
		int error = errno;
		cmd_message("watch: %s: %s", words[0], strerror(error));
		_exit(error == ENOENT ? 127 : 126);
	}
	if (j->child < 0) {
		cmd_message("watch: no process can be started: %s", strerror(errno));
		return false;
	}
	passed_to = j->child;
	for (int i = 0; i < N_PASSED_ON; i++)
		if (sigaction(passed_on[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(passed_on[i], &a, NULL);
	a.sa_handler = SIG_IGN;
	for (int i = 0; i < N_FOR_BOTH; i++)
		sigaction(for_both[i], &a, NULL);
	return true;
}

void cmd_hang_job_named(struct cmd_hang_job *j, const struct cmd_options *o)
{
	j->pid = o->pid;
	j->slurm = o->job && cmd_job_is_slurm(o->job) ? strchr(o->job, ':') + 1 : NULL;
}

/* Is it seen on this machine that the job has ended? */
static bool has_ended(struct cmd_hang_job *j)
{
	int status;

	if (j->ended || !j->pid)
		return j->ended;
	if (!j->child) {
		char state = host_process_state(j->pid, NULL);
		j->ended = !state || state == 'Z' || state == 'X';
	} else if (waitpid(j->child, &status, WNOHANG) == j->child) {
		j->ended = true;
		j->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		passed_to = 0;
	}
	return j->ended;
}

bool cmd_hang_job_sleep(struct cmd_hang_job *j, double until_s)
{
	for (;;) {
		double left_s = until_s - cmd_hang_now();
		if (has_ended(j))
			return false;
		if (left_s <= 0)
			return true;
		left_s = left_s < SLICE_S ? left_s : SLICE_S;
		nanosleep(&(struct timespec){ (time_t)left_s, (long)((left_s - (double)(time_t)left_s) * 1e9) }, NULL);
	}
}

bool cmd_hang_job_is_over(struct cmd_hang_job *j, bool seen)
{
	if (j->slurm)
		j->ended = (seen && strchr(j->slurm, '.')) || hs_slurm_is_over(j->slurm);
	return has_ended(j);
}

bool cmd_hang_job_end(struct cmd_hang_job *j)
{
	if (j->slurm && !hs_slurm_cancel(j->slurm))
		cmd_message("watch: scancel has failed");
	if (j->pid > 0)
		kill(j->pid, SIGTERM);
	double until = cmd_hang_now() + END_S;
	while (cmd_hang_job_sleep(j, cmd_hang_now() + 1) && cmd_hang_now() < until)
		if (j->slurm)
			cmd_hang_job_is_over(j, false);
	return j->ended;
}
