/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file clock.h
 * The registry's clock: seconds since the Epoch. A call takes the time when it may wait for others.
 *
 * To ask the system costs 1 to 4.5 ns (time(); CLOCK_MONOTONIC_COARSE 5, the processor's counter 10), and the call's
 * arguments have to be put aside for it: half of what the library adds to an MPI_Sendrecv. So from MPI_Init to
 * MPI_Finalize a thread of ours writes it down at each full second, and a call only looks there. Where there is no such
 * thread calls ask the system, and usual ones have no wrappers of their own (wrap_quick.c): when the user does not want
 * it (MPI2DD_CLOCK_THREAD=0), when the system gives none, in the child of a fork, and in a program with real-time
 * scheduling, which might keep the processor from it.
 *
 * What is written down is late by as long as the thread waits for a processor. If a debugger lets other threads go on and
 * not this one, then a call that begins meanwhile is said to have lasted since it was stopped.
 */
#ifndef TRK_CLOCK_H
#define TRK_CLOCK_H

#include <stdint.h>
#include <time.h>

#pragma GCC visibility push(hidden)

/** As of the last full second; 0: nobody writes it. */
extern uint64_t trk_seconds;

/** The control variable MPI2DD_CLOCK_THREAD. */
extern int trk_clock_thread;

/** As of the last full second, with no more ado. 0: nobody writes it, or not any more. */
static inline uint64_t trk_tick(void)
{
	return __atomic_load_n(&trk_seconds, __ATOMIC_RELAXED);
}

static inline uint64_t trk_now(void)
{
	uint64_t seconds = trk_tick();

	return seconds ? seconds : (uint64_t)time(NULL);
}

/** MPI has begun: MPI_Init, or one more session; @p rc what that call has returned. Starts the thread. Keeps errno. */
void trk_clock_begin(int rc);

/** It has ended; after the last end there is no thread: it is told to end, and not waited for. Keeps errno. */
void trk_clock_end(int rc);

#pragma GCC visibility pop

#endif /* TRK_CLOCK_H */
