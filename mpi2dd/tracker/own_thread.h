/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file own_thread.h
 * Threads that this library creates in the user's program. There
 * are few; each has one task and waits nearly all the time.
 */
#ifndef TRK_OWN_THREAD_H
#define TRK_OWN_THREAD_H

#include <pthread.h>
#include <stdbool.h>

#pragma GCC visibility push(hidden)

struct trk_own_thread {
	const char *name; /**< at most 15 characters; shown by `info threads` and ps -L */
	void (*run)(void);
};

/**
 * Start a detached thread with a small stack. It blocks signals sent to the process; signals that it causes itself are
 * still delivered (a breakpoint is one). It does not exist in a forked child: whoever starts a thread must handle that
 * with pthread_atfork().
 *
 * @param what must be static
 * @return false: the system refuses to create a thread; nothing has changed
 */
bool trk_own_thread(const struct trk_own_thread *what);

/** Initialize a condition variable with CLOCK_MONOTONIC deadlines. @return false: failed */
bool trk_own_condition(pthread_cond_t *ret);

#pragma GCC visibility pop

#endif /* TRK_OWN_THREAD_H */
