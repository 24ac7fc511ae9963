/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file glibc.h
 * Locks of the GNU C library in the memory of a process.
 */
#ifndef WT_GLIBC_H
#define WT_GLIBC_H

#include "threads.h"
#include "waits.h"

#include "../host/stopped.h"

/** The kind of object for which a function of the C library waits,
 * WT_NOTHING: it is none of these. Leading underscores are skipped. */
enum wt_kind wt_glibc_kind(const char *function);

/**
 * Fill in a wait from the object whose futex the thread waits for.
 *
 * @param s    in the system call futex
 * @param name the function of the C library in which it waits; NULL: it has called futex itself
 * @param x    tid and kind are set; unchanged but for what is known
 */
void wt_glibc_read(struct host_target *t, const struct wt_threads *threads, const struct host_stopped *s,
		   const char *name, struct wt_wait *x);

#endif /* WT_GLIBC_H */
