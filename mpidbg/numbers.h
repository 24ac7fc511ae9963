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
 * @param list  borrowed while @p it is used; an unknown list has no numbers
 * @param width bytes of a number in the target: 1, 4 or 8
 * @param end   maximum number of elements
 * @param key   name in the problem if they cannot be read; NULL: report nothing
 */
void mpidbg_numbers_init(struct mpidbg_numbers *it, struct mpidbg_description *d, const struct mdl_list *list,
			 unsigned width, uint64_t end, const char *key);

/**
 * The next number, and its index.
 * @return false: no more numbers, a read failure, or the output has failed
 */
bool mpidbg_numbers_next(struct mpidbg_numbers *it, uint64_t *index, int64_t *ret);

#endif /* MPIDBG_NUMBERS_H */
