/* SPDX-License-Identifier: BSD-3-Clause */
#include "leaks.h"

#include "library.h"
#include "log.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COMMAND_S = 50 }; /* the ranks wait for 60 s */

static char *mpidbg; /* NULL: nothing is reported */
static bool reported;

void run_leaks_prepare(void)
{
	mpidbg = run_library_find_beside("mpidbg");
	if (!mpidbg)
		mpidbg = run_library_find_command("mpidbg");
	if (!mpidbg)
		run_fail(RUN_USAGE, "--leaks: the command mpidbg is neither beside mpi2dd-run nor in PATH: install it");
	/* mpidbg is a descendant of the starter, and must be allowed to ptrace it */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
}

void run_leaks_report(void)
{
	char pid[16];
	int status = 0;
	pid_t starter = getpid(), child = fork();

	if (child == 0) {
		sigset_t none;

		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		dup2(STDERR_FILENO, STDOUT_FILENO);
		alarm(COMMAND_S);
		snprintf(pid, sizeof(pid), "%d", (int)starter);
		execl(mpidbg, mpidbg, "handles", "--leaks", "--job", pid, (char *)NULL);
		_exit(RUN_NOT_FOUND);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (child < 0 || !WIFEXITED(status))
		run_log("--leaks: mpidbg handles %s", child < 0 ? strerror(errno) : "did not end");
	reported = true;
}

void run_leaks_end(void)
{
	if (mpidbg && !reported)
		run_log("--leaks: no report: not all ranks have called MPI_Finalize with the in-target library");
}
