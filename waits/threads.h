/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file threads.h
 * The threads of a process by the ids that it knows itself: in a pid namespace of its own they are others than here.
 */
#ifndef WT_THREADS_H
#define WT_THREADS_H

#include "../host/host.h"

/** Start with all zero. */
struct wt_threads {
	int64_t *own, *here; /**< ids in its namespace, sorted, and in ours */
	size_t n;
};

/** @param core the ids of a core are those of the process */
void wt_threads_init(struct wt_threads *ret, struct host_target *t);
void wt_threads_deinit(struct wt_threads *threads);

/** The id here of a thread of the process; 0: it has no such thread. */
int64_t wt_thread_here(const struct wt_threads *threads, int64_t own);

#endif /* WT_THREADS_H */
