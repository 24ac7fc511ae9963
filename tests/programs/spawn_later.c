/* SPDX-License-Identifier: BSD-3-Clause */
/* When $TRUTH_DIR/go appears, all spawn two processes, which sleep
 * in read_later(); the parents wait for them in MPI_Barrier. */
#include "truth.h"

#include <signal.h>

enum { ALARM_S = 600 };

static void read_later(void)
{
	for (;;)
		sleep(1000);
}

int main(int argc, char **argv)
{
	char word[] = "child", *child[] = { word, NULL }, path[600];
	MPI_Comm inter;

	alarm(ALARM_S);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	MPI_Init(&argc, &argv);
	if (argc > 1)
		read_later();
	truth_init();
	truth_publish("MPI_Barrier", MPI_COMM_WORLD);
	snprintf(path, sizeof(path), "%s/go", getenv("TRUTH_DIR"));
	while (access(path, F_OK) != 0)
		usleep(10000);
	MPI_Comm_spawn(argv[0], child, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE);
	MPI_Barrier(inter);
	return 0;
}
