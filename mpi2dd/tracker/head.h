/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file head.h
 * The registry's head and knobs: data that every part of the library reads.
 */
#ifndef TRK_HEAD_H
#define TRK_HEAD_H

#include "../../include/track_layout.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/** The registry itself is the symbol MPI2DD_registry. */
extern struct trk_registry MPI2DD_registry __attribute__((visibility("default")));

/**
 * Knobs, as they are: control variables of MPI_T (mpit/own_cvars.c). trk_freed_max: records of freed objects that are kept of
 * each kind; negative: a quarter of the capacity. It may change at any time; the others stay as they are when the
 * library has been loaded.
 */
extern int trk_capacities[TRK_N_KINDS];
extern int trk_is_on;
extern int trk_freed_max;
extern uint64_t trk_arena_wanted;

/** Is there an MPI_COMM_WORLD? Without it the library must not be asked about it. */
bool trk_has_world(void);

/** There is one from now on. @return false: there was one already */
bool trk_set_has_world(void);

#pragma GCC visibility pop

#endif /* TRK_HEAD_H */
