/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: call_cost single|multiple
 * Nanoseconds of a few calls, with and without the in-target library for bench/run to compare: the smallest of many
 * chunks, and between ranks the mean of all.
 *
 *   rank       MPI_Comm_rank
 *   self       MPI_Irecv, MPI_Isend, MPI_Waitall(2) with oneself, 0 bytes (three calls)
 *   blocking   MPI_Irecv, MPI_Send, MPI_Wait with oneself, 0 bytes (three calls)
 *   sendrecv   MPI_Sendrecv with oneself, 0 bytes
 *   collective MPI_Barrier, MPI_Bcast, MPI_Allreduce on MPI_COMM_SELF (three calls)
 *   many       64 MPI_Irecv, 64 MPI_Isend, MPI_Waitall(128) with oneself, per pair
 *   object     MPI_Type_contiguous, MPI_Type_commit, MPI_Type_free (three calls)
 *   pingpong   half of a round trip between ranks 0 and 1, MPI_Send and MPI_Recv of 0 bytes (when there are two)
 *   window     64 MPI_Irecv, 64 MPI_Isend, MPI_Waitall(128) between ranks 0 and 1, per pair
 *   threads    as self, by 4 threads at once, each with a communicator of its own (multiple): nanoseconds of processor
 *              time for each of the three calls together, so that it does not matter how many processors there are
 *   scaling    elapsed time for the same number of calls, relative to one thread
 *   across     as threads, between ranks 0 and 1 (if there are two, and a processor for each thread: MPI
 *              libraries spin, so with fewer processors the result takes minutes and is meaningless)
 */
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

static double mean(double (*chunk)(void))
{
	double sum = 0;

	chunk(); /* the first messages establish connections */
	for (int i = 0; i < CHUNKS; i++)
		sum += chunk();
	return sum / CHUNKS;
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

static double blocking_chunk(void)
{
	MPI_Request request;
	double start = MPI_Wtime();

	for (int i = 0; i < ROUNDS; i++) {
		MPI_Irecv(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_SELF, &request);
		MPI_Send(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_SELF);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	return (MPI_Wtime() - start) * 1e9 / ROUNDS;
}

static double sendrecv_chunk(void)
{
	double start = MPI_Wtime();

	for (int i = 0; i < ROUNDS; i++)
		MPI_Sendrecv(NULL, 0, MPI_BYTE, 0, 1, NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
	return (MPI_Wtime() - start) * 1e9 / ROUNDS;
}

static double collective_chunk(void)
{
	int given = 1, sum;
	double start = MPI_Wtime();

	for (int i = 0; i < ROUNDS; i++) {
		MPI_Barrier(MPI_COMM_SELF);
		MPI_Bcast(&given, 1, MPI_INT, 0, MPI_COMM_SELF);
		MPI_Allreduce(&given, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
	}
	return (MPI_Wtime() - start) * 1e9 / ROUNDS;
}

static double object_chunk(void)
{
	MPI_Datatype type;
	double start = MPI_Wtime();

	for (int i = 0; i < ROUNDS; i++) {
		MPI_Type_contiguous(3, MPI_INT, &type);
		MPI_Type_commit(&type);
		MPI_Type_free(&type);
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

/* Nanoseconds per pair, with a peer on a communicator of which there are two ranks, or one. */
static double window_with(MPI_Comm comm, int peer)
{
	enum { TURNS = ROUNDS / WINDOW };
	MPI_Request requests[2 * WINDOW];
	MPI_Status statuses[2 * WINDOW];
	double start = MPI_Wtime();

	for (int i = 0; i < TURNS; i++) {
		for (int k = 0; k < WINDOW; k++)
			MPI_Irecv(NULL, 0, MPI_BYTE, peer, 3, comm, &requests[k]);
		for (int k = 0; k < WINDOW; k++)
			MPI_Isend(NULL, 0, MPI_BYTE, peer, 3, comm, &requests[WINDOW + k]);
		MPI_Waitall(2 * WINDOW, requests, statuses);
	}
	return (MPI_Wtime() - start) * 1e9 / TURNS / WINDOW;
}

static double window_chunk(void)
{
	return window_with(MPI_COMM_WORLD, !rank);
}

static double many_chunk(void)
{
	return window_with(MPI_COMM_SELF, 0);
}

/* ---- threads ------------------------------------------------------------------------------------------ */

enum { THREADS = 4, THREAD_CHUNKS = 1000, THREAD_ROUNDS = 500 };

static struct worker {
	pthread_t thread;
	MPI_Comm comm;
	int peer;
	double best; /* nanoseconds of the smallest chunk */
} workers[THREADS];
static pthread_barrier_t together;

static double own_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	MPI_Request requests[2];
	MPI_Status statuses[2];

	w->best = 1e9;
	pthread_barrier_wait(&together);
	for (int chunk = 0; chunk < THREAD_CHUNKS; chunk++) {
		double start = own_ns();
		for (int i = 0; i < THREAD_ROUNDS; i++) {
			MPI_Irecv(NULL, 0, MPI_BYTE, w->peer, 4, w->comm, &requests[0]);
			MPI_Isend(NULL, 0, MPI_BYTE, w->peer, 4, w->comm, &requests[1]);
			MPI_Waitall(2, requests, statuses);
		}
		double ns = (own_ns() - start) / THREAD_ROUNDS;
		w->best = ns < w->best ? ns : w->best;
	}
	return NULL;
}

/* The mean of what the threads have measured; *elapsed: nanoseconds
 * for the calls of one round of a chunk in all threads. */
static double by_threads(MPI_Comm comm, int peer, double *elapsed)
{
	double sum = 0;

	pthread_barrier_init(&together, NULL, THREADS);
	for (int i = 0; i < THREADS; i++) {
		MPI_Comm_dup(comm, &workers[i].comm);
		workers[i].peer = peer;
	}
	double start = MPI_Wtime();
	for (int i = 0; i < THREADS; i++)
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		sum += workers[i].best;
	}
	*elapsed = (MPI_Wtime() - start) * 1e9 / THREADS / THREAD_CHUNKS / THREAD_ROUNDS;
	for (int i = 0; i < THREADS; i++)
		MPI_Comm_free(&workers[i].comm);
	pthread_barrier_destroy(&together);
	return sum / THREADS;
}

int main(int argc, char **argv)
{
	int level = argc > 1 && !strcmp(argv[1], "multiple") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, provided;

	MPI_Init_thread(&argc, &argv, level, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	bool apart = size == 2 && sysconf(_SC_NPROCESSORS_ONLN) >= 2 * THREADS;
	static const struct {
		const char *name;
		double (*chunk)(void);
	} alone[] = { { "rank", rank_chunk },         { "self", self_chunk }, { "blocking", blocking_chunk },
		      { "sendrecv", sendrecv_chunk }, { "many", many_chunk }, { "collective", collective_chunk },
		      { "object", object_chunk } };
	double pingpong = 0, window = 0, threads, across = 0, elapsed;
	for (size_t i = 0; i < sizeof alone / sizeof *alone && size == 1; i++)
		printf("%s %.2f\n", alone[i].name, smallest(alone[i].chunk));
	if (size == 1 && provided == MPI_THREAD_MULTIPLE) {
		threads = by_threads(MPI_COMM_SELF, 0, &elapsed);
		printf("threads %.2f\nscaling %.2f\n", threads, elapsed / smallest(self_chunk));
	}
	if (apart && provided == MPI_THREAD_MULTIPLE)
		across = by_threads(MPI_COMM_WORLD, !rank, &elapsed);
	if (size == 2) {
		pingpong = mean(pingpong_chunk);
		window = mean(window_chunk);
	}
	if (rank == 0) {
		if (size == 2)
			printf("pingpong %.2f\nwindow %.2f\n", pingpong, window);
		if (apart && provided == MPI_THREAD_MULTIPLE)
			printf("across %.2f\n", across);
	}
	MPI_Finalize();
	return 0;
}
