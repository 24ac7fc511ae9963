/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that a debugger lets go on one by one, for GDB with several inferiors:
 *
 *     mpirun -n N steps FOLDER
 *
 * Each rank writes its process id to FOLDER/RANK, then waits until a debugger sets `released` to 1, 2 ... In each step
 * the communicator `shown` is freed and another one made, "step 1", "step 2" ..., and reached() is called. What a rank
 * does then needs no other rank.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { NAP_US = 1000 };

volatile int released, step;
MPI_Comm shown, world;

void reached(void);

__attribute__((noinline)) void reached(void)
{
	__asm__ volatile("" ::: "memory");
}

static void show(int n)
{
	char name[32];

	snprintf(name, sizeof(name), "step %d", n);
	MPI_Comm_dup(MPI_COMM_SELF, &shown);
	MPI_Comm_set_name(shown, name);
}

int main(int argc, char **argv)
{
	char path[4096];
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (argc != 2) {
		fprintf(stderr, "usage: mpirun -n N %s FOLDER\n", argv[0]);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	world = MPI_COMM_WORLD;
	show(0);
	MPI_Barrier(world);
	snprintf(path, sizeof(path), "%s/%d", argv[1], rank);
	FILE *f = fopen(path, "w");
	if (!f || fprintf(f, "%ld\n", (long)getpid()) < 0 || fclose(f)) {
		perror(path);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	for (;;) {
		while (released <= step)
			usleep(NAP_US);
		MPI_Comm_free(&shown);
		show(step + 1);
		step = step + 1;
		reached();
	}
}
