/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file global_lock.h
 * Who has Python's global lock (GIL), from the memory of CPython 3.7 to 3.14.
 */
#ifndef WT_GLOBAL_LOCK_H
#define WT_GLOBAL_LOCK_H

#include "threads.h"

#include "../host/stopped.h"

/**
 * The thread that has the lock.
 *
 * @param s a thread that waits for it
 * @return 0: nobody has it at this moment, or it is not known
 */
int64_t wt_global_lock_holder(struct host_target *t, const struct wt_threads *threads, const struct host_stopped *s);

#endif /* WT_GLOBAL_LOCK_H */
