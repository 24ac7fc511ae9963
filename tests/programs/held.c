/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The last rank is in an uninterruptible system call, as one that waits for a disk or a file server: in vfork(), until its child
 * ends. The others wait for it in MPI_Barrier.
 */
#include "truth.h"

/* The child shares the parent's memory, and does nothing but system calls. */
static void hold(void)
{
	if (vfork() == 0) {
		prctl(PR_SET_PDEATHSIG, 9);
		for (;;)
			pause();
	}
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	truth_init();
	truth_comm(MPI_COMM_WORLD);
	bool last = truth.rank + 1 == truth.size;
	truth_publish(last ? NULL : "MPI_Barrier", MPI_COMM_NULL);
	if (last)
		hold();
	MPI_Barrier(MPI_COMM_WORLD);
	return 0;
}
