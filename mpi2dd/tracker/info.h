/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file info.h
 * Info objects: their keys and values. See objects.h.
 */
#ifndef TRK_INFO_H
#define TRK_INFO_H

#include "objects.h"

#pragma GCC visibility push(hidden)

/** An info object was created. @param parent number of the object that it describes or is a copy of; 0: none. */
void trk_info_made(uint64_t parent, MPI_Info info);

/** The contents have changed (MPI_Info_set, MPI_Info_delete). */
void trk_info_changed(MPI_Info info);

/**
 * Keys and values of an info object. trk_info_query() queries the MPI library (not under the lock; MPI_INFO_NULL:
 * empty), trk_info_pairs() makes a span of trk_pair of the result (under the lock), trk_info_release() frees it.
 */
struct trk_info_facts {
	int n, total; /**< number of pairs that were read, and of all pairs */
	char *text;   /**< keys and values in turn, each with its NUL */
	size_t bytes;
};
void trk_info_query(MPI_Info info, struct trk_info_facts *ret);
struct trk_span trk_info_pairs(const struct trk_info_facts *f);

/**
 * Add hints to those that an object has been given so far. A new value replaces the one with the same key. Keys that
 * the library does not know are included. Under the lock, between trk_change() and trk_changed().
 */
void trk_info_add_hints(struct trk_span *hints, const struct trk_info_facts *f);
void trk_info_release(struct trk_info_facts *f);

#pragma GCC visibility pop

#endif /* TRK_INFO_H */
