/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file runtimes.h
 * Waits in the runtimes of Python, OpenMP and GPUs, by the functions on the stack.
 */
#ifndef WT_RUNTIMES_H
#define WT_RUNTIMES_H

#include "waits.h"

#include "../host/stopped.h"

/**
 * Recognize a wait by the names of functions. It may spin.
 *
 * @param x tid is set, and what is known from its system call; overwritten if the runtime is the better answer
 * @return false: it is in none; @p x is unchanged
 */
bool wt_runtime_read(struct host_target *t, const struct host_stopped *s, struct wt_wait *x);

/** Does a thread wait for Python's global lock? @param x its wait; NULL is accepted */
bool wt_is_at_global_lock(const struct wt_wait *x);

/** Has a thread Python code on its stack? */
bool wt_runs_python(struct host_target *t, const struct host_stopped *s);

/** Is it a thread of an OpenMP team, with code of the program on its stack? */
bool wt_is_in_team(struct host_target *t, const struct host_stopped *s);

#endif /* WT_RUNTIMES_H */
