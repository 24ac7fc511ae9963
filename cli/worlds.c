/* SPDX-License-Identifier: BSD-3-Clause */
#include "worlds.h"

#include "../access/grow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t cmd_worlds_find(struct cmd_worlds *worlds, const char *id)
{
	if (worlds->last < worlds->n && strcmp(worlds->v[worlds->last].id, id) == 0)
		return worlds->last;
	for (size_t i = 0; i < worlds->n; i++)
		if (strcmp(worlds->v[i].id, id) == 0)
			return worlds->last = i;
	return CMD_NO_WORLD;
}

size_t cmd_worlds_add(struct cmd_worlds *worlds, const char *id)
{
	size_t found = cmd_worlds_find(worlds, id);

	if (found != CMD_NO_WORLD)
		return found;
	if (!ACC_GROW(worlds->v, worlds->n))
		return CMD_NO_WORLD;
	char *copy = strdup(id);
	if (!copy)
		return CMD_NO_WORLD;
	worlds->v[worlds->n] = (struct cmd_world){
		.id = copy, .parent_rank = -1, .sequence = -1, .parent = CMD_NO_WORLD, .met = CMD_NO_WORLD
	};
	return worlds->last = worlds->n++;
}

bool cmd_worlds_spawned(struct cmd_worlds *worlds, size_t world, const char *parent_id, int64_t rank, int64_t sequence)
{
	struct cmd_world *w = &worlds->v[world];

	if (w->parent_id)
		return true;
	w->parent_id = strdup(parent_id);
	w->parent_rank = rank;
	w->sequence = sequence;
	return w->parent_id != NULL;
}

/* Is a world the same as another one, or an ancestor of it? The parents set so far form no cycle. */
static bool is_above(const struct cmd_worlds *worlds, size_t above, size_t world)
{
	while (world != above && world != CMD_NO_WORLD)
		world = worlds->v[world].parent;
	return world == above;
}

static void find_parents(struct cmd_worlds *worlds)
{
	for (size_t i = 0; i < worlds->n; i++)
		worlds->v[i].parent = CMD_NO_WORLD;
	for (size_t i = 0; i < worlds->n; i++) {
		struct cmd_world *w = &worlds->v[i];
		size_t parent = w->parent_id ? cmd_worlds_find(worlds, w->parent_id) : CMD_NO_WORLD;
		if (parent != CMD_NO_WORLD && !is_above(worlds, i, parent))
			w->parent = parent;
	}
}

/* Sort key: roots in the order of discovery, beginning with
 * `first`; children by parent rank and number of the spawn. */
struct key {
	size_t world, index;
	int64_t rank, sequence;
};

static int by_call(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->sequence != y->sequence)
		return x->sequence < y->sequence ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* Children of a world, sorted, onto the stack, the first one on top. @return how many */
static size_t push_children(const struct cmd_worlds *worlds, size_t parent, size_t first, struct key *stack)
{
	size_t n = 0;

	for (size_t i = 0; i < worlds->n; i++)
		if (worlds->v[i].parent == parent)
			stack[n++] = (struct key){ i, i, worlds->v[i].parent_rank, worlds->v[i].sequence };
	for (size_t i = 0; parent == CMD_NO_WORLD && i < n; i++) {
		stack[i].rank = stack[i].world == first ? -1 : 0;
		stack[i].sequence = 0;
	}
	if (n > 1)
		qsort(stack, n, sizeof(*stack), by_call);
	for (size_t i = 0; i < n / 2; i++) {
		struct key t = stack[i];
		stack[i] = stack[n - 1 - i];
		stack[n - 1 - i] = t;
	}
	return n;
}

bool cmd_worlds_arrange(struct cmd_worlds *worlds, size_t first, size_t **place)
{
	*place = NULL;
	if (!worlds->n)
		return true;
	struct key *stack = calloc(worlds->n, sizeof(*stack));
	size_t *new_index = calloc(worlds->n, sizeof(*new_index));
	struct cmd_world *v = calloc(worlds->n, sizeof(*v));
	if (!stack || !new_index || !v) {
		free(stack);
		free(new_index);
		free(v);
		return false;
	}
	find_parents(worlds);
	while (first != CMD_NO_WORLD && worlds->v[first].parent != CMD_NO_WORLD)
		first = worlds->v[first].parent;
	/* each world descends from exactly one root, so the stack never holds one twice */
	size_t n = push_children(worlds, CMD_NO_WORLD, first, stack), done = 0;
	while (n) {
		size_t at = stack[--n].world;
		struct cmd_world *w = &worlds->v[at];
		w->depth = w->parent == CMD_NO_WORLD ? 0 : v[new_index[w->parent]].depth + 1;
		new_index[at] = done;
		v[done++] = *w;
		n += push_children(worlds, at, first, stack + n);
	}
	for (size_t i = 0; i < done; i++) {
		v[i].parent = v[i].parent == CMD_NO_WORLD ? CMD_NO_WORLD : new_index[v[i].parent];
		v[i].met = v[i].met == CMD_NO_WORLD ? CMD_NO_WORLD : new_index[v[i].met];
	}
	free(stack);
	memcpy(worlds->v, v, done * sizeof(*v));
	free(v);
	worlds->last = 0;
	*place = new_index;
	return true;
}

/*
 * Open MPI from 5.0 on derives the number of a job from the launcher's name of it, "prterun-node1-4711@2": the
 * high 16 bits are a folded hash (Jenkins's one-at-a-time) of the part before the "@", the low 16 bits are those
 * of the number after it (opal_pmix_convert_nspace(), opal/mca/pmix/base/pmix_base_fns.c).
 */
static uint32_t number_of_name(const char *name, const char *at)
{
	uint32_t hash = 0;

	for (; name < at; name++) {
		hash += (uint32_t)(signed char)*name;
		hash += hash << 10;
		hash ^= hash >> 6;
	}
	hash += hash << 3;
	hash ^= hash >> 11;
	hash += hash << 15;
	return ((hash >> 16 ^ hash) & 0xffff) << 16 | (uint32_t)(strtoul(at + 1, NULL, 10) & 0xffff);
}

void cmd_world_number(struct cmd_world *world, const char *job)
{
	static const char digits[] = "0123456789";
	size_t n = strlen(job);
	const char *at = strrchr(job, '@');

	if (world->number[0] || !n)
		return;
	if (n < sizeof(world->number) && strspn(job, digits) == n)
		memcpy(world->number, job, n + 1);
	else if (at && at[1] && strspn(at + 1, digits) == strlen(at + 1))
		snprintf(world->number, sizeof(world->number), "%" PRIu32, number_of_name(job, at));
}

void cmd_world_name(const struct cmd_worlds *worlds, size_t world, char ret[24])
{
	const char *number = worlds->v[world].number;

	snprintf(ret, 24, number[0] ? "%.23s" : "%.0s%zu", number, world + 1);
}

void cmd_world_words(const struct cmd_worlds *worlds, size_t world, char *ret, size_t n)
{
	const struct cmd_world *w = &worlds->v[world];
	char name[24];

	cmd_world_name(worlds, world, name);
	int used = snprintf(ret, n, "world %s", name);

	if (used < 0 || (size_t)used >= n)
		return;
	ret += used;
	n -= (size_t)used;
	if (w->parent != CMD_NO_WORLD) {
		cmd_world_name(worlds, w->parent, name);
		snprintf(ret, n, ": spawned by rank %lld of world %s, call %lld", (long long)w->parent_rank, name,
			 (long long)w->sequence);
	} else if (w->parent_id) {
		snprintf(ret, n, ": spawned by rank %lld of a world that is not listed, call %lld",
			 (long long)w->parent_rank, (long long)w->sequence);
	} else if (w->met != CMD_NO_WORLD && worlds->v[w->met].parent != world) {
		cmd_world_name(worlds, w->met, name);
		snprintf(ret, n, ": connected with world %s", name);
	}
}

void cmd_worlds_deinit(struct cmd_worlds *worlds)
{
	for (size_t i = 0; i < worlds->n; i++) {
		free(worlds->v[i].id);
		free(worlds->v[i].parent_id);
	}
	free(worlds->v);
	*worlds = (struct cmd_worlds){ 0 };
}
