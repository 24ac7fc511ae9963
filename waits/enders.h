/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file enders.h
 * Which processes can end a wait for a pipe or a child, directly, or because processes that wait wait for them.
 */
#ifndef WT_ENDERS_H
#define WT_ENDERS_H

#include "waits.h"

/**
 * Find them: wt_wait.enders. A process all of whose threads wait, without an end, for data from a pipe or room in one,
 * for children, or for each other, is followed: those for which it waits take its place.
 *
 * @param x a WT_CALL of the process @p pid
 */
void wt_enders_find(pid_t pid, struct wt_wait *x);

#endif /* WT_ENDERS_H */
