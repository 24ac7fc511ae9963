/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file cache.h
 * Caches pages of a target while a bracket is open. Used only by space.c.
 *
 * A line is 16 KiB, aligned, and consists of four pages that are read one by one at first: a single read costs 4 KiB.
 * If the previous or next page is present already, the rest of the line in that direction is read with it, so that a
 * walk over neighbours needs one read per 16 KiB. A page that cannot be read as a whole is remembered; requests for it
 * are read exactly and not cached.
 *
 * A large target whose objects are visited in random order would cost 4 KiB for
 * each. This is detected when lines are evicted that were hardly used; from then on
 * a single read costs sectors of 256 bytes, until neighbours are requested again.
 */
#ifndef ACC_CACHE_H
#define ACC_CACHE_H

#include "space.h"

enum {
	ACC_SECTOR_BYTES = 256,
	ACC_PAGE_BYTES = 4096,
	ACC_LINE_PAGES = 4,
	ACC_LINE_BYTES = ACC_PAGE_BYTES * ACC_LINE_PAGES
};

/** An empty cache. @return NULL: no memory. */
struct acc_cache *acc_cache_create(struct acc_space *sp);

/** Release it with its pages. Takes NULL. */
void acc_cache_destroy(struct acc_space *sp, struct acc_cache *cache);

/** Discard all pages and the record of unreadable ones; the memory is reused. */
void acc_cache_forget(struct acc_cache *cache);

/**
 * Copy target memory through the cache. The range does not wrap (the caller has checked).
 *
 * @return ACC_OK or ACC_EREAD; @p ret may be partly written on failure.
 */
enum acc_rc acc_cache_read(struct acc_space *sp, struct acc_cache *cache, uint64_t addr, size_t n, void *ret);

#endif /* ACC_CACHE_H */
