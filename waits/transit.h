/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file transit.h
 * Descriptors on their way from one process to another in Unix sockets: no process has them in /proc.
 */
#ifndef WT_TRANSIT_H
#define WT_TRANSIT_H

#include <stdbool.h>

/** What is found must have been read at this time, of host_now_ms(), or later. */
void wt_transit_after(double ms);

/** Is there one? true also if that is not known. */
bool wt_transit_possible(void);

#endif /* WT_TRANSIT_H */
