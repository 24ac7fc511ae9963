/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mirror_place.h
 * The addresses at which the MPI library stores the values of its control variables.
 */
#ifndef MPIT_MIRROR_PLACE_H
#define MPIT_MIRROR_PLACE_H

#include "../../include/track_layout.h"
#include "cvar.h"

#pragma GCC visibility push(hidden)

/**
 * The address of a value, for an outside reader. It is in a library that stays loaded, and contains @p value now.
 *
 * @param value     as MPI_T has just read or written it, with @p count elements
 * @param[out] kind enum trk_place_kind
 * @return the address; 0: not known, *kind unchanged
 */
uint64_t mpit_cvar_address(const struct mpit_cvar_facts *f, enum trk_var_type type, const void *value, int count,
			   uint32_t *kind);

#pragma GCC visibility pop

#endif /* MPIT_MIRROR_PLACE_H */
