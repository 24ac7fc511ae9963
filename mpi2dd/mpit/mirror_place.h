/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mirror_place.h
 * Where the MPI library keeps the values of its control variables.
 */
#ifndef MPIT_MIRROR_PLACE_H
#define MPIT_MIRROR_PLACE_H

#include "../../include/track_layout.h"
#include "cvar.h"

#pragma GCC visibility push(hidden)

/**
 * The address of a value, for a reader outside. It is in a library that stays loaded, and holds @p value now.
 *
 * @param value     as MPI_T has just read or written it, of @p count elements
 * @param[out] kind enum trk_place_kind
 * @return its address; 0: not known, *kind is as it was
 */
uint64_t mpit_place_of_cvar(const struct mpit_cvar_facts *f, enum trk_var_type type, const void *value, int count,
			    uint32_t *kind);

#pragma GCC visibility pop

#endif /* MPIT_MIRROR_PLACE_H */
