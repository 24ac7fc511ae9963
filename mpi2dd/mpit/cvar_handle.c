/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles of control variables: allocate, read, write, free. */
#include "cvar.h"

#include "cvar_host.h"
#include "mirror.h"
#include "object.h"

#include <stdlib.h>
#include <string.h>

struct handle {
	int index;
	MPI_T_cvar_handle host;
	int count;
};

MPIT(cvar_handle_alloc, (int cvar_index, void *obj_handle, MPI_T_cvar_handle *handle, int *count))
{
	struct mpit_cvar_facts c;
	int rc = mpit_cvar_enter(cvar_index, &c);

	if (rc != MPI_SUCCESS)
		return rc;
	if (!handle || !count || !mpit_object_is_readable(c.bind, obj_handle))
		return mpit_leave(MPI_T_ERR_INVALID);
	struct handle made = { .index = cvar_index, .count = c.own && c.own->text ? c.own->text_bytes : 1 };
	if (!c.own) {
		struct mpit_host_object room;
		rc = mpit_cvar_still_exists(mpit_host(), &c);
		if (rc == MPI_SUCCESS && !mpit_object_is_usable(c.bind, obj_handle))
			rc = MPI_T_ERR_INVALID_HANDLE;
		if (rc == MPI_SUCCESS)
			rc = mpit_host()->cvar_handle_alloc(
				c.host_index, mpit_object_for_host(c.bind, obj_handle, &room), &made.host, &made.count);
		if (rc == MPI_SUCCESS)
			made.count = mpit_cvar_host_count(mpit_host(), c.datatype, made.host, made.count);
		if (rc != MPI_SUCCESS)
			return mpit_leave(rc);
	}
	struct handle *h = malloc(sizeof(*h));
	uintptr_t value = h ? mpit_handle_make(MPIT_CVAR, h) : 0;
	if (!value) {
		free(h);
		if (!c.own)
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
	struct mpit_cvar_facts c;
	mpit_cvar_facts(h->index, &c);
	if (!c.own && mpit_cvar_still_exists(mpit_host(), &c) == MPI_SUCCESS)
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
	struct mpit_cvar_facts c;
	mpit_cvar_facts(h->index, &c);
	if (c.own && c.own->text)
		memcpy(buf, c.own->text, (size_t)c.own->text_bytes);
	else if (c.own && c.own->large)
		memcpy(buf, c.own->large, sizeof(uint64_t));
	else if (c.own)
		memcpy(buf, c.own->number, sizeof(int));
	else if ((rc = mpit_cvar_still_exists(mpit_host(), &c)) == MPI_SUCCESS)
		rc = mpit_cvar_host_read(mpit_host(), c.datatype, h->host, h->count, buf);
	if (rc == MPI_SUCCESS && !c.own && c.bind == MPI_T_BIND_NO_OBJECT)
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
	struct mpit_cvar_facts c;
	mpit_cvar_facts(h->index, &c);
	if (c.scope == MPI_T_SCOPE_CONSTANT || c.scope == MPI_T_SCOPE_READONLY)
		rc = MPI_T_ERR_CVAR_SET_NEVER;
	else if (c.own)
		rc = c.own->write ? c.own->write(c.own, buf) : MPI_T_ERR_CVAR_SET_NEVER;
	else if ((rc = mpit_cvar_still_exists(mpit_host(), &c)) == MPI_SUCCESS)
		rc = mpit_host()->cvar_write(h->host, buf);
	if (rc == MPI_SUCCESS && !c.own && c.bind == MPI_T_BIND_NO_OBJECT)
		mpit_mirror_cvar(h->index, buf, h->count, "MPI_T_cvar_write");
	return mpit_leave(rc);
}
