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
 * Look at all of them, and read what can be read: control variables, and when MPI is up performance variables. Not
 * after MPI_Finalize. With the lock held.
 *
 * @param why the cause of the refresh, a text that stays
 */
void mpit_mirror_host(uint64_t now, const char *why, bool is_up);

#pragma GCC visibility pop

#endif /* MPIT_MIRROR_HOST_H */
