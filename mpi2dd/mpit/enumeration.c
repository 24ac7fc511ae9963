/* SPDX-License-Identifier: BSD-3-Clause */
/* Enumerations: our own, and the host's behind handles of ours. They are never freed. */
#include "mpit.h"

#include <stdlib.h>

struct enumeration {
	struct enumeration *next;
	uintptr_t handle;
	MPI_T_enum host; /* MPI_T_ENUM_NULL: it is ours */
	const char *name;
	const struct mpit_enum_item *items;
	int n;
};

static struct enumeration *all;

static MPI_T_enum add_enumeration(struct enumeration e)
{
	struct enumeration *copy = malloc(sizeof(*copy));

	if (!copy)
		return MPI_T_ENUM_NULL;
	*copy = e;
	copy->handle = mpit_handle_make(MPIT_ENUM, copy);
	copy->next = all;
	all = copy;
	return (MPI_T_enum)copy->handle;
}

/*
 * Copy the items of a host's enumeration, because Open MPI
 * unloads it with its component and crashes when queried later.
 */
static bool copy_items(const struct mpit_host *host, struct enumeration *e)
{
	char text[256];
	int bytes = sizeof(text), n = 0;

	if (host->enum_get_info(e->host, &n, text, &bytes) != MPI_SUCCESS || n < 1)
		return false;
	struct mpit_enum_item *items = calloc((size_t)n, sizeof(*items));
	e->name = mpit_copy_string(text);
	bool ok = items && e->name;
	for (int i = 0; ok && i < n; i++) {
		bytes = sizeof(text);
		ok = host->enum_get_item(e->host, i, &items[i].value, text, &bytes) == MPI_SUCCESS;
		items[i].name = ok ? mpit_copy_string(text) : NULL;
		ok = ok && items[i].name;
	}
	e->items = items;
	e->n = n;
	return ok;
}

MPI_T_enum mpit_enum_of_host(MPI_T_enum host)
{
	struct enumeration e = { .host = host };

	if (host == MPI_T_ENUM_NULL)
		return MPI_T_ENUM_NULL;
	for (struct enumeration *known = all; known; known = known->next)
		if (known->host == host)
			return (MPI_T_enum)known->handle;
	return copy_items(mpit_host(), &e) ? add_enumeration(e) : MPI_T_ENUM_NULL;
}

MPI_T_enum mpit_enum_own(const char *name, const struct mpit_enum_item *items, int n)
{
	for (struct enumeration *e = all; e; e = e->next)
		if (e->items == items)
			return (MPI_T_enum)e->handle;
	return add_enumeration((struct enumeration){ .host = MPI_T_ENUM_NULL, .name = name, .items = items, .n = n });
}

void mpit_enum_names(MPI_T_enum enumtype, int value, const char **name, const char **item)
{
	const struct enumeration *e = mpit_handle_find(MPIT_ENUM, (uintptr_t)enumtype);

	*name = e ? e->name : NULL;
	*item = NULL;
	for (int i = 0; e && i < e->n && !*item; i++)
		if (e->items[i].value == value)
			*item = e->items[i].name;
}

MPIT(enum_get_info, (MPI_T_enum enumtype, int *num, char *name, int *name_len))
{
	int rc = mpit_enter();

	if (rc != MPI_SUCCESS)
		return rc;
	const struct enumeration *e = mpit_handle_find(MPIT_ENUM, (uintptr_t)enumtype);
	if (!e)
		return mpit_leave(MPI_T_ERR_INVALID_HANDLE);
	mpit_text(e->name, name, name_len);
	if (num)
		*num = e->n;
	return mpit_leave(MPI_SUCCESS);
}

MPIT(enum_get_item, (MPI_T_enum enumtype, int indx, int *value, char *name, int *name_len))
{
	int rc = mpit_enter();

	if (rc != MPI_SUCCESS)
		return rc;
	const struct enumeration *e = mpit_handle_find(MPIT_ENUM, (uintptr_t)enumtype);
	if (!e)
		return mpit_leave(MPI_T_ERR_INVALID_HANDLE);
	if (indx < 0 || indx >= e->n)
		return mpit_leave(MPI_T_ERR_INVALID_INDEX);
	mpit_text(e->items[indx].name, name, name_len);
	if (value)
		*value = e->items[indx].value;
	return mpit_leave(MPI_SUCCESS);
}
