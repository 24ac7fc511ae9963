/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file hangs_threads.h
 * Cases of hangs.c with threads outside MPI, and with ranks that sleep shortly.
 */
#ifndef HANGS_THREADS_H
#define HANGS_THREADS_H

#include "hangs.h"

#include <pthread.h>

static pthread_mutex_t pool_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t pool_work = PTHREAD_COND_INITIALIZER;

static void *pool_thread(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&pool_mutex);
	for (;;)
		pthread_cond_wait(&pool_work, &pool_mutex);
	return NULL;
}

static void *shows_progress(void *unused)
{
	(void)unused;
	for (;;)
		usleep(50000);
	return NULL;
}

static void *computes(void *unused)
{
	(void)unused;
	compute();
	return NULL;
}

static pthread_t beside(void *(*run)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, NULL) != 0)
		MPI_Abort(MPI_COMM_WORLD, 3);
	return thread;
}

/* An idle thread of a pool beside the one that waits in MPI. */
static void threads_pool(void)
{
	beside(pool_thread);
	receive_from(rank ^ 1, TAG, MPI_COMM_WORLD);
}

/* A thread that sleeps and wakes up beside the one that waits in MPI. */
static void threads_progress_bar(void)
{
	beside(shows_progress);
	receive_from(rank ^ 1, TAG, MPI_COMM_WORLD);
}

/* The first thread of rank 2 waits for another one, which computes. */
static void threads_join(void)
{
	if (rank == 2)
		pthread_join(beside(computes), NULL);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* The same, but the first thread has ended. */
static void threads_first_ended(void)
{
	if (rank == 2) {
		beside(computes);
		pthread_exit(NULL);
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

/* A thread beside the one that waits computes, and may send what it waits for. */
static void *computes_and_sends(void *unused)
{
	(void)unused;
	compute();
	send_to(left, TAG, MPI_COMM_WORLD);
	return NULL;
}

static void threads_compute(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, computes_and_sends, NULL) != 0)
		MPI_Abort(MPI_COMM_WORLD, 3);
	receive_from(right, TAG, MPI_COMM_WORLD);
}

static int wrapper_waits;

/* A wrapper of the program's own: rank 2 may wait in it, and has then not called MPI. */
int MPI_Exscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	if (wrapper_waits && rank == 2)
		read_block();
	return PMPI_Exscan(sendbuf, recvbuf, count, datatype, op, comm);
}

static void wrapper_sleeps(void)
{
	wrapper_waits = 1;
	MPI_Exscan(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* One rank polls and sleeps shortly in between; the others wait for it. */
static void polls_politely(void)
{
	for (;;) {
		int there = 0;
		if (rank)
			MPI_Barrier(MPI_COMM_WORLD);
		MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
		usleep(200);
	}
}

/* Each rank sleeps before it passes the token on. */
static void sleepy_ring(void)
{
	for (int i = 0;; i++) {
		if (rank || i)
			receive_from(left, TAG, MPI_COMM_WORLD);
		usleep(300000);
		send_to(right, TAG, MPI_COMM_WORLD);
	}
}

#endif /* HANGS_THREADS_H */
