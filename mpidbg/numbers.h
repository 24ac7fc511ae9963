/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file numbers.h
 * Iterates over the numbers of a list in the registry, which are read in blocks.
 */
#ifndef MPIDBG_NUMBERS_H
#define MPIDBG_NUMBERS_H

#include "describe.h"

enum { MPIDBG_NUMBERS_BLOCK = 256 };

struct mpidbg_numbers {
	struct mpidbg_description *d;
	const struct mdl_list *list;
	const char *key;
	unsigned width;
	uint64_t next, end; /**< indices */
	int64_t v[MPIDBG_NUMBERS_BLOCK];
};

/**
 * @param list  stays the caller's, as long as @p it is used; one that is not known has no numbers
 * @param width bytes of a number in the target: 1, 4 or 8
 * @param end   at most so many
 * @param key   of the problem when they cannot be read; NULL: nothing is written
 */
void mpidbg_numbers_init(struct mpidbg_numbers *it, struct mpidbg_description *d, const struct mdl_list *list,
			 unsigned width, uint64_t end, const char *key);

/**
 * The next number, and its index.
 * @return false: there are no more, or they cannot be read, or the answer cannot be written any more
 */
bool mpidbg_numbers_next(struct mpidbg_numbers *it, uint64_t *index, int64_t *ret);

#endif /* MPIDBG_NUMBERS_H */
