/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash table from names to indices: open addressing, doubled when half full. */
#include "mpit.h"

#include <stdlib.h>
#include <string.h>

static size_t hash(const char *name, int key)
{
	uint64_t h = UINT64_C(14695981039346656037) ^ (uint64_t)key;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * UINT64_C(1099511628211);
	return (size_t)h;
}

static struct mpit_name *find_slot(const struct mpit_names *set, const char *name, int key)
{
	size_t i = hash(name, key) & (set->capacity - 1);

	while (set->slots[i].name && (set->slots[i].key != key || strcmp(set->slots[i].name, name) != 0))
		i = (i + 1) & (set->capacity - 1);
	return &set->slots[i];
}

int mpit_names_find(const struct mpit_names *set, const char *name, int key)
{
	if (!set->capacity)
		return -1;
	const struct mpit_name *slot = find_slot(set, name, key);
	return slot->name ? slot->index : -1;
}

static bool grow(struct mpit_names *set)
{
	struct mpit_names bigger = { .capacity = set->capacity ? 2 * set->capacity : 256, .n = set->n };

	bigger.slots = calloc(bigger.capacity, sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	for (size_t i = 0; i < set->capacity; i++)
		if (set->slots[i].name)
			*find_slot(&bigger, set->slots[i].name, set->slots[i].key) = set->slots[i];
	free(set->slots);
	*set = bigger;
	return true;
}

bool mpit_names_add(struct mpit_names *set, char *name, int key, int index)
{
	if (2 * (set->n + 1) > set->capacity && !grow(set))
		return false;
	struct mpit_name *slot = find_slot(set, name, key);
	if (slot->name)
		return false;
	*slot = (struct mpit_name){ name, key, index };
	set->n++;
	return true;
}
