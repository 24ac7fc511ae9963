/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows and files of a process, and the epochs that it has started. */
#include "loading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- identity -------------------------------------------------------------------------------------------- */

static const struct vd_view *view_of(const struct vd_loading *l, uint64_t handle)
{
	for (size_t i = 0; handle && i < l->n_views; i++)
		if (vd_json_address(l->views[i].json, "handle") == handle)
			return &l->views[i];
	return NULL;
}

static bool are_alike(const struct vd_object *a, const struct vd_object *b)
{
	return a->kind == b->kind && a->of == b->of && strcmp(a->name, b->name) == 0;
}

static void name_object(struct vd_job *job, struct vd_comm *c, const struct vd_object *o, size_t which, size_t n)
{
	const char *kind = o->kind == VD_WINDOW ? "window" : "file";
	char text[400];

	if (*o->name)
		snprintf(text, sizeof(text), "%s%s%.300s", strstr(o->name, kind) ? "" : kind,
			 strstr(o->name, kind) ? "" : " ", o->name);
	else if (n > 1)
		snprintf(text, sizeof(text), "%s %zu of %.300s", kind, which + 1, job->comms[o->of->comm].name);
	else
		snprintf(text, sizeof(text), "the %s of %.300s", kind, job->comms[o->of->comm].name);
	c->name = vd_string(job, text);
}

/* Add an entry with the members of the communicator. */
static int32_t add_object(struct vd_job *job, const struct vd_object *o, size_t which, size_t n)
{
	struct vd_comm *c = vd_add_comm(job);

	if (!c)
		return VD_UNKNOWN;
	const struct vd_comm *of = &job->comms[o->of->comm];
	int32_t *members = of->shares_members ? of->members : malloc(((size_t)of->n + 1) * sizeof(*members));
	if (!members) {
		job->n_comms--;
		return VD_UNKNOWN;
	}
	for (int32_t i = 0; !of->shares_members && i < of->n; i++)
		members[i] = of->members ? of->members[i] : i;
	c->members = members;
	c->shares_members = of->shares_members;
	c->n = c->n_local = of->n;
	c->kind = o->kind;
	name_object(job, c, o, which, n);
	return (int32_t)job->n_comms - 1;
}

/*
 * Windows of one communicator with the same name are identified by their order of creation, which is the same on all
 * members. If ranks have different numbers of them, they cannot be matched; the first one is then marked is_mixed_up.
 */
static void find_object(struct vd_loading *l, struct vd_object *o)
{
	struct vd_job *job = l->job;
	size_t which = 0, n = 0;
	int32_t first = VD_UNKNOWN;
	char key[512];

	for (const struct vd_object *x = l->objects; x < l->objects + l->n_objects; x++) {
		if (!are_alike(x, o))
			continue;
		if (x < o && !which)
			first = x->comm;
		which += x < o;
		n++;
	}
	snprintf(key, sizeof(key), "o%d %d %zu %.300s", o->kind, o->of->comm, which, o->name);
	o->comm = vd_name(&job->comm_names, key, VD_UNKNOWN);
	if (o->comm == VD_UNKNOWN) {
		int32_t added = add_object(job, o, which, n);
		o->comm = vd_name(&job->comm_names, key, added);
		if (o->comm == VD_UNKNOWN)
			return;
		job->comms[o->comm].n_alike = (int32_t)n;
		if (which && first != VD_UNKNOWN)
			job->comms[o->comm].first_alike = first;
	}
	struct vd_comm *c = &job->comms[job->comms[o->comm].first_alike];
	c->is_mixed_up |= c->n_alike != (int32_t)n;
}

/* ---- epochs ------------------------------------------------------------------------------------ */

static void add_epoch(struct vd_loading *l, const struct vd_object *o, enum vd_epoch_kind kind, int64_t peer)
{
	const struct vd_comm *c = &l->job->comms[o->comm];
	struct vd_epoch *e = vd_add_epoch(l->job);

	if (!e)
		return;
	e->comm = o->comm;
	e->kind = (uint8_t)kind;
	if (peer == VD_ANY)
		e->peer = VD_ANY;
	else if (peer >= 0 && peer < c->n)
		e->peer = c->members[peer];
	if (kind != VD_LOCKED_SHARED && kind != VD_LOCKED_EXCLUSIVE)
		return;
	json_int_t held = vd_json_number(o->json, "lock_held", -1);
	if (held >= 0 && held < c->n && (peer == VD_ANY || peer == held))
		e->held = c->members[held];
}

static void load_epochs(struct vd_loading *l, const struct vd_object *o)
{
	static const struct {
		const char *open, *group;
		enum vd_epoch_kind kind;
	} epochs[] = { { "started", "start_group", VD_STARTED }, { "posted", "post_group", VD_POSTED } };
	const json_t *member;
	size_t i;

	if (vd_json_true(o->json, "lock_all"))
		add_epoch(l, o, VD_LOCKED_SHARED, VD_ANY);
	json_array_foreach(json_object_get(o->json, "locks"), i, member)
	{
		json_int_t lock = json_integer_value(member);
		if (lock == 1 || lock == 2)
			add_epoch(l, o, lock == 2 ? VD_LOCKED_EXCLUSIVE : VD_LOCKED_SHARED, (int64_t)i);
	}
	for (size_t k = 0; k < sizeof(epochs) / sizeof(epochs[0]); k++) {
		const json_t *group = json_object_get(o->json, epochs[k].group);
		if (!vd_json_true(o->json, epochs[k].open))
			continue;
		json_array_foreach(group, i, member) add_epoch(
			l, o, epochs[k].kind, json_is_integer(member) ? json_integer_value(member) : INT64_MAX);
		char missing[32];
		snprintf(missing, sizeof(missing), "%s_missing", epochs[k].group);
		if (!json_array_size(group) || vd_json_number(o->json, missing, 0) > 0)
			add_epoch(l, o, epochs[k].kind, INT64_MAX); /* target unknown */
	}
}

/* ---- loading --------------------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
	const struct vd_object *x = a, *y = b;
	int64_t m = vd_json_number(x->json, "number", 0), n = vd_json_number(y->json, "number", 0);

	return (m > n) - (m < n);
}

static void load_list(struct vd_loading *l, const json_t *list, enum vd_comm_kind kind)
{
	const json_t *object;
	size_t i;

	json_array_foreach(list, i, object)
	{
		struct vd_object *o = &l->objects[l->n_objects];
		const char *name = vd_json_text(object, kind == VD_FILE ? "path" : "name");
		*o = (struct vd_object){ .json = object,
					 .of = view_of(l, vd_json_address(object, "comm")),
					 .name = name ? name : "",
					 .comm = VD_UNKNOWN,
					 .kind = (uint8_t)kind };
		l->n_objects += o->of && o->of->comm != VD_UNKNOWN;
	}
}

void vd_load_objects(struct vd_loading *l, const json_t *process)
{
	const json_t *windows = json_object_get(process, "windows"), *files = json_object_get(process, "files");

	if (json_is_array(windows) || json_is_array(files))
		l->job->n_with_objects++;
	else if (l->job->ranks[l->rank].state == VD_READ)
		l->job->n_without++;
	l->objects = calloc(json_array_size(windows) + json_array_size(files) + 1, sizeof(*l->objects));
	if (!l->objects) {
		l->job->no_memory = true;
		return;
	}
	load_list(l, windows, VD_WINDOW);
	load_list(l, files, VD_FILE);
	qsort(l->objects, l->n_objects, sizeof(*l->objects), by_number);
	for (size_t i = 0; i < l->n_objects; i++) {
		find_object(l, &l->objects[i]);
		if (l->objects[i].comm != VD_UNKNOWN && l->objects[i].kind == VD_WINDOW)
			load_epochs(l, &l->objects[i]);
	}
}

void vd_unload_objects(struct vd_loading *l)
{
	free(l->objects);
	l->objects = NULL;
	l->n_objects = 0;
}

/* Does the library wait for an operation in the object's internal communicator, or in a part of it? */
static bool is_busy(const struct vd_loading *l, const struct vd_view *own)
{
	uint64_t id = vd_json_address(own->json, "id");

	for (size_t i = 0; i < l->n_views; i++) {
		const json_t *json = l->views[i].json;
		bool is_part = id && vd_json_address(json, "part_of") == id;
		if ((&l->views[i] == own || is_part) && (json_array_size(json_object_get(json, "pending_receives")) ||
							 json_array_size(json_object_get(json, "pending_sends"))))
			return true;
	}
	return false;
}

int32_t vd_object_of(const struct vd_loading *l, const json_t *recorded, enum vd_comm_kind kind)
{
	uint64_t handle = vd_json_address(recorded, kind == VD_FILE ? "file" : "win");
	int32_t found = VD_UNKNOWN, busy = VD_UNKNOWN;
	size_t n_found = 0, n_busy = 0;

	for (size_t i = 0; handle && i < l->n_objects; i++)
		if (l->objects[i].kind == kind && vd_json_address(l->objects[i].json, "handle") == handle)
			return l->objects[i].comm;
	for (size_t i = 0; !recorded && i < l->n_views; i++) {
		const struct vd_view *v = &l->views[i];
		if (v->comm == VD_UNKNOWN || l->job->comms[v->comm].kind != kind)
			continue;
		found = v->comm;
		n_found++;
		if (is_busy(l, v)) {
			busy = v->comm;
			n_busy++;
		}
	}
	return n_found == 1 ? found : n_busy == 1 ? busy : VD_UNKNOWN;
}
