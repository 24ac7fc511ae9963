/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Control variables: ours first, the host's appended when they are first seen. What was once said of a variable is said
 * again, also when the host has unloaded it; its value then cannot be had.
 */
#include "cvar.h"

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

static int *of_host; /* host's index -> ours, -1: not seen */
static int n_of_host, last_stamp = -1;

static struct cvar *append(const char *name, const char *desc)
{
	if (n_cvars == capacity) {
		int more = capacity ? 2 * capacity : 2048;
		struct cvar *bigger = realloc(cvars, (size_t)more * sizeof(*cvars));
		if (!bigger)
			return NULL;
		cvars = bigger;
		capacity = more;
	}
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
		c->datatype = mpit_datatype(own->text ? MPIT_CHAR : MPIT_INT);
		c->enumtype = own->items ? mpit_enum_own(own->enum_name, own->items, own->n_items) : MPI_T_ENUM_NULL;
	}
}

/* What the host says of a variable: texts of any length. @return MPI_SUCCESS, and the texts are the caller's. */
static int ask(const struct mpit_host *host, int index, struct cvar *ret, char **name, char **desc)
{
	int name_bytes = 0, desc_bytes = 0;
	int rc = host->cvar_get_info(index, NULL, &name_bytes, NULL, NULL, NULL, NULL, &desc_bytes, NULL, NULL);

	if (rc != MPI_SUCCESS)
		return rc;
	name_bytes += 1;
	desc_bytes += 1;
	*name = calloc(1, (size_t)name_bytes);
	*desc = calloc(1, (size_t)desc_bytes);
	if (!*name || !*desc)
		rc = MPI_T_ERR_MEMORY;
	ret->enumtype = MPI_T_ENUM_NULL;
	if (rc == MPI_SUCCESS)
		rc = host->cvar_get_info(index, *name, &name_bytes, &ret->verbosity, &ret->datatype, &ret->enumtype,
					 *desc, &desc_bytes, &ret->bind, &ret->scope);
	if (rc == MPI_SUCCESS && !**name)
		rc = MPI_T_ERR_INVALID_NAME;
	if (rc != MPI_SUCCESS) {
		free(*name);
		free(*desc);
	}
	return rc;
}

/*
 * Open MPI declares variables with a scope that may be written, and refuses every write because they are not settable.
 * What they are is read-only; it shows when a number is given the value that it has. (A text is not tried: it would be
 * replaced by a copy, and whoever holds the old one would not know.)
 */
static bool refuses(const struct mpit_host *host, const struct cvar *c)
{
#if defined(OPEN_MPI)
	MPI_T_cvar_handle handle;
	uint64_t value = 0;
	int count = 0;

	if (c->scope == MPI_T_SCOPE_CONSTANT || c->scope == MPI_T_SCOPE_READONLY || c->bind != MPI_T_BIND_NO_OBJECT ||
	    c->datatype == mpit_datatype(MPIT_CHAR) || !mpit_host_is_safe(c->name) ||
	    host->cvar_handle_alloc(c->host_index, NULL, &handle, &count) != MPI_SUCCESS)
		return false;
	int rc = count == 1 ? host->cvar_read(handle, &value) : MPI_ERR_OTHER;
	if (rc == MPI_SUCCESS)
		rc = host->cvar_write(handle, &value);
	host->cvar_handle_free(&handle);
	return rc == MPI_T_ERR_CVAR_SET_NOT_NOW || rc == MPI_T_ERR_CVAR_SET_NEVER;
#else
	(void)host;
	(void)c;
	return false;
#endif
}

static void append_host(const struct mpit_host *host, int index)
{
	struct cvar seen = { 0 };
	char *name, *desc;

	if (ask(host, index, &seen, &name, &desc) != MPI_SUCCESS)
		return;
	struct cvar *c = append(name, desc);
	free(name);
	free(desc);
	if (!c)
		return; /* a second one of this name: the first is the one */
	seen.name = c->name;
	seen.desc = c->desc;
	seen.host_index = index;
	if (seen.datatype != mpit_datatype(MPIT_INT))
		seen.enumtype = MPI_T_ENUM_NULL;
	seen.enumtype = mpit_enum_of_host(seen.enumtype);
	if (refuses(host, &seen))
		seen.scope = MPI_T_SCOPE_READONLY;
	*c = seen;
	of_host[index] = n_cvars - 1;
	mpit_changed();
}

void mpit_cvars_refresh(void)
{
	int n = 0, stamp = 0;

	if (!n_cvars)
		append_own();
	const struct mpit_host *host = mpit_host();
	if (!host || !mpit_host_is_safe("") || host->cvar_get_num(&n) != MPI_SUCCESS)
		return;
	if (host->category_changed(&stamp) == MPI_SUCCESS && n == n_of_host && stamp == last_stamp)
		return;
	last_stamp = stamp;
	if (n > n_of_host) {
		int *bigger = realloc(of_host, (size_t)n * sizeof(*of_host));
		if (!bigger)
			return;
		of_host = bigger;
		while (n_of_host < n)
			of_host[n_of_host++] = -1;
	}
	for (int i = 0; i < n; i++)
		if (of_host[i] < 0)
			append_host(host, i);
}

int mpit_cvar_of_host(int host_index)
{
	return host_index >= 0 && host_index < n_of_host ? of_host[host_index] : -1;
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
	if (!handle || !count || (c->bind != MPI_T_BIND_NO_OBJECT && !obj_handle))
		return mpit_leave(MPI_T_ERR_INVALID);
	struct handle made = { .index = cvar_index, .count = c->own && c->own->text ? c->own->text_bytes : 1 };
	if (!c->own) {
		rc = still_there(mpit_host(), c);
		if (rc == MPI_SUCCESS)
			rc = mpit_host()->cvar_handle_alloc(c->host_index, obj_handle, &made.host, &made.count);
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
	else if (c->own)
		memcpy(buf, c->own->number, sizeof(int));
	else if ((rc = still_there(mpit_host(), c)) == MPI_SUCCESS)
		rc = mpit_host()->cvar_read(h->host, buf);
	/* Open MPI's word for a variable whose component it has unloaded. */
	return mpit_leave(rc == MPI_T_ERR_INVALID_INDEX ? MPI_T_ERR_NOT_ACCESSIBLE : rc);
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
	return mpit_leave(rc);
}
