/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file children.h
 * The children of a process.
 */
#ifndef WT_CHILDREN_H
#define WT_CHILDREN_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** Those that the thread has created, or, as the first one, threads that have ended. @return how many, at
 * most @p max */
size_t wt_children_of(pid_t pid, int64_t tid, pid_t *ret, size_t max);

/** Those of all its threads. @return how many, at most @p max */
size_t wt_children(pid_t pid, pid_t *ret, size_t max);

#endif /* WT_CHILDREN_H */
