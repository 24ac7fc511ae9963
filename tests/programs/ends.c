/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: ends before|after, 1 process
 * Waits before MPI_Init, or after MPI_Finalize: says "ready PID" and stays until it is killed.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <signal.h>
#include <unistd.h>

enum { LIFE_S = 600 };

static void stay(void)
{
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	for (unsigned left = LIFE_S; left;)
		left = sleep(left);
}

int main(int argc, char **argv)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (argc > 1 && !strcmp(argv[1], "before"))
		stay();
	MPI_Init(&argc, &argv);
	MPI_Finalize();
	stay();
	return 0;
}
