/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file hangs_collectives.h
 * Cases of hangs.c with collectives that do not meet, topologies with an edge, and threads.
 */
#ifndef HANGS_COLLECTIVES_H
#define HANGS_COLLECTIVES_H

#include "hangs.h"

#include <pthread.h>

/* A blocking collective and a non-blocking one do not match. */
static void barrier_ibarrier(void)
{
	MPI_Request request;

	if (rank == 0)
		MPI_Barrier(MPI_COMM_WORLD);
	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* A request of a persistent collective; before MPI 4 a new non-blocking one is started instead. */
static void init_reduction(MPI_Request *request)
{
	*request = MPI_REQUEST_NULL;
#if MPI_VERSION >= 4
	MPI_Allreduce_init(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, request);
#endif
}

static void do_reduction(MPI_Request *request)
{
	if (*request == MPI_REQUEST_NULL)
		MPI_Iallreduce(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, request);
	else
		MPI_Start(request);
	MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void persistent_reduction_sleeps(void)
{
	MPI_Request request;

	init_reduction(&request);
	if (rank == 2)
		read_block();
	do_reduction(&request);
}

static void persistent_reductions(void)
{
	MPI_Request request;

	init_reduction(&request);
	for (;;)
		do_reduction(&request);
}

/* Rank 1 does not know that rank 0 is its neighbour. */
static void neighbors_forgotten(void)
{
	int peers[2] = { left, right }, n = rank == 1 ? 1 : 2;
	MPI_Comm grid;

	if (rank == 1)
		peers[0] = 2;
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, n, peers, peers, n, peers, peers, MPI_INFO_NULL, 0, &grid);
	MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, grid);
	read_block();
}

/* All receive from their right first, which only the last can do: it has none, and serves its left neighbour. */
static void cart_line(void)
{
	int dims[1] = { size }, periods[1] = { 0 }, before, after;
	MPI_Comm line;

	MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &line);
	MPI_Cart_shift(line, 0, 1, &before, &after);
	receive_from(after, TAG, line);
	if (rank < size - 1)
		receive_from(rank ? before : after, TAG, line);
	MPI_Ssend(out, 1, MPI_INT, before, TAG, line);
	read_block();
}

/*
 * Ranks 1 and 2 exchange data in MPI_Alltoallv, rank 0 none: it leaves, and waits in the next one. Rank 2 waits for a
 * message that rank 0 sends only later.
 */
static void alltoallv_leaves(void)
{
	int counts[3] = { 0, rank == 2, rank == 1 }, places[3] = { 0, 0, 0 };

	if (rank == 2)
		receive_from(0, TAG, MPI_COMM_WORLD);
	MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		send_to(2, TAG, MPI_COMM_WORLD);
}

/* Rank 0 starts another non-blocking collective than the rest. */
static void nonblocking_differ(void)
{
	MPI_Request request;

	if (rank == 0)
		MPI_Ibcast(in, 1, MPI_INT, 1, MPI_COMM_WORLD, &request);
	else
		MPI_Iallreduce(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* The calls are in the same order, but every other rank passes another count to the first: some leave it. */
static void counts_leave(void)
{
	enum { FEW = 10, MANY = 60000 };

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Allgather(out, rank % 2 ? FEW : MANY, MPI_INT, in, rank % 2 ? FEW : MANY, MPI_INT, MPI_COMM_WORLD);
	MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	read_block();
}

static MPI_Comm of_thread;

static void *second_barrier(void *unused)
{
	(void)unused;
	MPI_Barrier(of_thread);
	return NULL;
}

/* Each rank waits with two threads in two communicators; one rank comes in neither. */
static void threads_barriers(void)
{
	pthread_t thread;
	MPI_Comm own;

	MPI_Comm_dup(MPI_COMM_WORLD, &of_thread);
	MPI_Comm_dup(MPI_COMM_WORLD, &own);
	if (rank == 2)
		read_block();
	pthread_create(&thread, NULL, second_barrier, NULL);
	MPI_Barrier(own);
	pthread_join(thread, NULL);
}

#endif /* HANGS_COLLECTIVES_H */
