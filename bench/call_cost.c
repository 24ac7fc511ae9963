/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: call_cost single|multiple
 * Nanoseconds of a few calls, the smallest of many chunks, with and without the in-target library for bench/run to compare:
 *
 *   rank       MPI_Comm_rank
 *   self       MPI_Irecv, MPI_Isend, MPI_Waitall(2) with oneself, 0 bytes (three calls)
 *   pingpong   half of a round trip between ranks 0 and 1, MPI_Send and MPI_Recv of 0 bytes (when there are two)
 *   window     64 MPI_Irecv, 64 MPI_Isend, MPI_Waitall(128) between ranks 0 and 1, per pair
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { CHUNKS = 400, ROUNDS = 2000, WINDOW = 64 };

static double smallest(double (*chunk)(void))
{
	double best = 1e9;

	for (int i = 0; i < CHUNKS; i++) {
		double ns = chunk();
		best = ns < best ? ns : best;
	}
	return best;
}

static double rank_chunk(void)
{
	int r;
	double start = MPI_Wtime();

	for (int i = 0; i < ROUNDS; i++)
		MPI_Comm_rank(MPI_COMM_WORLD, &r);
	return (MPI_Wtime() - start) * 1e9 / ROUNDS;
}

static double self_chunk(void)
{
	MPI_Request requests[2];
	MPI_Status statuses[2];
	double start = MPI_Wtime();

	for (int i = 0; i < ROUNDS; i++) {
		MPI_Irecv(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_SELF, &requests[0]);
		MPI_Isend(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_SELF, &requests[1]);
		MPI_Waitall(2, requests, statuses);
	}
	return (MPI_Wtime() - start) * 1e9 / ROUNDS;
}

static int rank, size;

static double pingpong_chunk(void)
{
	double start = MPI_Wtime();

	for (int i = 0; i < ROUNDS; i++) {
		if (rank == 0)
			MPI_Send(NULL, 0, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
		MPI_Recv(NULL, 0, MPI_BYTE, !rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank == 1)
			MPI_Send(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
	}
	return (MPI_Wtime() - start) * 1e9 / ROUNDS / 2;
}

static double window_chunk(void)
{
	enum { TURNS = ROUNDS / WINDOW };
	MPI_Request requests[2 * WINDOW];
	MPI_Status statuses[2 * WINDOW];
	double start = MPI_Wtime();

	for (int i = 0; i < TURNS; i++) {
		for (int k = 0; k < WINDOW; k++)
			MPI_Irecv(NULL, 0, MPI_BYTE, !rank, 3, MPI_COMM_WORLD, &requests[k]);
		for (int k = 0; k < WINDOW; k++)
			MPI_Isend(NULL, 0, MPI_BYTE, !rank, 3, MPI_COMM_WORLD, &requests[WINDOW + k]);
		MPI_Waitall(2 * WINDOW, requests, statuses);
	}
	return (MPI_Wtime() - start) * 1e9 / TURNS / WINDOW;
}

int main(int argc, char **argv)
{
	int level = argc > 1 && !strcmp(argv[1], "multiple") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, provided;

	MPI_Init_thread(&argc, &argv, level, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	double self = smallest(self_chunk), one = smallest(rank_chunk), pingpong = 0, window = 0;
	if (size == 2) {
		pingpong = smallest(pingpong_chunk);
		window = smallest(window_chunk);
	}
	if (rank == 0) {
		printf("rank %.2f\nself %.2f\n", one, self);
		if (size == 2)
			printf("pingpong %.2f\nwindow %.2f\n", pingpong, window);
	}
	MPI_Finalize();
	return 0;
}
