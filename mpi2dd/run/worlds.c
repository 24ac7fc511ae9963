/* SPDX-License-Identifier: BSD-3-Clause */
#include "worlds.h"

#include "../tables/starter.h"

#include <stdlib.h>
#include <string.h>

struct run_world *run_worlds_get(struct run_worlds *worlds, const char *job)
{
	for (struct run_world *w = worlds->first; w; w = w->next)
		if (strcmp(w->job, job) == 0)
			return w;
	if (worlds->n == RUN_WORLDS_MAX)
		return NULL;
	struct run_world *w = calloc(1, sizeof(*w));
	char *name = strdup(job);
	if (!w || !name) {
		free(w);
		free(name);
		return NULL;
	}
	w->job = name;
	w->next = worlds->first;
	worlds->first = w;
	worlds->n++;
	return w;
}

void run_world_hello(struct run_world *world, int local_size)
{
	world->processes += local_size;
	world->n_hellos++;
}

enum run_decision run_world_decide(struct run_world *world, int world_size, bool good, int64_t now_ms)
{
	if (world->decision)
		return world->decision;
	/* Every node's HELLO was counted before any process left MPI_Init, so a process that is missing now does not
	 * carry the library. */
	if (!good || world->processes != world_size)
		world->decision = RUN_NO;
	else if (++world->n_good == world->n_hellos)
		world->decision = RUN_YES;
	else if (!world->deadline_ms)
		world->deadline_ms = now_ms + M2D_STARTER_DECIDE_MS;
	return world->decision;
}

void run_world_give_up(struct run_world *world)
{
	if (!world->decision)
		world->decision = RUN_NO;
}

void run_worlds_deinit(struct run_worlds *worlds)
{
	for (struct run_world *w = worlds->first, *next; w; w = next) {
		next = w->next;
		free(w->job);
		free(w);
	}
	worlds->first = NULL;
	worlds->n = 0;
}
