/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mirror_host.h
 * The MPI library's own variables and categories in the mirror.
 */
#ifndef MPIT_MIRROR_HOST_H
#define MPIT_MIRROR_HOST_H

#include "mpit.h"

#pragma GCC visibility push(hidden)

/**
 * Query all of them, and read those that can be read: control variables, and, while MPI is initialized, performance
 * variables. Not after MPI_Finalize. With the lock held.
 *
 * @param now   time of the refresh, trk_now()
 * @param why   cause of the refresh, a permanent string
 * @param is_up MPI is initialized and not finalized
 */
void mpit_mirror_host(uint64_t now, const char *why, bool is_up);

#pragma GCC visibility pop

#endif /* MPIT_MIRROR_HOST_H */
