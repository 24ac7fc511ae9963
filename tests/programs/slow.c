/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: slow
 * Works for ever, slowly: MPI_Allreduce, then the last rank sleeps for half a second while the others wait for it, then
 * a message from each rank to the right. Each rank first writes $TRUTH_DIR/truth.RANK.json with its process id.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void announce(int rank)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/truth.%d.json", getenv("TRUTH_DIR"), rank);
	FILE *f = fopen(path, "w");
	if (!f)
		MPI_Abort(MPI_COMM_WORLD, 1);
	fprintf(f, "{\"rank\": %d, \"pid\": %d}\n", rank, (int)getpid());
	fclose(f);
}

int main(int argc, char **argv)
{
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	announce(rank);
	for (;;) {
		int mine = rank, other;
		MPI_Allreduce(&mine, &other, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		if (rank == size - 1)
			usleep(500000);
		MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % size, 1, &other, 1, MPI_INT, (rank + size - 1) % size, 1,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}
