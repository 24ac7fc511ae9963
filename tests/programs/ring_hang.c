/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A ring that hangs, for the demonstration: every rank sends to its
 * right and then waits for its left with a tag that nobody sends.
 *
 *     mpirun -n 4 ring_hang FOLDER
 *
 * Each rank writes its process id to FOLDER/RANK just before it calls the MPI_Recv that never returns. It has started
 *   - on MPI_COMM_WORLD, to its right: a short message and a long one with tag 7 (the left expects tag 8): the short
 *     one arrives unasked for, of the long one only its announcement does;
 *   - a receive from anybody, with tag 5, of a vector of doubles;
 *   - on a communicator of its own, "ring", numbered the other way round: a synchronous send to its right.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAG_SENT = 7, TAG_EXPECTED = 8, TAG_WILD = 5, TAG_RING = 42, N_SHORT = 4, N_LONG = 1 << 17, N_WILD = 100 };

int main(int argc, char **argv)
{
	static double long_message[N_LONG], wild[N_WILD], answer[N_LONG];
	int rank, size, ring_rank, short_message[N_SHORT] = { 1, 2, 3, 4 }, token = 1;
	MPI_Request requests[4];
	MPI_Status statuses[4];
	MPI_Comm ring;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc != 2) {
		fprintf(stderr, "usage: mpirun -n N %s FOLDER\n", argv[0]);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	int right = (rank + 1) % size, left = (rank + size - 1) % size;

	MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &ring);
	MPI_Comm_set_name(ring, "ring");
	MPI_Comm_rank(ring, &ring_rank);

	MPI_Irecv(wild, N_WILD, MPI_DOUBLE, MPI_ANY_SOURCE, TAG_WILD, MPI_COMM_WORLD, &requests[0]);
	MPI_Isend(short_message, N_SHORT, MPI_INT, right, TAG_SENT, MPI_COMM_WORLD, &requests[1]);
	MPI_Isend(long_message, N_LONG, MPI_DOUBLE, right, TAG_SENT, MPI_COMM_WORLD, &requests[2]);
	MPI_Issend(&token, 1, MPI_INT, (ring_rank + 1) % size, TAG_RING, ring, &requests[3]);

	/* All messages arrive before any rank blocks: MPI progress is driven until then. */
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0, flag; i < 1000; i++)
		MPI_Iprobe(left, TAG_EXPECTED, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);

	char path[4096];
	snprintf(path, sizeof(path), "%s/%d", argv[1], rank);
	FILE *f = fopen(path, "w");
	if (!f || fprintf(f, "%ld\n", (long)getpid()) < 0 || fclose(f)) {
		perror(path);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	MPI_Recv(answer, N_LONG, MPI_DOUBLE, left, TAG_EXPECTED, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Waitall(4, requests, statuses);
	MPI_Comm_free(&ring);
	MPI_Finalize();
	return EXIT_SUCCESS;
}
