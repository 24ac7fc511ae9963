/* SPDX-License-Identifier: BSD-3-Clause */
#include "var_objects.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

bool mpidbg_object_name(const struct rd_track_vars *v, struct mdl_num bind, uint64_t handle, char *ret, size_t size)
{
	static const int kinds[] = { -1,     MDL_COMM,    MDL_DATATYPE, MDL_ERRHANDLER, MDL_FILE, MDL_GROUP,
				     MDL_OP, MDL_REQUEST, MDL_WIN,      MDL_A_MESSAGE,  MDL_INFO, MDL_SESSION };
	struct mdl_handle h;

	snprintf(ret, size, "0x%" PRIx64, handle);
	if (bind.known == MDL_KNOWN && bind.value > 0 && (size_t)bind.value < COUNT(kinds) &&
	    !rd_track_find(v->t, (enum mdl_handle_kind)kinds[bind.value], handle, &h) && h.name[0]) {
		snprintf(ret, size, "%s", h.name);
		return true;
	}
	return false;
}

enum acc_rc mpidbg_var_objects_first(const struct rd_track_vars *v, const struct mdl_variable *var,
				     struct mpidbg_var_objects *ret)
{
	*ret = (struct mpidbg_var_objects){ .v = v, .var = var };
	if (!var->of_queues)
		return ACC_OK;
	enum acc_rc rc = rd_track_var_text(v, var->name, ret->variable, sizeof(ret->variable));
	return rc ? rc : rd_comm_first(v->native, false, &ret->comms);
}

/* Iterate over the communicators that exist now. */
static enum acc_rc next_comm(struct mpidbg_var_objects *it, struct mpidbg_var_object *ret)
{
	struct mdl_comm comm;
	enum acc_rc rc = rd_comm_next(&it->comms, &comm);

	if (rc)
		return rc;
	ret->handle = comm.handle;
	snprintf(ret->name, sizeof(ret->name), "%s", comm.name);
	rc = rd_pvar_get(it->v->native, it->variable, &comm, &ret->value, &ret->count);
	return rc == ACC_NONE ? ACC_EINVAL : rc;
}

enum acc_rc mpidbg_var_objects_next(struct mpidbg_var_objects *it, struct mpidbg_var_object *ret)
{
	struct mdl_object_value one;

	if (it->var->of_queues)
		return next_comm(it, ret);
	while (it->i < it->var->objects.n) {
		enum acc_rc rc = rd_track_object_value(it->v, it->var, it->i++, &one);
		if (rc)
			return rc;
		if (one.gone)
			continue;
		*ret = (struct mpidbg_var_object){ .handle = one.object, .value = one.value, .count = one.count };
		if (!mpidbg_object_name(it->v, it->var->bind, one.object, ret->name, sizeof(ret->name)))
			ret->name[0] = '\0';
		return ACC_OK;
	}
	return ACC_NONE;
}

struct rd_process *mpidbg_var_native(struct _mqs_process_info *p)
{
	struct acc_note before = p->note;
	struct rd_process *ret = mqs_state_open(p) ? NULL : p->reader;

	p->note = before;
	return ret;
}

void mpidbg_var_now(const struct rd_track_vars *v, struct mdl_variable *var)
{
	struct mdl_variable now = *var;
	struct mpidbg_var_objects it;
	struct mpidbg_var_object one;
	uint64_t n = 0;

	if (!v->native || !var->of_mpi || var->kind != MDL_PVARS || !var->objects.known)
		return;
	struct acc_note before = v->native->sp->note;
	now.of_queues = true;
	now.value = now.read_at = mdl_none();
	now.objects = now.cells = (struct mdl_list){ .known = false };
	now.read_for = 0;
	enum acc_rc rc = mpidbg_var_objects_first(v, &now, &it);
	while (rc == ACC_OK && (rc = mpidbg_var_objects_next(&it, &one)) == ACC_OK)
		n++;
	if (rc == ACC_NONE && n && !it.comms.n_bad)
		*var = now;
	v->native->sp->note = before;
}
