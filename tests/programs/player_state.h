/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file player_state.h
 * State of a rank of player.c, and the objects that a script names by numbers.
 */
#ifndef PLAYER_STATE_H
#define PLAYER_STATE_H

#include "player.h"

#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ARGS_MAX = 16, COMMS_MAX = 64, REQUESTS_MAX = 256, WINDOWS_MAX = 32, MUTEXES_MAX = 4 };

/** An operation: a line of the script without rank and thread. */
struct line {
	char op[24];
	int args[ARGS_MAX], n_args, number, thread;
};

static int rank;
static struct player_progress *progress;
static struct line *lines;
static size_t n_lines;

static MPI_Comm comms[COMMS_MAX]; /* 0: MPI_COMM_WORLD */
static MPI_Request requests[REQUESTS_MAX];
static void *request_buffers[REQUESTS_MAX];
static MPI_Win windows[WINDOWS_MAX];
static pthread_mutex_t mutexes[MUTEXES_MAX];
static pthread_t threads[PLAYER_THREADS_MAX];

static inline struct player_thread *progress_of(const struct line *l)
{
	return &progress->ranks[rank].threads[l->thread];
}

static inline void finished_one(const struct line *l)
{
	atomic_fetch_add(&progress_of(l)->finished, 1);
}

static inline void nap_us(long us)
{
	struct timespec left = { us / 1000000, us % 1000000 * 1000 };

	while (us > 0 && nanosleep(&left, &left))
		;
}

static inline void *memory(size_t bytes)
{
	void *p = calloc(1, bytes + 64);

	if (!p) {
		perror("player");
		_exit(9);
	}
	return p;
}

#endif /* PLAYER_STATE_H */
