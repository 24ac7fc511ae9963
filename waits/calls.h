/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file calls.h
 * Threads that wait in system calls for descriptors, locks of files, children.
 */
#ifndef WT_CALLS_H
#define WT_CALLS_H

#include "waits.h"

#include "../host/stopped.h"

/**
 * Find the descriptors or children for which a thread of a live process waits, from the arguments of its system call.
 *
 * @param x tid is set
 * @return false: it is in no call that waits for them; x may be changed
 */
bool wt_call_read(struct host_target *t, const struct host_stopped *s, struct wt_wait *x);

/** Describe them: wt_wait.what. @param more false: what costs
 * little time only; true: also the other processes, wt_wait.peers */
void wt_call_describe(pid_t pid, struct wt_wait *x, bool more);

#endif /* WT_CALLS_H */
