/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file player.h
 * Progress of the ranks of player.c, in a file that its test maps: how many operations each thread has finished. It is
 * the truth about a job: a thread whose number never changes again stood still.
 */
#ifndef PLAYER_H
#define PLAYER_H

#include <stdatomic.h>
#include <stdint.h>

enum { PLAYER_RANKS_MAX = 8, PLAYER_THREADS_MAX = 4 };

struct player_thread {
	_Atomic uint64_t finished; /**< operations */
	_Atomic uint32_t line;   /**< of the script, from 1: the operation that it executes; 0: not started or ended */
	_Atomic uint32_t asleep; /**< it is in a sleep of the script that has an end */
};

struct player_rank {
	_Atomic uint32_t ended; /**< MPI_Finalize has returned */
	struct player_thread threads[PLAYER_THREADS_MAX];
};

struct player_progress {
	struct player_rank ranks[PLAYER_RANKS_MAX];
};

#endif /* PLAYER_H */
