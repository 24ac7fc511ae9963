/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening objects: those of the registry, or those that a reader finds in the MPI library's own memory. */
#include "registry.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

void rd_track_close(struct rd_track *t)
{
	if (!t)
		return;
	rd_track_index_free(t);
	acc_layout_deinit(t->sp, &t->layout);
	acc_array_free(t->sp, t);
}

enum acc_rc rd_track_open_at(struct acc_space *sp, uint64_t addr, struct rd_track **ret)
{
	struct rd_track *t = acc_array(sp, 1, sizeof(*t));

	if (!t)
		return acc_note(&sp->note, ACC_ENOMEM, "registry: %s", acc_rc_text(ACC_ENOMEM));
	memset(t, 0, sizeof(*t));
	t->sp = sp;
	t->addr = addr;
	t->objects = rd_track_recorded(t);
	enum acc_rc rc = rd_track_read(t);
	if (rc) {
		rd_track_close(t);
		return rc;
	}
	*ret = t;
	return ACC_OK;
}

enum acc_rc rd_track_open(struct acc_space *sp, struct rd_track **ret)
{
	uint64_t addr;

	if (!sp || !ret)
		return ACC_EINVAL;
	return acc_symbol(sp, "MPI2DD_registry", &addr) ? ACC_NONE : rd_track_open_at(sp, addr, ret);
}

enum acc_rc rd_track_open_objects(struct acc_space *sp, const struct mdl_library *library, enum rd_track_mpi mpi,
				  const struct rd_objects *objects, struct rd_track **ret)
{
	struct rd_track *t = acc_array(sp, 1, sizeof(*t));

	if (!t)
		return ACC_ENOMEM;
	memset(t, 0, sizeof(*t));
	t->sp = sp;
	t->objects = *objects;
	t->library = *library;
	t->mpi = mpi;
	t->memory.bytes = t->memory.used = t->memory.n_dropped = mdl_none();
	for (int i = 0; i < MDL_N_HANDLE_KINDS; i++)
		t->slabs[i].n_live = mdl_none();
	*ret = t;
	return ACC_OK;
}

enum acc_rc rd_track_update(struct rd_track *t)
{
	if (!t)
		return ACC_EINVAL;
	rd_track_index_free(t);
	return t->objects.update ? t->objects.update(t->objects.state) : ACC_OK;
}

bool rd_track_has_no_registry(const struct rd_track *t)
{
	return t && !t->addr;
}
