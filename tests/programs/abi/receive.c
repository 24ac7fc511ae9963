/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program of the standard ABI that waits for a message, on any library of it: compiled with mpi2dd/abi/mpi.h.
 *
 * Usage: receive FILE, which is made before the call
 */
#include <mpi.h>
#include <stdio.h>

int MPI_Init(int *argc, char ***argv);
int MPI_Recv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status);

int main(int argc, char **argv)
{
	int received = 0;
	FILE *f = argc > 1 ? fopen(argv[1], "w") : NULL;

	if (!f)
		return 1;
	MPI_Init(&argc, &argv);
	fclose(f);
	MPI_Recv(&received, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return received;
}
