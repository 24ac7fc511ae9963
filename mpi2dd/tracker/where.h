/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file where.h
 * Where in the program an object was made: return addresses, when MPI2DD_TRACK_WHERE asks for them.
 */
#ifndef TRK_WHERE_H
#define TRK_WHERE_H

#include "../../include/track_layout.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

enum { TRK_WHERE_MAX = 32 };

/** Addresses per object from now on; not positive: none; at most TRK_WHERE_MAX are kept. Not in a signal handler. */
void trk_where_setup(int depth);
extern int trk_where_depth;

static inline bool trk_where_is_asked(void)
{
	return __builtin_expect(__atomic_load_n(&trk_where_depth, __ATOMIC_RELAXED) > 0, 0);
}

/** The place of the call of @p frame, innermost first. Under the registry's lock. */
struct trk_span trk_where(const struct trk_frame *frame);

#pragma GCC visibility pop

#endif /* TRK_WHERE_H */
