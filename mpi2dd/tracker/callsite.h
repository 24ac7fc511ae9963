/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file callsite.h
 * Where in the program an object was created: return addresses, recorded if MPI2DD_TRACK_WHERE asks for them.
 */
#ifndef TRK_CALLSITE_H
#define TRK_CALLSITE_H

#include "../../include/track_layout.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

enum { TRK_CALLSITE_MAX = 32 };

/**
 * Record this many addresses for each object from now on, at most
 * TRK_CALLSITE_MAX; 0 or negative: none. Not in a signal handler.
 */
void trk_callsite_setup(int depth);
extern int trk_callsite_depth;

static inline bool trk_callsite_is_enabled(void)
{
	return __builtin_expect(__atomic_load_n(&trk_callsite_depth, __ATOMIC_RELAXED) > 0, 0);
}

/** The callsite of the call of @p frame, innermost address first. Under the registry's lock. */
struct trk_span trk_callsite(const struct trk_frame *frame);

#pragma GCC visibility pop

#endif /* TRK_CALLSITE_H */
