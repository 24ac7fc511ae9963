/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file space.h
 * An index space of ours that includes the host's elements as they become known: control variables, performance
 * variables, categories. With the lock held.
 */
#ifndef MPIT_SPACE_H
#define MPIT_SPACE_H

#include "mpit.h"

/** The mapping of the host's indices. Initialize with MPIT_SPACE. */
struct mpit_space {
	int *of_host; /**< indexed by the host's index: our index; -1: not known */
	int n;        /**< number of elements of of_host */
	int seen;     /**< number of elements in the host at the last refresh; -1: no refresh so far */
	int stamp;    /**< the host's category_changed at that time */
};

#define MPIT_SPACE                                                                                                     \
	{                                                                                                              \
		.seen = -1, .stamp = -1                                                                                \
	}

/**
 * Has the host something new, given its current number of elements @p n and stamp? If so, of_host is extended, and the
 * caller must process the elements that are -1.
 */
bool mpit_space_refresh(struct mpit_space *space, int n, int stamp);

/** Our index of a host's element; -1: not known. */
int mpit_space_of_host(const struct mpit_space *space, int host_index);

/**
 * Make room for one more element: a full array is doubled, starting with @p first elements.
 * @return the array; NULL: out of memory, and @p array is unchanged.
 */
void *mpit_grow_array(void *array, int n, int *capacity, int first, size_t bytes);

#endif /* MPIT_SPACE_H */
