/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators of a process, and their members. */
#include "loading.h"
#include "members.h"

#include <stdlib.h>
#include <string.h>

static const struct vd_list nobody = { NULL, 0, 0, 0, 0 };

/* A member of another world, {"job": J, "rank": R}, or null. */
static int32_t member(struct vd_job *job, const json_t *m)
{
	char key[64];

	if (json_is_integer(json_object_get(m, "job")))
		vd_rank_key(key, 'j', vd_json_number(m, "job", -1), vd_json_number(m, "rank", -1));
	else if (json_is_integer(json_object_get(m, "world")))
		vd_rank_key(key, 'w', vd_json_number(m, "world", 0) - 1, vd_json_number(m, "rank", -1));
	else
		return VD_UNKNOWN;
	return vd_name(&job->rank_names, key, VD_UNKNOWN);
}

/*
 * The identity of a communicator across all its members: the MPI library's context number and the groups. If the
 * number is unknown: its name, and its position among the process's communicators with this name and these groups,
 * because all members create them in the same order.
 */
static void comm_key(const struct vd_view *v, size_t n_before, char ret[256])
{
	uint64_t local = v->list->local, remote = v->list->remote;
	const json_t *context = json_object_get(v->json, "context");
	const char *name = vd_json_text(v->json, "name");

	if (v->list->n > v->list->n_local && remote < local) {
		uint64_t swap = local;
		local = remote;
		remote = swap;
	}
	if (json_is_integer(context)) {
		const uint64_t numbers[] = { (uint64_t)json_integer_value(context), local, remote };
		*ret++ = 'c';
		for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
			ret = vd_put_number(ret, numbers[i]);
			*ret++ = i < 2 ? ' ' : '\0';
		}
	} else
		snprintf(ret, 256, "n%.128s %llx %llx %zu", name ? name : "", (unsigned long long)local,
			 (unsigned long long)remote, n_before);
}

static size_t like_it(const struct vd_loading *l, const struct vd_view *v)
{
	const char *name = vd_json_text(v->json, "name");
	size_t n = 0;

	for (const struct vd_view *w = l->views; w < v; w++) {
		const char *other = vd_json_text(w->json, "name");
		n += !strcmp(name ? name : "", other ? other : "") &&
		     (w->list == v->list ||
		      (w->list->n == v->list->n &&
		       !memcmp(w->list->members, v->list->members, v->list->n * sizeof(*v->list->members))));
	}
	return n;
}

/* A rank of the process's own world. */
static int32_t own_rank(const struct vd_loading *l, const struct vd_rank *own, int64_t rank)
{
	struct vd_job *job = l->job;
	char key[64];

	/* common case, one complete world in order: the index is the rank */
	if (rank >= 0 && (uint64_t)rank < l->n_ranks && job->ranks[rank].rank == rank &&
	    job->ranks[rank].world == own->world)
		return (int32_t)rank;
	vd_rank_key(key, 'w', own->world, rank);
	return vd_name(&job->rank_names, key, VD_UNKNOWN);
}

bool vd_may_load_members(struct vd_loading *l, size_t n, size_t n_elements)
{
	struct vd_job *job = l->job;
	size_t n_there = n_elements + l->n_ranks, n_absent = n > n_there ? n - n_there : 0;

	if (n > INT32_MAX || n_absent > VD_ABSENT_MAX - job->n_absent) {
		job->n_refused++;
		return false;
	}
	job->n_absent += n_absent;
	return true;
}

size_t vd_load_members(struct vd_loading *l, const json_t *group, int32_t *ret)
{
	const struct vd_rank *own = &l->job->ranks[l->rank];
	const json_t *m;
	size_t i, n = 0;
	int64_t first, last;

	json_array_foreach(group, i, m)
	{
		if (vd_members_range(m, &first, &last))
			for (; first <= last; first++)
				ret[n++] = own_rank(l, own, first);
		else if (json_is_integer(m))
			ret[n++] = own_rank(l, own, json_integer_value(m));
		else
			ret[n++] = member(l->job, m);
	}
	return n;
}

/* The key of a group that is one range of ranks in the rank's world; NULL: too long */
static char *written_range(const struct vd_loading *l, const char *range)
{
	size_t n = strlen(range) + 32;
	char *ret = n < 128 ? malloc(n) : NULL;

	if (!ret)
		return NULL;
	char *end = vd_put_number(ret, (uint64_t)l->job->ranks[l->rank].world);
	memcpy(end, " r", 2); /* JSON text would start with a bracket */
	memcpy(end + 2, range, strlen(range) + 1);
	return ret;
}

/* The JSON text of the groups with the rank's world, as key of the list. NULL: too long to be a key. */
static char *written(const struct vd_loading *l, const json_t *const groups[2])
{
	enum { FEW = 32, TEXT_BYTES = 4096 };
	char *text[2] = { NULL, NULL }, *ret = NULL;

	if (json_array_size(groups[0]) + json_array_size(groups[1]) > FEW)
		return NULL;
	if (!groups[1] && json_array_size(groups[0]) == 1 && json_is_string(json_array_get(groups[0], 0)))
		return written_range(l, json_string_value(json_array_get(groups[0], 0)));
	for (int i = 0; i < 2; i++)
		text[i] = groups[i] ? json_dumps(groups[i], JSON_COMPACT | JSON_SORT_KEYS) : NULL;
	size_t n = 32 + (text[0] ? strlen(text[0]) : 0) + (text[1] ? strlen(text[1]) : 0);
	ret = n < TEXT_BYTES ? malloc(n) : NULL;
	if (ret)
		snprintf(ret, n, "%d %s %s", l->job->ranks[l->rank].world, text[0] ? text[0] : "",
			 text[1] ? text[1] : "");
	free(text[0]);
	free(text[1]);
	return ret;
}

/* Load the members; the list may be stored already, from another process. */
static void load_list(struct vd_loading *l, struct vd_view *v)
{
	const json_t *groups[2] = { json_object_get(v->json, "members"), json_object_get(v->json, "remote_members") };
	size_t n_local = vd_members_count(groups[0]), n = n_local + vd_members_count(groups[1]);
	char *text = written(l, groups);
	int32_t *members;

	v->list = text ? vd_list_find(l->job->lists, text) : NULL;
	if (!v->list && vd_may_load_members(l, n, json_array_size(groups[0]) + json_array_size(groups[1]))) {
		members = calloc(n + 1, sizeof(*members));
		if (members && n_local)
			vd_load_members(l, groups[0], members);
		if (members && n > n_local)
			vd_load_members(l, groups[1], members + n_local);
		v->list = vd_list_add(&l->job->lists, text, members, n, n_local);
		v->is_ours = !text;
	}
	free(text);
	if (v->list)
		return;
	v->list = &nobody;
	v->is_ours = false;
}

/*
 * Is it the process's MPI_COMM_WORLD, and smaller than the world? The snapshot contradicts itself: whom the
 * communicator has is unknown.
 */
static bool is_too_small(const struct vd_loading *l, const struct vd_view *v)
{
	const struct vd_rank *own = &l->job->ranks[l->rank];
	const char *name = vd_json_text(v->json, "name");

	return name && strcmp(name, "MPI_COMM_WORLD") == 0 && v->list->n < (size_t)l->job->ranks[own->first].n_there;
}

/* Is the list of members of another length than the communicator? Without list or size that is unknown. */
static bool has_another_size(const struct vd_view *v, const char *list, const char *size)
{
	const json_t *members = json_object_get(v->json, list), *n = json_object_get(v->json, size);

	return json_is_array(members) && json_is_integer(n) &&
	       (json_int_t)vd_members_count(members) != json_integer_value(n);
}

static void load_view(struct vd_loading *l, struct vd_view *v)
{
	struct vd_job *job = l->job;
	char key[256];

	v->comm = VD_UNKNOWN;
	if (has_another_size(v, "members", "size") || has_another_size(v, "remote_members", "remote_size")) {
		job->n_refused++;
		v->list = &nobody;
		v->is_ours = false;
		return;
	}
	load_list(l, v);
	if (v->list == &nobody || is_too_small(l, v)) {
		job->any_memberless |= !vd_json_true(v->json, "internal");
		return;
	}
	comm_key(v, like_it(l, v), key);
	v->comm = vd_name(&job->comm_names, key, VD_UNKNOWN);
	if (v->comm != VD_UNKNOWN)
		return;
	struct vd_comm *c = vd_add_comm(job);
	int32_t *members = v->is_ours ? malloc((v->list->n + 1) * sizeof(*members)) : v->list->members;
	if (!c || !members) {
		job->n_comms -= c != NULL;
		if (v->is_ours)
			free(members);
		return;
	}
	if (v->is_ours)
		memcpy(members, v->list->members, v->list->n * sizeof(*members));
	c->members = members;
	c->shares_members = !v->is_ours;
	c->n = (int32_t)v->list->n;
	c->n_local = (int32_t)v->list->n_local;
	c->inter = v->list->n > v->list->n_local;
	c->internal = vd_json_true(v->json, "internal");
	const char *name = vd_json_text(v->json, "name"), *why = vd_json_text(v->json, "internal_why");
	c->kind = (uint8_t)(!why                          ? VD_COMM
			    : !strcmp(why, "of a window") ? VD_WINDOW
			    : !strcmp(why, "of a file")   ? VD_FILE
							  : VD_COMM);
	if (c->kind != VD_COMM)
		name = c->kind == VD_WINDOW ? "a window" : "a file";
	c->name = vd_string(job, name && *name ? name : VD_NAMELESS);
	c->context = vd_json_number(v->json, "context", -1);
	v->comm = vd_name(&job->comm_names, key, (int32_t)job->n_comms - 1);
}

/* Find the communicator for whose collectives the library has made this one. */
static void find_whole(struct vd_loading *l, const struct vd_view *v)
{
	uint64_t whole = vd_json_address(v->json, "part_of");

	for (size_t i = 0; whole && v->comm != VD_UNKNOWN && i < l->n_views; i++)
		if (l->views[i].comm != VD_UNKNOWN && vd_json_address(l->views[i].json, "id") == whole)
			l->job->comms[v->comm].part_of = l->views[i].comm;
}

void vd_load_comms(struct vd_loading *l, const json_t *process)
{
	const json_t *comms = json_object_get(process, "communicators");

	l->n_views = json_array_size(comms);
	l->views = calloc(l->n_views + 1, sizeof(*l->views));
	if (!l->views) {
		l->n_views = 0;
		l->job->no_memory = true;
	}
	for (size_t i = 0; i < l->n_views; i++) {
		l->views[i].json = json_array_get(comms, i);
		load_view(l, &l->views[i]);
	}
	for (size_t i = 0; i < l->n_views; i++)
		find_whole(l, &l->views[i]);
}

void vd_unload_comms(struct vd_loading *l)
{
	for (size_t i = 0; i < l->n_views; i++)
		if (l->views[i].is_ours)
			vd_list_destroy(l->views[i].list);
	free(l->views);
	l->views = NULL;
	l->n_views = 0;
}
