/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The last rank is in a system call that does not return: in vfork(), until its child ends, or with an argument in
 * fsync() of this file. The others wait for it in MPI_Barrier.
 */
#include "truth.h"

#include <fcntl.h>

/* The child shares the parent's memory, and does nothing but system calls. */
static void hold(void)
{
	if (vfork() == 0) {
		prctl(PR_SET_PDEATHSIG, 9);
		for (;;)
			pause();
	}
}

static void save(const char *path)
{
	int fd = open(path, O_WRONLY);

	truth_require(fd >= 0 && write(fd, "x", 1) == 1);
	fsync(fd);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	truth_init();
	truth_comm(MPI_COMM_WORLD);
	bool last = truth.rank + 1 == truth.size;
	truth_publish(last ? NULL : "MPI_Barrier", MPI_COMM_NULL);
	if (last && argc > 1)
		save(argv[1]);
	else if (last)
		hold();
	MPI_Barrier(MPI_COMM_WORLD);
	return 0;
}
