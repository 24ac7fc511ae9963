/* SPDX-License-Identifier: BSD-3-Clause */
#include "launcher.h"

#include "job.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANK_NICE = 10, END_S = 10 };

void launcher_child(pid_t test)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != test)
		_exit(127);
	signal(SIGTERM, SIG_DFL);
	setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
	setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
	unsetenv("LD_PRELOAD");
}

void launcher_give_way(pid_t rank)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/task", (int)rank);
	DIR *d = opendir(path);
	for (struct dirent *e; d && (e = readdir(d));)
		if (e->d_name[0] != '.')
			setpriority(PRIO_PROCESS, (id_t)strtoul(e->d_name, NULL, 10), RANK_NICE);
	if (d)
		closedir(d);
}

static bool runs(pid_t pid)
{
	char state = job_process_state(pid);

	return state && state != 'Z' && state != 'X';
}

void launcher_stop(pid_t launcher, const pid_t *ranks, size_t n)
{
	double deadline = job_now() + END_S;

	for (size_t i = 0; i < n; i++)
		if (ranks[i] > 1)
			kill(ranks[i], SIGKILL);
	if (launcher > 0) {
		kill(launcher, SIGTERM);
		while (waitpid(launcher, NULL, WNOHANG) == 0) {
			if (job_now() > deadline)
				kill(launcher, SIGKILL);
			job_nap();
		}
	}
	deadline = job_now() + END_S;
	for (size_t i = 0; i < n; i++)
		while (ranks[i] > 1 && runs(ranks[i]) && job_now() < deadline)
			job_nap();
}
