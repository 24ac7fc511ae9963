/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file space.h
 * An index space of ours, into which the host's is mapped as its parts are seen: control variables, performance
 * variables, categories. With the lock held.
 */
#ifndef MPIT_SPACE_H
#define MPIT_SPACE_H

#include "mpit.h"

/** What of the host is where. Start with MPIT_SPACE. */
struct mpit_space {
	int *of_host; /**< host's index -> ours, -1: not seen */
	int n;        /**< host's indices that of_host has */
	int seen;     /**< how many the host had when it was looked at last; -1: never */
	int stamp;    /**< the host's category_changed then */
};

#define MPIT_SPACE                                                                                                     \
	{                                                                                                              \
		.seen = -1, .stamp = -1                                                                                \
	}

/**
 * Has the host, which has @p n now and this stamp, something that was not looked at? Then of_host has room for all, and the
 * caller goes through those that are -1.
 */
bool mpit_space_look(struct mpit_space *space, int n, int stamp);

/** Our index of the host's; -1: not seen. */
int mpit_space_of_host(const struct mpit_space *space, int host_index);

/**
 * Room for one more element: doubles a full array, from @p first elements on.
 * @return the array; NULL: no memory, and @p array is as it was.
 */
void *mpit_room(void *array, int n, int *capacity, int first, size_t bytes);

#endif /* MPIT_SPACE_H */
