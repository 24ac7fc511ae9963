/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file array.h
 * A long array of entries with their strings that is filled block by block and returned as one allocation.
 *
 * The strings follow the entries. The number of entries is known from the start; the space for strings is estimated
 * from the first block, and the array is reallocated if that was too little. The memory is the debugger's.
 */
#ifndef MPIDBG_ARRAY_H
#define MPIDBG_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

struct mpidbg_array {
	size_t n, entry_bytes; /**< number of entries in the complete array; size of one */
	const size_t *strings; /**< offsets of the string members of an entry; borrowed */
	size_t n_strings;
	char *bytes;     /**< NULL: nothing was added so far */
	size_t n_filled; /**< entries so far */
	size_t n_text, cap_text;
};

/**
 * Add a block of entries.
 *
 * @param n     number of entries; together with earlier blocks at most array->n
 * @param text  copied; n_text bytes
 * @param[out] text_ret the copy, valid until the next call; strings of the entries point into it or are NULL
 * @return its @p n entries, to be filled before the next call; NULL: out of memory; the array is unchanged
 */
void *mpidbg_array_add(struct mpidbg_array *a, size_t n, const char *text, size_t n_text, const char **text_ret);

/** Discard the array. Takes an empty one. */
void mpidbg_array_free(struct mpidbg_array *a);

#endif /* MPIDBG_ARRAY_H */
