/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a job as one: the order of worlds and ranks, ranks that are in several parts. */
#include "document.h"

#include <stdlib.h>
#include <string.h>

static int by_world_name(const void *a, const void *b, void *ctx)
{
	const struct cmd_parts *p = ctx;
	const struct cmd_part_world *x = &p->worlds[*(const uint32_t *)a], *y = &p->worlds[*(const uint32_t *)b];
	size_t n = strlen(x->name), m = strlen(y->name);

	if (!x->named || !y->named) {
		int by_place = (*(const uint32_t *)a > *(const uint32_t *)b) -
			       (*(const uint32_t *)a < *(const uint32_t *)b);
		return x->named == y->named ? by_place : y->named - x->named;
	}
	return n != m ? (n > m) - (n < m) : strcmp(x->name, y->name); /* numbers increase */
}

/* Worlds in the same order, whichever host was read first. */
static void sort_worlds(struct cmd_parts *p)
{
	uint32_t *order = calloc(p->n_worlds + 1, sizeof(*order)), *place = calloc(p->n_worlds + 1, sizeof(*place));
	struct cmd_part_world *worlds = calloc(p->n_worlds + 1, sizeof(*worlds));

	if (!order || !place || !worlds) {
		p->no_memory = true;
	} else {
		for (uint32_t i = 0; i < p->n_worlds; i++)
			order[i] = i;
		qsort_r(order, p->n_worlds, sizeof(*order), by_world_name, p);
		for (uint32_t i = 0; i < p->n_worlds; i++) {
			worlds[i] = p->worlds[order[i]];
			place[order[i]] = i;
		}
		for (size_t i = 0; i < p->n; i++)
			p->processes[i].world = place[p->processes[i].world];
		for (uint32_t i = 0; i < p->n_worlds; i++)
			p->worlds[i] = worlds[i];
	}
	free(worlds);
	free(order);
	free(place);
}

static int by_rank(const void *a, const void *b)
{
	const struct cmd_part_process *x = a, *y = b;

	if (x->world != y->world)
		return x->world < y->world ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->document != y->document)
		return x->document < y->document ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static bool same_rank(const struct cmd_part_process *x, const struct cmd_part_process *y)
{
	return x->rank >= 0 && x->rank == y->rank && x->world == y->world;
}

/* Of the processes from first on that are the same rank of several snapshots, keep those of one snapshot. */
static size_t choose(struct cmd_parts *p, size_t first, size_t *kept, struct cmd_lines *problems)
{
	struct cmd_part_process *v = p->processes;
	size_t end = first, best = first;

	for (; end < p->n && (end == first || same_rank(&v[end], &v[first])); end++)
		if (!v[best].read && v[end].read)
			best = end;
	for (size_t i = first; i < end; i++) {
		bool later = v[i].document != v[best].document;
		if (later && v[i].read && (i == first || v[i].document != v[i - 1].document))
			cmd_lines_add(problems, "%s: rank %lld is in an earlier file, too: that one counts",
				      p->documents[v[i].document].name, (long long)v[i].rank);
		if (later)
			json_decref(v[i].json);
		else
			v[(*kept)++] = v[i];
	}
	return end;
}

static void set_frame(struct cmd_parts *p)
{
	json_t *variables = cmd_variables_json(&p->variables), *worlds = json_array();

	cmd_variables_deinit(&p->variables);
	if (variables)
		json_object_set_new(p->head, "variables", variables);
	if (p->n_parts > 1) {
		json_object_del(p->head, "started"); /* of one of them */
		json_object_set_new(p->head, "time", json_integer(p->first_time));
		json_object_set_new(p->head, "parts",
				    json_pack("{s:I, s:I}", "n", (json_int_t)p->n_parts, "seconds",
					      (json_int_t)(p->last_time - p->first_time)));
	}
	for (size_t i = 0; i < p->n_worlds; i++) {
		json_t *world = json_object();
		if (p->worlds[i].named)
			json_object_set_new(world, "name", json_string(p->worlds[i].name));
		if (p->worlds[i].size >= 0)
			json_object_set_new(world, "size", json_integer(p->worlds[i].size));
		json_array_append_new(worlds, world);
	}
	json_object_set_new(p->head, "worlds", worlds);
}

void cmd_parts_merge(struct cmd_parts *p, struct cmd_lines *problems)
{
	size_t kept = 0;

	if (p->n_documents > 1 && p->n_worlds > 1)
		sort_worlds(p);
	if (p->n > 1)
		qsort(p->processes, p->n, sizeof(*p->processes), by_rank);
	for (size_t i = 0; i < p->n;)
		i = choose(p, i, &kept, problems);
	p->n = kept;
	int64_t size = cmd_part_number(json_object_get(p->head, "job"), "size", -1);
	if (p->n_worlds == 1 && p->worlds[0].size < 0 && cmd_part_is_rank(size))
		p->worlds[0].size = size;
	if (p->head)
		set_frame(p);
}

void cmd_parts_insert(struct cmd_parts *p, json_t *process)
{
	struct cmd_part_process *x = process ? cmd_part_grow(p) : NULL;

	if (!x)
		return;
	struct cmd_part_process added = { .rank = cmd_part_number(process, "rank", -1),
					  .pid = cmd_part_number(process, "pid", -1),
					  .mpi_job = cmd_part_number(json_object_get(process, "world"), "job", -1),
					  .world = (uint32_t)cmd_part_number(process, "world_number", 0),
					  .read = cmd_part_was_read(process),
					  .json = json_incref(process) };
	for (; x > p->processes && by_rank(x - 1, &added) > 0; x--)
		*x = x[-1];
	*x = added;
}

int64_t cmd_parts_missing(const struct cmd_parts *p)
{
	int64_t missing = 0;

	for (size_t i = 0; i < p->n_worlds; i++)
		missing += p->worlds[i].size > 0 ? p->worlds[i].size : 0;
	for (size_t i = 0; i < p->n; i++) {
		bool counted = p->processes[i].world < p->n_worlds && p->worlds[p->processes[i].world].size > 0;
		missing += p->processes[i].read ? -(int64_t)counted : !counted;
	}
	return missing > 0 ? missing : 0;
}
