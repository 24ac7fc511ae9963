/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file own_thread.h
 * Threads of this library's own in the user's program. There are few, each does one thing, and all wait nearly always.
 */
#ifndef TRK_OWN_THREAD_H
#define TRK_OWN_THREAD_H

#include <pthread.h>
#include <stdbool.h>

#pragma GCC visibility push(hidden)

struct trk_own_thread {
	const char *name; /**< at most 15 characters: what `info threads` and ps -L say */
	void (*run)(void);
};

/**
 * Start it, detached, with a small stack. The program's signals are not delivered to it; those that it causes itself are
 * (a breakpoint is one). The child of a fork does not have it: who starts one has a handler for that.
 *
 * @param what static
 * @return false: the system gives no thread, and nothing has happened
 */
bool trk_own_thread(const struct trk_own_thread *what);

/** The condition that it waits for, with deadlines of CLOCK_MONOTONIC. @return false: it could not be made */
bool trk_own_condition(pthread_cond_t *ret);

#pragma GCC visibility pop

#endif /* TRK_OWN_THREAD_H */
