/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file hangs_ends.h
 * Cases of hangs.c: ranks that do not call MPI_Init or
 * MPI_Finalize, or that are in MPI_Finalize while others need them.
 */
#ifndef HANGS_ENDS_H
#define HANGS_ENDS_H

#include "hangs.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

static void init_sleeps(void)
{
}

/* Before MPI_Init: the last rank, as its launcher has numbered it, does not call it. */
static void before_init(void)
{
	bool is_mpich = getenv("PMI_RANK") != NULL;
	const char *own = getenv(is_mpich ? "PMI_RANK" : "OMPI_COMM_WORLD_RANK");
	const char *all = getenv(is_mpich ? "PMI_SIZE" : "OMPI_COMM_WORLD_SIZE");

	rank = own ? atoi(own) : 0;
	announce();
	if (all && rank == atoi(all) - 1)
		read_block();
}

static void finalize_sleeps(void)
{
	if (rank == size - 1)
		read_block();
	MPI_Finalize();
}

static void finalize_computes(void)
{
	if (rank == size - 1)
		compute();
	MPI_Finalize();
}

static void finalize_early(void)
{
	if (rank == size - 1)
		MPI_Finalize();
	else
		receive_from(size - 1, TAG, MPI_COMM_WORLD);
}

/* The others send to a rank that receives nothing more. */
static void finalize_ssend(void)
{
	if (rank == size - 1)
		MPI_Finalize();
	else
		MPI_Ssend(out, LONG, MPI_INT, size - 1, TAG, MPI_COMM_WORLD);
}

static void finalize_barrier(void)
{
	if (rank == size - 1)
		MPI_Finalize();
	else
		MPI_Barrier(MPI_COMM_WORLD);
}

/* The launcher's process that has started the rank neither waits for it nor ends it. */
static void stop_launcher(void)
{
	kill(getppid(), SIGSTOP);
}

static void exits_unwaited(void)
{
	if (rank == size - 1) {
		stop_launcher();
		_exit(3);
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

static void killed_unwaited(void)
{
	if (rank == size - 1) {
		stop_launcher();
		raise(SIGKILL);
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

static void abort_stays(void)
{
	if (rank == size - 1) {
		stop_launcher();
		MPI_Abort(MPI_COMM_WORLD, 3);
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 0 does not look at the error of its first receive, whose message is longer. */
static void truncated(void)
{
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (rank == 1)
		MPI_Send(out, 2, MPI_INT, 0, TAG, MPI_COMM_WORLD);
	if (rank == 0) {
		receive_from(1, TAG, MPI_COMM_WORLD);
		receive_from(1, TAG, MPI_COMM_WORLD);
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

#endif /* HANGS_ENDS_H */
