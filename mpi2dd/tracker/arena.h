/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file arena.h
 * Memory for spans: the variable-length lists that records refer to.
 *
 * Blocks have sizes that are powers of two, from one mapping that is reserved when the registry is set up; its pages
 * are touched only when used. Blocks are reference-counted: records with equal lists share one block (the members of a
 * communicator and of its duplicate). The contents of a shared block do not change. Everything below, except the
 * scratch memory, needs the registry's lock.
 */
#ifndef TRK_ARENA_H
#define TRK_ARENA_H

#include "../../include/track_layout.h"

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/**
 * Reserve the mapping. @param bytes size wanted; halved until the system grants it. @return false: no memory at all;
 * every span is empty then.
 */
bool trk_arena_setup(size_t bytes, struct trk_registry *registry);

/**
 * Allocate a span of @p n zeroed elements, followed by @p hidden bytes that no reader sees.
 *
 * @param[out] ret on failure n is 0 and total is @p n; the failure is counted
 * @return the elements; NULL: n is 0, or out of memory
 */
void *trk_span_new(struct trk_span *ret, size_t n, size_t element_bytes, size_t hidden);

/** Allocate a span with a copy of @p n elements. */
struct trk_span trk_span_copy(const void *elements, size_t n, size_t element_bytes);

/** A span whose length is known but whose elements are not. */
static inline struct trk_span trk_span_unknown(size_t n)
{
	return (struct trk_span){ .total = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n };
}

/** Share the span with one more record: its block gets one more reference. */
struct trk_span trk_span_share(struct trk_span span);

/** Drop a record's reference; the last one frees the block. Ignores empty spans. */
void trk_span_drop(struct trk_span span);

/** The elements; NULL: there are none. */
static inline void *trk_span_at(struct trk_span span)
{
	return (void *)(uintptr_t)span.addr;
}

/* ---- scratch memory for arrays while the MPI library is queried; does not need the lock ----------------- */

/**
 * Allocate zeroed memory that is not from the program's heap; NULL: out of memory. Preserves errno. Release with
 * trk_scratch_free().
 */
void *trk_scratch(size_t n, size_t element_bytes);
void trk_scratch_free(void *memory);

#pragma GCC visibility pop

#endif /* TRK_ARENA_H */
