/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Control variables: ours first; the host's are appended when they become known. When the host has unloaded a variable,
 * its description is kept and its value is not accessible.
 */
#include "cvar.h"

#include "cvar_host.h"
#include "space.h"

#include <stdlib.h>
#include <string.h>

static struct mpit_cvar_facts *cvars;
static int n_cvars, capacity;
static struct mpit_names names;

static struct mpit_space space = MPIT_SPACE;

static struct mpit_cvar_facts *append_cvar(const char *name, const char *desc)
{
	struct mpit_cvar_facts *room = mpit_grow_array(cvars, n_cvars, &capacity, 2048, sizeof(*room));

	if (!room)
		return NULL;
	cvars = room;
	char *own_name = mpit_copy_string(name), *own_desc = mpit_copy_string(desc);
	if (!own_name || !own_desc || !mpit_names_add(&names, own_name, 0, n_cvars)) {
		free(own_name);
		free(own_desc);
		return NULL;
	}
	cvars[n_cvars] = (struct mpit_cvar_facts){ .host_index = -1, .name = own_name, .desc = own_desc };
	return &cvars[n_cvars++];
}

static void append_own(void)
{
	for (int i = 0; i < mpit_n_own_cvars; i++) {
		const struct mpit_own_cvar *own = &mpit_own_cvars[i];
		struct mpit_cvar_facts *c = append_cvar(own->name, own->desc);
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

	if (mpit_cvar_host_query(host, index, &said) != MPI_SUCCESS)
		return;
	struct mpit_cvar_facts *c = append_cvar(said.name, said.desc);
	free(said.name);
	free(said.desc);
	if (!c)
		return; /* a second variable of this name: ignored */
	c->host_index = index;
	c->verbosity = said.verbosity;
	c->bind = said.bind;
	c->scope = said.scope;
	c->datatype = said.datatype;
	c->enumtype = said.enumtype;
	c->lost = said.lost;
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
	    host->category_changed(&stamp) != MPI_SUCCESS || !mpit_space_refresh(&space, n, stamp))
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

int mpit_cvar_enter(int index, struct mpit_cvar_facts *ret)
{
	int rc = mpit_enter();

	if (rc != MPI_SUCCESS)
		return rc;
	if (index >= n_cvars || !n_cvars)
		mpit_cvars_refresh();
	return mpit_cvar_facts(index, ret) ? MPI_SUCCESS : mpit_leave(MPI_T_ERR_INVALID_INDEX);
}

MPIT(cvar_get_info, (int cvar_index, char *name, int *name_len, int *verbosity, MPI_Datatype *datatype,
		     MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind, int *scope))
{
	struct mpit_cvar_facts c;
	int rc = mpit_cvar_enter(cvar_index, &c);

	if (rc != MPI_SUCCESS)
		return rc;
	mpit_text(c.name, name, name_len);
	mpit_text(c.desc, desc, desc_len);
	if (verbosity)
		*verbosity = c.verbosity;
	if (datatype)
		*datatype = c.datatype;
	if (enumtype)
		*enumtype = c.enumtype;
	if (bind)
		*bind = c.bind;
	if (scope)
		*scope = c.scope;
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

/* ---- for handles and the mirror
 * ---------------------------------------------------------------------------------------- */

int mpit_cvars_known(void)
{
	return n_cvars;
}

bool mpit_cvar_facts(int index, struct mpit_cvar_facts *ret)
{
	if (index < 0 || index >= n_cvars)
		return false;
	*ret = cvars[index];
	return true;
}

int mpit_cvar_still_exists(const struct mpit_host *host, const struct mpit_cvar_facts *c)
{
	char name[512];
	int bytes = sizeof(name);

	if (!host || c->lost || !mpit_host_is_safe(c->name) || mpit_cvar_host_is_lost(c->host_index, c->datatype))
		return MPI_T_ERR_NOT_ACCESSIBLE;
	int rc = host->cvar_get_info(c->host_index, name, &bytes, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
	return rc == MPI_SUCCESS && strncmp(name, c->name, sizeof(name) - 1) == 0 ? MPI_SUCCESS
										  : MPI_T_ERR_NOT_ACCESSIBLE;
}

int mpit_cvar_fetch(int index, void *room, size_t bytes, int *count)
{
	const struct mpit_host *host = mpit_host_known();
	const struct mpit_cvar_facts *c = &cvars[index];
	MPI_T_cvar_handle handle;
	int n = 0, rc = host ? mpit_cvar_still_exists(host, c) : MPI_T_ERR_NOT_ACCESSIBLE;

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
