/* SPDX-License-Identifier: BSD-3-Clause */
#include "job.h"

#include "../access/grow.h"

#include <stdlib.h>
#include <string.h>

#define ADD(job, list, n)                                                                                              \
	do {                                                                                                           \
		if (!ACC_GROW((job)->list, (job)->n)) {                                                                \
			(job)->no_memory = true;                                                                       \
			return NULL;                                                                                   \
		}                                                                                                      \
		memset(&(job)->list[(job)->n], 0, sizeof(*(job)->list));                                               \
	} while (0)

struct vd_rank *vd_add_rank(struct vd_job *job)
{
	ADD(job, ranks, n_ranks);
	struct vd_rank *r = &job->ranks[job->n_ranks++];
	r->pid = -1;
	r->first_thread = job->n_threads;
	r->first_op = job->n_ops;
	r->first_epoch = job->n_epochs;
	return r;
}

struct vd_thread *vd_add_thread(struct vd_job *job)
{
	ADD(job, threads, n_threads);
	struct vd_thread *t = &job->threads[job->n_threads++];
	t->comm = t->comm_maybe = t->root = t->target = VD_UNKNOWN;
	t->leader = t->peers = VD_UNKNOWN;
	t->count = t->ordinal = -1;
	t->tid = t->ends_ms = t->n_runs = t->ran_permille = -1;
	t->first_await = job->n_awaits;
	job->ranks[job->n_ranks - 1].n_threads++;
	return t;
}

struct vd_op *vd_add_op(struct vd_job *job)
{
	ADD(job, ops, n_ops);
	struct vd_op *op = &job->ops[job->n_ops++];
	op->comm = op->peer = VD_UNKNOWN;
	op->absent = -1;
	op->sequence = op->bytes = -1;
	job->ranks[job->n_ranks - 1].n_ops++;
	return op;
}

struct vd_comm *vd_add_comm(struct vd_job *job)
{
	ADD(job, comms, n_comms);
	struct vd_comm *c = &job->comms[job->n_comms];
	c->context = -1;
	c->part_of = VD_UNKNOWN;
	c->first_alike = (int32_t)job->n_comms++;
	return c;
}

bool vd_comm_is_unsure(const struct vd_job *job, int32_t comm)
{
	const struct vd_comm *c = &job->comms[comm];

	return c->kind != VD_COMM &&
	       (job->comms[c->first_alike].is_mixed_up || (job->n_with_objects && job->n_without));
}

struct vd_epoch *vd_add_epoch(struct vd_job *job)
{
	ADD(job, epochs, n_epochs);
	struct vd_epoch *e = &job->epochs[job->n_epochs++];
	e->comm = e->peer = e->held = VD_UNKNOWN;
	job->ranks[job->n_ranks - 1].n_epochs++;
	return e;
}

bool vd_add_await(struct vd_job *job, int32_t op)
{
	if (!ACC_GROW(job->awaits, job->n_awaits)) {
		job->no_memory = true;
		return false;
	}
	job->awaits[job->n_awaits++] = op;
	job->threads[job->n_threads - 1].n_awaits++;
	return true;
}

/* ---- names ------------------------------------------------------------------------------------------- */

struct name {
	char *text;
	uint32_t hash;
	int32_t value;
};

/* A hash table with open addressing; at most half of the slots are used. */
struct vd_names {
	struct name *slots;
	size_t n, n_slots;
};

uint64_t vd_hash(uint64_t seed, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < n; i++)
		seed = (seed ^ p[i]) * UINT64_C(0x100000001b3);
	return seed;
}

static uint32_t hash_of(const char *text)
{
	uint64_t hash = vd_hash(VD_HASH_SEED, text, strlen(text));

	return (uint32_t)(hash ^ hash >> 32);
}

static struct name *slot_of(const struct vd_names *names, const char *text, uint32_t hash)
{
	size_t i = hash & (names->n_slots - 1);

	while (names->slots[i].text && (names->slots[i].hash != hash || strcmp(names->slots[i].text, text) != 0))
		i = (i + 1) & (names->n_slots - 1);
	return &names->slots[i];
}

static bool widen(struct vd_names *names)
{
	struct vd_names wider = { .n = names->n, .n_slots = names->n_slots ? 2 * names->n_slots : 256 };

	wider.slots = calloc(wider.n_slots, sizeof(*wider.slots));
	if (!wider.slots)
		return false;
	for (size_t i = 0; i < names->n_slots; i++)
		if (names->slots[i].text)
			*slot_of(&wider, names->slots[i].text, names->slots[i].hash) = names->slots[i];
	free(names->slots);
	*names = wider;
	return true;
}

/* Find or add a name. @return NULL: it is not there and @p value is VD_UNKNOWN, or out of memory */
static const struct name *name_of(struct vd_names **names, const char *text, int32_t value)
{
	if (!*names && !(*names = calloc(1, sizeof(**names))))
		return NULL;
	if (2 * ((*names)->n + 1) > (*names)->n_slots && !widen(*names))
		return NULL;
	uint32_t hash = hash_of(text);
	struct name *slot = slot_of(*names, text, hash);
	if (slot->text || value == VD_UNKNOWN)
		return slot->text ? slot : NULL;
	slot->text = strdup(text);
	if (!slot->text)
		return NULL;
	slot->hash = hash;
	slot->value = value;
	(*names)->n++;
	return slot;
}

int32_t vd_name(struct vd_names **names, const char *text, int32_t value)
{
	const struct name *name = name_of(names, text, value);

	return name ? name->value : VD_UNKNOWN;
}

void vd_names_destroy(struct vd_names *names)
{
	for (size_t i = 0; names && i < names->n_slots; i++)
		free(names->slots[i].text);
	if (names)
		free(names->slots);
	free(names);
}

struct vd_strings {
	struct vd_names *names;
};

const char *vd_string(struct vd_job *job, const char *text)
{
	if (!text)
		return NULL;
	if (!job->strings && !(job->strings = calloc(1, sizeof(*job->strings))))
		return NULL;
	const struct name *name = name_of(&job->strings->names, text, 0);
	if (!name)
		job->no_memory = true;
	return name ? name->text : NULL;
}

/* ---- members of communicators ------------------------------------------------------------------------ */

struct vd_lists {
	struct vd_names *names;
	struct vd_list **lists;
	size_t n;
};

static bool keep_list(struct vd_lists **lists, const char *text, struct vd_list *list)
{
	if (!*lists && !(*lists = calloc(1, sizeof(**lists))))
		return false;
	struct vd_lists *l = *lists;
	if (l->n >= INT32_MAX)
		return false;
	if (!ACC_GROW(l->lists, l->n))
		return false;
	if (vd_name(&l->names, text, (int32_t)l->n) != (int32_t)l->n)
		return false;
	l->lists[l->n++] = list;
	return true;
}

const struct vd_list *vd_list_add(struct vd_lists **lists, const char *text, int32_t *members, size_t n, size_t n_local)
{
	struct vd_list *list = members ? malloc(sizeof(*list)) : NULL;

	if (!list) {
		free(members);
		return NULL;
	}
	*list = (struct vd_list){ members, n, n_local, vd_hash(VD_HASH_SEED, members, n_local * sizeof(*members)),
				  vd_hash(VD_HASH_SEED, members + n_local, (n - n_local) * sizeof(*members)) };
	if (!text || keep_list(lists, text, list))
		return list;
	vd_list_destroy(list);
	return NULL;
}

const struct vd_list *vd_list_find(struct vd_lists *lists, const char *text)
{
	int32_t i = lists ? vd_name(&lists->names, text, VD_UNKNOWN) : VD_UNKNOWN;

	return i >= 0 && (size_t)i < lists->n ? lists->lists[i] : NULL;
}

void vd_list_destroy(const struct vd_list *list)
{
	if (list)
		free(list->members);
	free((void *)(uintptr_t)list);
}

void vd_lists_destroy(struct vd_lists *lists)
{
	for (size_t i = 0; lists && i < lists->n; i++)
		vd_list_destroy(lists->lists[i]);
	if (lists) {
		free(lists->lists);
		vd_names_destroy(lists->names);
	}
	free(lists);
}

/* ---- the end ------------------------------------------------------------------------------------------ */

void vd_job_deinit(struct vd_job *job)
{
	for (size_t i = 0; i < job->n_comms; i++)
		if (!job->comms[i].shares_members)
			free(job->comms[i].members);
	for (size_t i = 0; i < job->n_threads; i++)
		free(job->threads[i].targets);
	free(job->ranks);
	free(job->threads);
	free(job->ops);
	free(job->awaits);
	free(job->others);
	free(job->children);
	free(job->enders);
	free(job->epochs);
	free(job->partitioned);
	free(job->flows);
	free(job->transits);
	free(job->known);
	free(job->comms);
	if (job->strings)
		vd_names_destroy(job->strings->names);
	free(job->strings);
	vd_names_destroy(job->comm_names);
	vd_names_destroy(job->rank_names);
	vd_names_destroy(job->ports);
	vd_lists_destroy(job->lists);
	memset(job, 0, sizeof(*job));
}
