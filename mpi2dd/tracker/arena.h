/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file arena.h
 * Memory for spans: the lists of variable length that records refer to.
 *
 * Blocks of powers of two out of one mapping that is reserved when the registry is set up and touched as it is used.
 * Blocks are counted: records that say the same share one (the members of a communicator and of its duplicate). The
 * contents of a shared block do not change. All of it under the registry's lock.
 */
#ifndef TRK_ARENA_H
#define TRK_ARENA_H

#include "../../include/track_layout.h"

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/** @param bytes wanted; less when there is less. @return false: no memory at all, every span is empty then. */
bool trk_arena_setup(size_t bytes, struct trk_registry *registry);

/**
 * A span of @p n zeroed elements, with @p hidden more bytes behind them that no reader sees.
 *
 * @param[out] ret n is 0 and total is n when there is no room, which is counted
 * @return the elements; NULL: n is 0, or no room
 */
void *trk_span_new(struct trk_span *ret, size_t n, size_t element_bytes, size_t hidden);

/** A span with a copy of @p n elements. */
struct trk_span trk_span_copy(const void *elements, size_t n, size_t element_bytes);

/** A span of which only the length is known. */
static inline struct trk_span trk_span_unknown(size_t n)
{
	return (struct trk_span){ .total = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n };
}

/** The same span for one more record. */
struct trk_span trk_span_share(struct trk_span span);

/** One record needs it no more. Empty spans: nothing. */
void trk_span_drop(struct trk_span span);

/** Its elements; NULL when there are none. */
static inline void *trk_span_at(struct trk_span span)
{
	return (void *)(uintptr_t)span.addr;
}

/* ---- scratch: arrays while something is asked of the MPI library; not under the lock ------------------ */

/** Zeroed memory, apart from the program's heap; NULL: none. errno stays. */
void *trk_scratch(size_t n, size_t element_bytes);
void trk_scratch_free(void *memory);

#pragma GCC visibility pop

#endif /* TRK_ARENA_H */
