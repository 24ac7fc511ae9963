/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file damage.h
 * Damage to recorded processes (fuzz/recorded.h): after each change fuzz_walk_recorded() reads all of it, and must
 * neither crash nor hang.
 */
#ifndef TEST_DAMAGE_H
#define TEST_DAMAGE_H

#include <stddef.h>
#include <stdint.h>

/** The bytes of a file; malloc. */
uint8_t *damage_load(const char *path, size_t *n);

/** At which word of a page to begin. */
enum damage_start {
	DAMAGE_IN_TURN, /**< offset = number of words damaged so far, modulo the stride */
	DAMAGE_SPREAD,  /**< a different offset in each page */
};

/**
 * Damage every @p stride-th nonzero word, one at a time, with each of: 0, all ones, an odd value, the address of its
 * neighbour, its own address, an unmapped address.
 *
 * @return number of damaged words
 */
size_t damage_words(uint8_t *data, size_t n, size_t stride, enum damage_start start);

/** Make every @p stride-th page unreadable, one at a time. */
void damage_pages(uint8_t *data, size_t n, unsigned stride);

#endif /* TEST_DAMAGE_H */
