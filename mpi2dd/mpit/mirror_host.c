/* SPDX-License-Identifier: BSD-3-Clause */
#include "mirror_host.h"

#include "../tracker/registry.h"
#include "category.h"
#include "cvar.h"
#include "mirror.h"
#include "mirror_place.h"
#include "mirror_table.h"
#include "mirror_type.h"
#include "object.h"
#include "pvar_set.h"

#include <string.h>

enum { ELEMENTS_MAX = 4096, OBJECTS_MAX = 64 };

/*
 * Decode a value that MPI_T has written. @param number set if it
 * has one element; @param values the record's list, for more.
 */
static enum trk_value_state decode_value(enum trk_var_type type, const void *from, int count, uint64_t *number,
					 struct trk_span *values)
{
	size_t bytes = mpit_mirror_bytes(type);
	uint64_t numbers[ELEMENTS_MAX];

	if (!bytes || count < 0)
		return TRK_VALUE_REFUSED;
	if (type == TRK_VAR_CHAR) {
		size_t n = strnlen(from, (size_t)count);
		mpit_list(values, from, n, 1);
		return values->n == n ? TRK_VALUE_KNOWN : TRK_VALUE_NO_ROOM;
	}
	if (count == 1) {
		*number = mpit_mirror_number(type, from);
		return TRK_VALUE_KNOWN;
	}
	if (count > ELEMENTS_MAX)
		return TRK_VALUE_NO_ROOM;
	for (int i = 0; i < count; i++)
		numbers[i] = mpit_mirror_number(type, (const char *)from + (size_t)i * bytes);
	mpit_list(values, numbers, (size_t)count, sizeof(numbers[0]));
	return values->n == (uint32_t)count ? TRK_VALUE_KNOWN : TRK_VALUE_NO_ROOM;
}

static enum trk_value_state failure(int rc, int32_t *error)
{
	*error = rc;
	return rc == MPI_T_ERR_NOT_ACCESSIBLE ? TRK_VALUE_GONE
	       : rc == MPI_T_ERR_MEMORY       ? TRK_VALUE_NO_ROOM
					      : TRK_VALUE_REFUSED;
}

/* ---- control variables ----------------------------------------------------------------------------------- */

static struct trk_cvar *cvar_row(int index, struct mpit_cvar_facts *f)
{
	struct trk_cvar *r = mpit_cvar_facts(index, f) && !f->own ? mpit_row(MPIT_CVARS, index) : NULL;
	const char *name, *item;

	if (!r || r->state == TRK_LIVE)
		return r;
	mpit_enum_names(f->enumtype, 0, &name, &item);
	mpit_row_change(r);
	r->origin = 1;
	r->type = mpit_mirror_type(f->datatype);
	r->name = (uintptr_t)f->name;
	r->description = (uintptr_t)f->desc;
	r->bind = mpit_mirror_bind(f->bind);
	r->verbosity = mpit_mirror_verbosity(f->verbosity);
	r->scope = mpit_mirror_scope(f->scope);
	r->enumeration = (uintptr_t)name;
	mpit_row_changed(r);
	return r;
}

static void put_cvar(struct trk_cvar *r, const struct mpit_cvar_facts *f, const void *value, int count, const char *why)
{
	const char *name, *item = NULL;

	mpit_row_change(r);
	r->value_state = decode_value((enum trk_var_type)r->type, value, count, &r->value, &r->values);
	r->count = (uint32_t)count;
	r->scope = mpit_mirror_scope(f->scope);
	if (r->enumeration)
		mpit_enum_names(f->enumtype, (int)r->value, &name, &item);
	r->item = (uintptr_t)item;
	r->place = r->value_state == TRK_VALUE_KNOWN
			   ? mpit_cvar_address(f, (enum trk_var_type)r->type, value, count, &r->place_kind)
			   : 0;
	r->read_at = trk_now();
	r->read_for = (uintptr_t)why;
	mpit_row_changed(r);
}

void mpit_mirror_cvar(int index, const void *value, int count, const char *call)
{
	struct mpit_cvar_facts f;
	struct trk_cvar *r = mpit_vars == MPIT_VARS_NONE ? NULL : cvar_row(index, &f);

	if (r)
		put_cvar(r, &f, value, count, call);
}

static void read_cvar(int index, const char *why)
{
	struct mpit_cvar_facts f;
	struct trk_cvar *r = cvar_row(index, &f);
	void *room = mpit_value_buffer();
	int count = 0, rc;

	if (!r)
		return;
	if (f.bind != MPI_T_BIND_NO_OBJECT) {
		mpit_row_change(r);
		r->value_state = TRK_VALUE_BOUND;
		mpit_row_changed(r);
		return;
	}
	rc = mpit_cvar_fetch(index, room, MPIT_VALUE_BYTES, &count);
	if (rc == MPI_SUCCESS) {
		put_cvar(r, &f, room, count, why);
		return;
	}
	mpit_row_change(r);
	r->value_state = failure(rc, &r->error);
	r->place = 0;
	r->read_at = trk_now();
	r->read_for = (uintptr_t)why;
	mpit_row_changed(r);
}

/* ---- performance variables -------------------------------------------------------------------------------- */

static struct trk_pvar *pvar_row(int index, const struct mpit_pvar *p)
{
	struct trk_pvar *r = p && !p->own ? mpit_row(MPIT_PVARS, index) : NULL;
	const char *name, *item;

	if (!r || r->state == TRK_LIVE)
		return r;
	mpit_enum_names(p->enumtype, 0, &name, &item);
	mpit_row_change(r);
	r->origin = 1;
	r->type = mpit_mirror_type(p->datatype);
	r->name = (uintptr_t)p->name;
	r->description = (uintptr_t)p->desc;
	r->bind = mpit_mirror_bind(p->bind);
	r->verbosity = mpit_mirror_verbosity(p->verbosity);
	r->var_class = mpit_mirror_class(p->var_class);
	r->readonly = p->readonly != 0;
	r->continuous = p->continuous != 0;
	r->atomic = p->atomic != 0;
	r->enumeration = (uintptr_t)name;
	mpit_row_changed(r);
	return r;
}

/* Read a variable of the host once, with a handle in our own session. */
static int fetch(MPI_T_pvar_session session, const struct mpit_pvar *p, enum trk_var_type type, const void *object,
		 int *count)
{
	const struct mpit_host *host = mpit_host_known();
	struct mpit_host_object room;
	MPI_T_pvar_handle handle;
	int n = 0, rc = host->pvar_handle_alloc(session, p->host_index, mpit_object_for_host(p->bind, object, &room),
						&handle, &n);
	size_t bytes = mpit_mirror_bytes(type);

	if (rc != MPI_SUCCESS)
		return rc;
	if (!bytes || n < 0 || (size_t)n > MPIT_VALUE_BYTES / bytes)
		rc = MPI_T_ERR_MEMORY;
	else
		rc = host->pvar_read(session, handle, mpit_value_buffer());
	host->pvar_handle_free(session, &handle);
	*count = n;
	return rc;
}

/*
 * Read the value for each communicator: a number, or the sum over its processes. If other threads may be freeing
 * communicators now, only predefined ones are read.
 */
static enum trk_value_state read_bound(MPI_T_pvar_session session, const struct mpit_pvar *p, struct trk_pvar *r)
{
	uint64_t objects[OBJECTS_MAX];
	struct trk_object_value values[OBJECTS_MAX];
	bool multiple = MPI2DD_registry.thread_level != 0, predefined = true;
	enum trk_var_type type = (enum trk_var_type)r->type;
	size_t n = 0, there;

	if (p->bind != MPI_T_BIND_MPI_COMM || type == TRK_VAR_CHAR)
		return TRK_VALUE_BOUND;
	there = mpit_live_objects(r->bind, objects, OBJECTS_MAX, multiple ? &predefined : NULL);
	for (size_t i = 0; i < there && i < OBJECTS_MAX; i++) {
		struct trk_object_value v = { .object = objects[i] };
		MPI_Comm comm;
		int count;

		memcpy(&comm, &v.object, sizeof(comm));
		if (comm == m2d_constants.comm_null || fetch(session, p, type, &comm, &count) != MPI_SUCCESS)
			continue;
		v.count = (uint32_t)count;
		double sum = 0;
		for (int k = 0; k < count; k++) {
			const char *at = (const char *)mpit_value_buffer() + (size_t)k * mpit_mirror_bytes(type);
			uint64_t one = mpit_mirror_number(type, at);
			double real;
			memcpy(&real, &one, sizeof(real));
			sum += type == TRK_VAR_DOUBLE ? real : 0;
			v.value += one;
		}
		if (type == TRK_VAR_DOUBLE)
			memcpy(&v.value, &sum, sizeof(sum));
		values[n++] = v;
	}
	mpit_list(&r->objects, values, n, sizeof(values[0]));
	if (there > OBJECTS_MAX)
		r->objects.total = (uint32_t)(n + there - OBJECTS_MAX);
	return n ? TRK_VALUE_KNOWN : TRK_VALUE_BOUND;
}

static void read_pvar(MPI_T_pvar_session session, int index, uint64_t now, const char *why)
{
	const struct mpit_pvar *p = mpit_pvar_at(index);
	struct trk_pvar *r = pvar_row(index, p);
	int count = 0, rc;

	if (!r)
		return;
	rc = mpit_pvar_still_exists(p);
	mpit_row_change(r);
	r->read_at = now;
	r->read_for = (uintptr_t)why;
	if (rc != MPI_SUCCESS) {
		r->value_state = TRK_VALUE_GONE;
	} else if (!p->continuous) {
		r->value_state = TRK_VALUE_STOPPED;
	} else if (p->bind != MPI_T_BIND_NO_OBJECT) {
		r->value_state = read_bound(session, p, r);
	} else if ((rc = fetch(session, p, (enum trk_var_type)r->type, NULL, &count)) == MPI_SUCCESS) {
		const char *name, *item = NULL;
		r->value_state = decode_value((enum trk_var_type)r->type, mpit_value_buffer(), count, &r->value,
					      &r->values);
		r->count = (uint32_t)count;
		if (r->enumeration)
			mpit_enum_names(p->enumtype, (int)r->value, &name, &item);
		r->item = (uintptr_t)item;
	} else {
		r->value_state = failure(rc == MPI_T_ERR_INVALID_INDEX ? MPI_T_ERR_NOT_ACCESSIBLE : rc, &r->error);
	}
	mpit_row_changed(r);
}

/* ---- categories ------------------------------------------------------------------------------------------ */

static void set_parent(int index, int parent)
{
	struct trk_category *r = mpit_row_known(MPIT_CATEGORIES, index);

	if (!r || r->parent == parent)
		return;
	mpit_row_change(r);
	r->parent = parent;
	mpit_row_changed(r);
}

static void list_category(int index)
{
	struct mpit_category_facts f;
	struct trk_category *r = mpit_category_facts(index, &f) && !f.own ? mpit_row(MPIT_CATEGORIES, index) : NULL;

	if (!r)
		return;
	struct trk_span *const lists[MPIT_PARTS] = { &r->cvars, &r->pvars, &r->events, &r->categories };
	bool same = r->state == TRK_LIVE;
	for (int part = 0; same && part < MPIT_PARTS; part++)
		same = lists[part]->total == (uint32_t)f.parts[part].n; /* lists only grow */
	if (same)
		return;
	mpit_row_change(r);
	if (r->state != TRK_LIVE)
		r->parent = -1;
	r->origin = 1;
	r->name = (uintptr_t)f.name;
	r->description = (uintptr_t)f.desc;
	for (int part = 0; part < MPIT_PARTS; part++)
		mpit_list(lists[part], f.parts[part].v, (size_t)f.parts[part].n, sizeof(int32_t));
	mpit_row_changed(r);
}

static void list_categories(void)
{
	struct mpit_category_facts f;
	int n = mpit_categories_known();

	for (int i = 0; i < n; i++)
		list_category(i);
	for (int i = 0; i < n; i++) {
		if (!mpit_category_facts(i, &f) || f.own)
			continue;
		for (int k = 0; k < f.parts[MPIT_PART_CATEGORIES].n; k++)
			set_parent(f.parts[MPIT_PART_CATEGORIES].v[k], i);
	}
}

/* ---- all ------------------------------------------------------------------------------------------------- */

void mpit_mirror_host(uint64_t now, const char *why, bool is_up)
{
	static MPI_T_pvar_session session; /* never freed: creating a session costs more than using it */
	static bool has_session;
	const struct mpit_host *host = mpit_host();

	if (!host) {
		MPI2DD_registry.vars_host = TRK_VARS_NONE;
		return;
	}
	mpit_categories_refresh();
	for (int i = 0; i < mpit_cvars_known(); i++)
		read_cvar(i, why);
	if (is_up && !has_session)
		has_session = host->pvar_session_create(&session) == MPI_SUCCESS;
	for (int i = 0; i < mpit_pvars_known(); i++)
		if (is_up && has_session)
			read_pvar(session, i, now, why);
		else
			pvar_row(i, mpit_pvar_at(i));
	list_categories();
	MPI2DD_registry.vars_host = TRK_VARS_READ;
}
