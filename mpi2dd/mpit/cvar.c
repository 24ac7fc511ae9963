/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Control variables: ours first, the host's appended when they are first seen. What was once said of a variable is said
 * again, also when the host has unloaded it; its value then cannot be had.
 */
#include "cvar.h"

#include "cvar_host.h"
#include "mirror.h"
#include "object.h"
#include "space.h"

#include <stdlib.h>
#include <string.h>

struct cvar {
	const struct mpit_own_cvar *own; /* NULL: the host's */
	int host_index;
	char *name, *desc;
	int verbosity, bind, scope;
	MPI_Datatype datatype;
	MPI_T_enum enumtype;
};

struct handle {
	int index;
	MPI_T_cvar_handle host;
	int count;
};

static struct cvar *cvars;
static int n_cvars, capacity;
static struct mpit_names names;

static struct mpit_space space = MPIT_SPACE;

static struct cvar *append(const char *name, const char *desc)
{
	struct cvar *room = mpit_room(cvars, n_cvars, &capacity, 2048, sizeof(*room));

	if (!room)
		return NULL;
	cvars = room;
	struct cvar *c = &cvars[n_cvars];
	*c = (struct cvar){ .host_index = -1, .name = mpit_copy(name), .desc = mpit_copy(desc) };
	if (!c->name || !c->desc || !mpit_names_add(&names, c->name, 0, n_cvars)) {
		free(c->name);
		free(c->desc);
		return NULL;
	}
	n_cvars++;
	return c;
}

static void append_own(void)
{
	for (int i = 0; i < mpit_n_own_cvars; i++) {
		const struct mpit_own_cvar *own = &mpit_own_cvars[i];
		struct cvar *c = append(own->name, own->desc);
		if (!c)
			return;
		c->own = own;
		c->verbosity = own->verbosity;
		c->scope = own->scope;
		c->bind = MPI_T_BIND_NO_OBJECT;
		c->datatype = mpit_datatype(own->text ? MPIT_CHAR : own->large ? MPIT_UNSIGNED_LONG_LONG : MPIT_INT);
		c->enumtype = own->items ? mpit_enum_own(own->enum_name, own->items, own->n_items) : MPI_T_ENUM_NULL;
	}
}

static void append_host(const struct mpit_host *host, int index)
{
	struct mpit_cvar_host said;

	if (mpit_cvar_host_ask(host, index, &said) != MPI_SUCCESS)
		return;
	struct cvar *c = append(said.name, said.desc);
	free(said.name);
	free(said.desc);
	if (!c)
		return; /* a second one of this name: the first is the one */
	c->host_index = index;
	c->verbosity = said.verbosity;
	c->bind = said.bind;
	c->scope = said.scope;
	c->datatype = said.datatype;
	c->enumtype = said.enumtype;
	space.of_host[index] = n_cvars - 1;
	mpit_changed();
}

void mpit_cvars_refresh(void)
{
	int n = 0, stamp = 0;

	if (!n_cvars)
		append_own();
	const struct mpit_host *host = mpit_host();
	if (!host || !mpit_host_is_safe("") || host->cvar_get_num(&n) != MPI_SUCCESS ||
	    host->category_changed(&stamp) != MPI_SUCCESS || !mpit_space_look(&space, n, stamp))
		return;
	for (int i = 0; i < n; i++)
		if (space.of_host[i] < 0)
			append_host(host, i);
}

int mpit_cvar_of_host(int host_index)
{
	return mpit_space_of_host(&space, host_index);
}

int mpit_cvar_index(const char *name)
{
	return mpit_names_find(&names, name, 0);
}

MPIT(cvar_get_num, (int *num_cvar))
{
	int rc = mpit_enter();

	if (rc != MPI_SUCCESS)
		return rc;
	if (!num_cvar)
		return mpit_leave(MPI_T_ERR_INVALID);
	mpit_cvars_refresh();
	*num_cvar = n_cvars;
	return mpit_leave(MPI_SUCCESS);
}

/* Entered, and the index is one: the variable; else NULL with the lock given back and *rc saying why. */
static struct cvar *at(int index, int *rc)
{
	*rc = mpit_enter();
	if (*rc != MPI_SUCCESS)
		return NULL;
	if (index >= n_cvars || !n_cvars)
		mpit_cvars_refresh();
	if (index >= 0 && index < n_cvars)
		return &cvars[index];
	*rc = mpit_leave(MPI_T_ERR_INVALID_INDEX);
	return NULL;
}

MPIT(cvar_get_info, (int cvar_index, char *name, int *name_len, int *verbosity, MPI_Datatype *datatype,
		     MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind, int *scope))
{
	int rc;
	const struct cvar *c = at(cvar_index, &rc);

	if (!c)
		return rc;
	mpit_text(c->name, name, name_len);
	mpit_text(c->desc, desc, desc_len);
	if (verbosity)
		*verbosity = c->verbosity;
	if (datatype)
		*datatype = c->datatype;
	if (enumtype)
		*enumtype = c->enumtype;
	if (bind)
		*bind = c->bind;
	if (scope)
		*scope = c->scope;
	return mpit_leave(MPI_SUCCESS);
}

MPIT(cvar_get_index, (const char *name, int *cvar_index))
{
	int rc = mpit_enter();

	if (rc != MPI_SUCCESS)
		return rc;
	if (!name || !cvar_index)
		return mpit_leave(MPI_T_ERR_INVALID);
	int index = mpit_names_find(&names, name, 0);
	if (index < 0) {
		mpit_cvars_refresh();
		index = mpit_names_find(&names, name, 0);
	}
	if (index < 0)
		return mpit_leave(MPI_T_ERR_INVALID_NAME);
	*cvar_index = index;
	return mpit_leave(MPI_SUCCESS);
}

/* Does the host still have the variable under its index? */
static int still_there(const struct mpit_host *host, const struct cvar *c)
{
	char name[512];
	int bytes = sizeof(name);

	if (!host || !mpit_host_is_safe(c->name))
		return MPI_T_ERR_NOT_ACCESSIBLE;
	int rc = host->cvar_get_info(c->host_index, name, &bytes, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
	return rc == MPI_SUCCESS && strncmp(name, c->name, sizeof(name) - 1) == 0 ? MPI_SUCCESS
										  : MPI_T_ERR_NOT_ACCESSIBLE;
}

MPIT(cvar_handle_alloc, (int cvar_index, void *obj_handle, MPI_T_cvar_handle *handle, int *count))
{
	int rc;
	const struct cvar *c = at(cvar_index, &rc);

	if (!c)
		return rc;
	if (!handle || !count || !mpit_object_is_there(c->bind, obj_handle))
		return mpit_leave(MPI_T_ERR_INVALID);
	struct handle made = { .index = cvar_index, .count = c->own && c->own->text ? c->own->text_bytes : 1 };
	if (!c->own) {
		rc = still_there(mpit_host(), c);
		if (rc == MPI_SUCCESS && !mpit_object_is_good(c->bind, obj_handle))
			rc = MPI_T_ERR_INVALID_HANDLE;
		if (rc == MPI_SUCCESS)
			rc = mpit_host()->cvar_handle_alloc(c->host_index, obj_handle, &made.host, &made.count);
		if (rc == MPI_SUCCESS)
			made.count = mpit_cvar_host_count(mpit_host(), c->datatype, made.host, made.count);
		if (rc != MPI_SUCCESS)
			return mpit_leave(rc);
	}
	struct handle *h = malloc(sizeof(*h));
	uintptr_t value = h ? mpit_handle_make(MPIT_CVAR, h) : 0;
	if (!value) {
		free(h);
		if (!c->own)
			mpit_host()->cvar_handle_free(&made.host);
		return mpit_leave(h ? MPI_T_ERR_OUT_OF_HANDLES : MPI_T_ERR_MEMORY);
	}
	*h = made;
	*count = made.count;
	*handle = (MPI_T_cvar_handle)value;
	return mpit_leave(MPI_SUCCESS);
}

MPIT(cvar_handle_free, (MPI_T_cvar_handle * handle))
{
	int rc = mpit_enter();

	if (rc != MPI_SUCCESS)
		return rc;
	struct handle *h = handle ? mpit_handle_find(MPIT_CVAR, (uintptr_t)*handle) : NULL;
	if (!h)
		return mpit_leave(handle ? MPI_T_ERR_INVALID_HANDLE : MPI_T_ERR_INVALID);
	const struct cvar *c = &cvars[h->index];
	if (!c->own && still_there(mpit_host(), c) == MPI_SUCCESS)
		mpit_host()->cvar_handle_free(&h->host);
	mpit_handle_drop(MPIT_CVAR, (uintptr_t)*handle);
	free(h);
	*handle = MPI_T_CVAR_HANDLE_NULL;
	return mpit_leave(MPI_SUCCESS);
}

MPIT(cvar_read, (MPI_T_cvar_handle handle, void *buf))
{
	int rc = mpit_enter();

	if (rc != MPI_SUCCESS)
		return rc;
	const struct handle *h = mpit_handle_find(MPIT_CVAR, (uintptr_t)handle);
	if (!h || !buf)
		return mpit_leave(h ? MPI_T_ERR_INVALID : MPI_T_ERR_INVALID_HANDLE);
	const struct cvar *c = &cvars[h->index];
	if (c->own && c->own->text)
		memcpy(buf, c->own->text, (size_t)c->own->text_bytes);
	else if (c->own && c->own->large)
		memcpy(buf, c->own->large, sizeof(uint64_t));
	else if (c->own)
		memcpy(buf, c->own->number, sizeof(int));
	else if ((rc = still_there(mpit_host(), c)) == MPI_SUCCESS)
		rc = mpit_cvar_host_read(mpit_host(), c->datatype, h->host, h->count, buf);
	if (rc == MPI_SUCCESS && !c->own && c->bind == MPI_T_BIND_NO_OBJECT)
		mpit_mirror_cvar(h->index, buf, h->count, "MPI_T_cvar_read");
	return mpit_leave(rc);
}

MPIT(cvar_write, (MPI_T_cvar_handle handle, const void *buf))
{
	int rc = mpit_enter();

	if (rc != MPI_SUCCESS)
		return rc;
	const struct handle *h = mpit_handle_find(MPIT_CVAR, (uintptr_t)handle);
	if (!h || !buf)
		return mpit_leave(h ? MPI_T_ERR_INVALID : MPI_T_ERR_INVALID_HANDLE);
	const struct cvar *c = &cvars[h->index];
	if (c->scope == MPI_T_SCOPE_CONSTANT || c->scope == MPI_T_SCOPE_READONLY)
		rc = MPI_T_ERR_CVAR_SET_NEVER;
	else if (c->own)
		rc = c->own->write ? c->own->write(c->own, buf) : MPI_T_ERR_CVAR_SET_NEVER;
	else if ((rc = still_there(mpit_host(), c)) == MPI_SUCCESS)
		rc = mpit_host()->cvar_write(h->host, buf);
	if (rc == MPI_SUCCESS && !c->own && c->bind == MPI_T_BIND_NO_OBJECT)
		mpit_mirror_cvar(h->index, buf, h->count, "MPI_T_cvar_write");
	return mpit_leave(rc);
}

/* ---- for the mirror ---------------------------------------------------------------------------------------- */

int mpit_cvars_seen(void)
{
	return n_cvars;
}

bool mpit_cvar_facts(int index, struct mpit_cvar_facts *ret)
{
	if (index < 0 || index >= n_cvars)
		return false;
	const struct cvar *c = &cvars[index];
	*ret = (struct mpit_cvar_facts){ .own = c->own,
					 .host_index = c->host_index,
					 .name = c->name,
					 .desc = c->desc,
					 .verbosity = c->verbosity,
					 .bind = c->bind,
					 .scope = c->scope,
					 .datatype = c->datatype,
					 .enumtype = c->enumtype };
	return true;
}

int mpit_cvar_fetch(int index, void *room, size_t bytes, int *count)
{
	const struct mpit_host *host = mpit_host_known();
	const struct cvar *c = &cvars[index];
	MPI_T_cvar_handle handle;
	int n = 0, rc = host ? still_there(host, c) : MPI_T_ERR_NOT_ACCESSIBLE;

	if (rc == MPI_SUCCESS)
		rc = host->cvar_handle_alloc(c->host_index, NULL, &handle, &n);
	if (rc != MPI_SUCCESS)
		return rc == MPI_T_ERR_INVALID_INDEX ? MPI_T_ERR_NOT_ACCESSIBLE : rc;
	n = mpit_cvar_host_count(host, c->datatype, handle, n);
	size_t widest = c->datatype == mpit_datatype(MPIT_CHAR) ? 1 : 16;
	rc = n < 0 || (size_t)n > bytes / widest ? MPI_T_ERR_MEMORY
						 : mpit_cvar_host_read(host, c->datatype, handle, n, room);
	host->cvar_handle_free(&handle);
	*count = n;
	return rc == MPI_T_ERR_INVALID_INDEX ? MPI_T_ERR_NOT_ACCESSIBLE : rc;
}
