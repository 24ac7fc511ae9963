/* SPDX-License-Identifier: BSD-3-Clause */
/* The set of performance variables. Sessions and handles are in session.c. */
#include "pvar.h"

#include "pvar_set.h"
#include "space.h"

#include "../calls/calls.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static struct mpit_pvar *pvars;
static int n_pvars, capacity;
static struct mpit_names names;
static struct mpit_space space = MPIT_SPACE;

static struct mpit_pvar *append_pvar(const char *name, const char *desc, int var_class)
{
	struct mpit_pvar *room = mpit_grow_array(pvars, n_pvars, &capacity, 128, sizeof(*room));

	if (!room)
		return NULL;
	pvars = room;
	struct mpit_pvar *p = &pvars[n_pvars];
	*p = (struct mpit_pvar){
		.host_index = -1, .name = mpit_copy_string(name), .desc = mpit_copy_string(desc), .var_class = var_class
	};
	if (!p->name || !p->desc || !mpit_names_add(&names, p->name, var_class, n_pvars)) {
		free(p->name);
		free(p->desc);
		return NULL;
	}
	n_pvars++;
	return p;
}

static void append_own(void)
{
	for (int i = 0; i < mpit_n_own_pvars; i++) {
		const struct mpit_own_pvar *own = &mpit_own_pvars[i];
		struct mpit_pvar *p = append_pvar(own->name, own->desc, own->var_class);
		if (!p)
			return;
		p->own = own;
		p->verbosity = own->verbosity;
		p->bind = own->bind;
		p->readonly = own->continuous;
		p->continuous = own->continuous;
		p->atomic = !own->continuous;
		p->datatype = mpit_datatype(own->type);
		p->enumtype = MPI_T_ENUM_NULL;
		if (own->items) {
			int n;
			const struct mpit_enum_item *items = own->items(&n);
			p->enumtype = mpit_enum_own(own->enum_name, items, n);
		}
	}
}

/*
 * Open MPI 4.1, 5.0 and 6.0 corrupt memory when the counters of osc_rdma are written: they are stored as an offset in a
 * window, which the setter uses as an address (ompi/mca/osc/rdma/osc_rdma_component.c).
 */
static bool cannot_be_written(const char *name)
{
#if defined(M2D_OPENMPI_MAJOR)
	return strncmp(name, "osc_rdma_", 9) == 0;
#else
	(void)name;
	return false;
#endif
}

static void append_host(const struct mpit_host *host, int index)
{
	struct mpit_pvar seen = { .host_index = index, .enumtype = MPI_T_ENUM_NULL };
	int name_bytes = 0, desc_bytes = 0;

	if (host->pvar_get_info(index, NULL, &name_bytes, NULL, NULL, NULL, NULL, NULL, &desc_bytes, NULL, NULL, NULL,
				NULL) != MPI_SUCCESS)
		return;
	char *name = calloc(1, (size_t)++name_bytes), *desc = calloc(1, (size_t)++desc_bytes);
	if (name && desc &&
	    host->pvar_get_info(index, name, &name_bytes, &seen.verbosity, &seen.var_class, &seen.datatype,
				&seen.enumtype, desc, &desc_bytes, &seen.bind, &seen.readonly, &seen.continuous,
				&seen.atomic) == MPI_SUCCESS &&
	    *name) {
		struct mpit_pvar *p = append_pvar(name, desc, seen.var_class);
		if (p) {
			seen.name = p->name;
			seen.desc = p->desc;
			if (seen.datatype != mpit_datatype(MPIT_INT))
				seen.enumtype = MPI_T_ENUM_NULL;
			seen.readonly = seen.readonly || cannot_be_written(name);
			seen.enumtype = mpit_enum_of_host(seen.enumtype);
			*p = seen;
			space.of_host[index] = n_pvars - 1;
			mpit_changed();
		}
	}
	free(name);
	free(desc);
}

void mpit_pvars_refresh(void)
{
	int n = 0, stamp = 0;

	if (!n_pvars)
		append_own();
	const struct mpit_host *host = mpit_host();
	if (!host || !mpit_host_is_safe("") || host->pvar_get_num(&n) != MPI_SUCCESS ||
	    host->category_changed(&stamp) != MPI_SUCCESS || !mpit_space_refresh(&space, n, stamp))
		return;
	for (int i = 0; i < n; i++)
		if (space.of_host[i] < 0)
			append_host(host, i);
}

int mpit_pvar_of_host(int host_index)
{
	return mpit_space_of_host(&space, host_index);
}

int mpit_pvar_index(const char *name)
{
	for (int i = 0; i < n_pvars; i++)
		if (pvars[i].own && strcmp(pvars[i].name, name) == 0)
			return i;
	return -1;
}

int mpit_pvars_known(void)
{
	return n_pvars;
}

const struct mpit_pvar *mpit_pvar_at(int index)
{
	if (index >= n_pvars || !n_pvars)
		mpit_pvars_refresh();
	return index >= 0 && index < n_pvars ? &pvars[index] : NULL;
}

#if defined(M2D_OPENMPI_MAJOR)
/*
 * Does the program communicate by psm2? The variables of that component call a separate library, and Open MPI
 * (4.1.4 and 6.0.0rc2) crashes in MPI_T_pvar_handle_alloc when that library is not initialized. (ompi_mtl is the
 * selected transport: ompi/mca/mtl/mtl.h.)
 */
static bool uses_psm2(void)
{
	void **chosen = m2d_calls_symbol("ompi_mtl");
	Dl_info info;

	return mpit_mpi_is_up() && chosen && *chosen && dladdr(*chosen, &info) && info.dli_sname &&
	       strcmp(info.dli_sname, "ompi_mtl_psm2") == 0;
}
#endif

static bool is_safe(const char *name)
{
#if defined(M2D_OPENMPI_MAJOR)
	if (strstr(name, "_psm2_") && !uses_psm2())
		return false;
#endif
	return mpit_host_is_safe(name);
}

int mpit_pvar_still_exists(const struct mpit_pvar *p)
{
	const struct mpit_host *host = mpit_host();
	char name[512];
	int bytes = sizeof(name), var_class;

	if (!host || !is_safe(p->name))
		return MPI_T_ERR_NOT_ACCESSIBLE;
	int rc = host->pvar_get_info(p->host_index, name, &bytes, NULL, &var_class, NULL, NULL, NULL, NULL, NULL, NULL,
				     NULL, NULL);
	return rc == MPI_SUCCESS && strncmp(name, p->name, sizeof(name) - 1) == 0 ? MPI_SUCCESS
										  : MPI_T_ERR_NOT_ACCESSIBLE;
}

MPIT(pvar_get_num, (int *num_pvar))
{
	int rc = mpit_enter();

	if (rc != MPI_SUCCESS)
		return rc;
	if (!num_pvar)
		return mpit_leave(MPI_T_ERR_INVALID);
	mpit_pvars_refresh();
	*num_pvar = n_pvars;
	return mpit_leave(MPI_SUCCESS);
}

static void put_number(int *to, int value)
{
	if (to)
		*to = value;
}

MPIT(pvar_get_info,
     (int pvar_index, char *name, int *name_len, int *verbosity, int *var_class, MPI_Datatype *datatype,
      MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind, int *readonly, int *continuous, int *atomic))
{
	int rc = mpit_enter();

	if (rc != MPI_SUCCESS)
		return rc;
	const struct mpit_pvar *p = mpit_pvar_at(pvar_index);
	if (!p)
		return mpit_leave(MPI_T_ERR_INVALID_INDEX);
	mpit_text(p->name, name, name_len);
	mpit_text(p->desc, desc, desc_len);
	put_number(verbosity, p->verbosity);
	put_number(var_class, p->var_class);
	if (datatype)
		*datatype = p->datatype;
	if (enumtype)
		*enumtype = p->enumtype;
	put_number(bind, p->bind);
	put_number(readonly, p->readonly);
	put_number(continuous, p->continuous);
	put_number(atomic, p->atomic);
	return mpit_leave(MPI_SUCCESS);
}

MPIT(pvar_get_index, (const char *name, int var_class, int *pvar_index))
{
	int rc = mpit_enter();

	if (rc != MPI_SUCCESS)
		return rc;
	if (!name || !pvar_index)
		return mpit_leave(MPI_T_ERR_INVALID);
	int index = mpit_names_find(&names, name, var_class);
	if (index < 0) {
		mpit_pvars_refresh();
		index = mpit_names_find(&names, name, var_class);
	}
	if (index < 0)
		return mpit_leave(MPI_T_ERR_INVALID_NAME);
	*pvar_index = index;
	return mpit_leave(MPI_SUCCESS);
}
