/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file head.h
 * The registry's head and settings: data that every part of the library reads.
 */
#ifndef TRK_HEAD_H
#define TRK_HEAD_H

#include "../../include/track_layout.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/** The registry itself, as an exported symbol. */
extern struct trk_registry MPI2DD_registry __attribute__((visibility("default")));

/**
 * Settings with their current values, which are control variables of MPI_T (mpit/own_cvars.c). trk_freed_max: how many
 * records of freed objects are kept for each kind; negative: a quarter of the capacity. It may change at any time; the
 * others do not change after the library has been loaded.
 */
extern int trk_capacities[TRK_N_KINDS];
extern int trk_is_on;
extern int trk_freed_max;
extern uint64_t trk_arena_wanted;

/** Does MPI_COMM_WORLD exist? Without it the library must not be asked about it. */
bool trk_has_world(void);

/** MPI_COMM_WORLD exists from now on. @return false: it existed already */
bool trk_set_has_world(void);

#pragma GCC visibility pop

#endif /* TRK_HEAD_H */
