/* SPDX-License-Identifier: BSD-3-Clause */
#include "space.h"

#include <limits.h>
#include <stdlib.h>

static int own_stamp; /* our own part of MPI_T_category_changed */

void mpit_changed(void)
{
	if (own_stamp < INT_MAX)
		own_stamp++;
}

int mpit_n_changes(void)
{
	return own_stamp;
}

bool mpit_space_refresh(struct mpit_space *space, int n, int stamp)
{
	if (n == space->seen && stamp == space->stamp)
		return false;
	if (n > space->n) {
		int *bigger = realloc(space->of_host, (size_t)n * sizeof(*bigger));
		if (!bigger)
			return false;
		space->of_host = bigger;
		while (space->n < n)
			space->of_host[space->n++] = -1;
	}
	space->seen = n;
	space->stamp = stamp;
	return true;
}

int mpit_space_of_host(const struct mpit_space *space, int host_index)
{
	return host_index >= 0 && host_index < space->n ? space->of_host[host_index] : -1;
}

void *mpit_grow_array(void *array, int n, int *capacity, int first, size_t bytes)
{
	if (n < *capacity)
		return array;
	int more = *capacity ? 2 * *capacity : first;
	void *bigger = realloc(array, (size_t)more * bytes);
	if (bigger)
		*capacity = more;
	return bigger;
}
