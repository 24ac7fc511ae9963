/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spawn_hosts HOST: the ranks spawn two processes on HOST. Rank 0 of the children waits for a message of rank 1 of the
 * parents, and that one for a message of rank 0 of the children; the others are in a barrier of their world. Each
 * creates a file in $TRUTH_DIR first.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void ready(const char *kind, int rank)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s.%d", getenv("TRUTH_DIR"), kind, rank);
	f = fopen(path, "w");
	if (!f || fclose(f))
		MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
	int rank, x = 0;
	MPI_Comm parent, inter;
	MPI_Info info;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_get_parent(&parent);
	if (parent == MPI_COMM_NULL) {
		MPI_Info_create(&info);
		MPI_Info_set(info, "host", argc > 1 ? argv[1] : "localhost");
		MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, info, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE);
		ready("parent", rank);
		if (rank == 1)
			MPI_Recv(&x, 1, MPI_INT, 0, 5, inter, MPI_STATUS_IGNORE);
	} else {
		ready("child", rank);
		if (rank == 0)
			MPI_Recv(&x, 1, MPI_INT, 1, 5, parent, MPI_STATUS_IGNORE);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
