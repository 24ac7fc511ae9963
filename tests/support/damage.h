/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file damage.h
 * Damage to recorded processes (fuzz/recorded.h): after each change fuzz_mpich() reads all of it, and must neither crash nor hang.
 */
#ifndef TEST_DAMAGE_H
#define TEST_DAMAGE_H

#include <stddef.h>
#include <stdint.h>

/** The bytes of a file; malloc. */
uint8_t *damage_load(const char *path, size_t *n);

/** At which word of a page to begin. */
enum damage_start {
	DAMAGE_IN_TURN, /**< as many words after the first as were damaged before, modulo the stride */
	DAMAGE_SPREAD,  /**< another one at each page */
};

/**
 * Every @p stride-th word of what is not zero, one at a time and in turn: nothing, all ones, odd, its neighbour, itself, nowhere.
 *
 * @return how many there were
 */
size_t damage_words(uint8_t *data, size_t n, size_t stride, enum damage_start start);

/** Every @p stride-th page, one at a time, cannot be read. */
void damage_pages(uint8_t *data, size_t n, unsigned stride);

#endif /* TEST_DAMAGE_H */
