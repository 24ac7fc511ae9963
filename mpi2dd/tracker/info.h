/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file info.h
 * Info objects: their keys and values. See objects.h.
 */
#ifndef TRK_INFO_H
#define TRK_INFO_H

#include "objects.h"

#pragma GCC visibility push(hidden)

/** The program has a new info object. @p parent: number of the object that it tells of or is a copy of, or 0. */
void trk_info_made(uint64_t parent, MPI_Info info);

/** MPI_Info_set, MPI_Info_delete. */
void trk_info_changed(MPI_Info info);

/** Keys and values of an info object, as a span of trk_pair; MPI_INFO_NULL: empty. Asked, not under the lock. */
struct trk_info_facts {
	int n, total; /**< pairs that were read, and all */
	char *text;   /**< key and value, one after the other, each with its NUL */
	size_t bytes;
};
void trk_info_ask(MPI_Info info, struct trk_info_facts *ret);
struct trk_span trk_info_pairs(const struct trk_info_facts *f);

/**
 * Hints that an object has been given by now: @p *hints and those of one more info, which replace those with the same key;
 * with what was no hint to the library among them. Under the lock, between trk_change() and trk_changed().
 */
void trk_info_add_hints(struct trk_span *hints, const struct trk_info_facts *f);
void trk_info_release(struct trk_info_facts *f);

#pragma GCC visibility pop

#endif /* TRK_INFO_H */
