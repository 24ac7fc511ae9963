/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows: the program's arguments are in the predefined attributes (ompi/win/win.c), epochs are in the module of
 * the one-sided component (ompi/mca/osc/rdma, sm, pt2pt, ucx). osc/sm does not record a fence.
 */
#include "objects.h"

#include <stdio.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	KEY_BASE = 7, /* mpi.h */
	KEY_SIZE = 8,
	KEY_UNIT = 9,
	KEY_MODEL = 11,
	MODEL_UNIFIED = 0,
	SYNC_NONE = 0, /* ompi_osc_rdma_sync_type_t, ompi_osc_pt2pt_sync_type_t */
	SYNC_LOCK = 1,
	SYNC_FENCE = 2,
	SYNC_PSCW = 3,
};

static const char unknown_component[] = "epochs of this one-sided component are not read";

/* The rows of one component. */
struct rows {
	unsigned all_sync, pw_group, locks, type, sync;
	enum rd_ompi_list_form form;
};

static void epochs_by_sync(struct rd_ompi *o, uint64_t module_addr, const struct rows *rows, uint64_t size,
			   struct mdl_handle_win *w)
{
	const struct acc_field_at *fields = o->layout->fields;
	uint64_t sync_addr = module_addr + fields[rows->all_sync].offset, type, word, target;
	uint64_t data_addr = sync_addr + fields[rows->sync].offset;

	if (!rd_ompi_has(o, rows->all_sync) || !rd_ompi_has(o, rows->type) || !rd_ompi_has(o, rows->sync)) {
		w->epochs_why = "the layout does not describe the component's epochs";
		return;
	}
	if (acc_read_u(o->sp, sync_addr + fields[rows->type].offset, 4, &type) || type > SYNC_PSCW ||
	    acc_read_ptr(o->sp, data_addr, &word) || acc_read_u(o->sp, data_addr, 4, &target)) {
		w->epochs_why = "they cannot be read";
		return;
	}
	w->fence_open = type == SYNC_FENCE;
	w->lock_all = type == SYNC_LOCK;
	w->started = type == SYNC_PSCW;
	if (w->started)
		w->start_group = rd_ompi_group_list(o, word, RD_OMPI_RANKS);
	uint64_t group_addr = rd_ompi_pointer(o, module_addr, rows->pw_group);
	w->posted = group_addr != 0;
	if (w->posted)
		w->post_group = rd_ompi_group_list(o, group_addr, RD_OMPI_RANKS);
	uint64_t array_addr = rows->form == RD_OMPI_LOCK_TABLE_RDMA
				      ? rd_ompi_pointer(o, module_addr, F_ompi_osc_rdma_module_t_outstanding_lock_array)
				      : 0;
	if (array_addr)
		w->locks = rd_ompi_elements(array_addr, size, RD_OMPI_LOCK_ARRAY_RDMA);
	else if (rd_ompi_has(o, rows->locks) && (rows->form != RD_OMPI_LOCK_TABLE_RDMA ||
						 rd_ompi_has(o, F_ompi_osc_rdma_module_t_outstanding_lock_array)))
		w->locks = rd_ompi_elements(module_addr + fields[rows->locks].offset, size, rows->form);
}

static void epochs_of_sm(struct rd_ompi *o, uint64_t module_addr, uint64_t size, struct mdl_handle_win *w)
{
	uint64_t started = rd_ompi_pointer(o, module_addr, F_ompi_osc_sm_module_t_start_group);
	uint64_t posted = rd_ompi_pointer(o, module_addr, F_ompi_osc_sm_module_t_post_group);
	uint64_t locks = rd_ompi_pointer(o, module_addr, F_ompi_osc_sm_module_t_outstanding_locks);

	if (!rd_ompi_has(o, F_ompi_osc_sm_module_t_start_group)) {
		w->epochs_why = "the layout does not describe the component's epochs";
		return;
	}
	w->fence_why = "osc/sm keeps no trace of a fence";
	w->started = started != 0;
	w->posted = posted != 0;
	if (started)
		w->start_group = rd_ompi_group_list(o, started, RD_OMPI_RANKS);
	if (posted)
		w->post_group = rd_ompi_group_list(o, posted, RD_OMPI_RANKS);
	if (locks)
		w->locks = rd_ompi_elements(locks, size, RD_OMPI_LOCKS);
	w->lock_all_why = "osc/sm locks each rank for it";
}

/* enum ompi_osc_ucx_epoch: one for accesses and one for exposures */
static void epochs_of_ucx(struct rd_ompi *o, uint64_t module_addr, uint64_t size, struct mdl_handle_win *w)
{
	enum { NONE, FENCE, POST_WAIT, START_COMPLETE, PASSIVE, PASSIVE_ALL };
	const struct acc_field_at *fields = o->layout->fields;
	uint64_t epochs_addr = module_addr + fields[F_ompi_osc_ucx_module_t_epoch_type].offset, access, exposure;

	if (!rd_ompi_has(o, F_ompi_osc_ucx_module_t_epoch_type) ||
	    !rd_ompi_has(o, F_ompi_osc_ucx_epoch_type_t_access) ||
	    !rd_ompi_has(o, F_ompi_osc_ucx_epoch_type_t_exposure)) {
		w->epochs_why = "the layout does not describe the component's epochs";
		return;
	}
	if (acc_read_u(o->sp, epochs_addr + fields[F_ompi_osc_ucx_epoch_type_t_access].offset, 4, &access) ||
	    acc_read_u(o->sp, epochs_addr + fields[F_ompi_osc_ucx_epoch_type_t_exposure].offset, 4, &exposure) ||
	    access > PASSIVE_ALL || exposure > PASSIVE_ALL) {
		w->epochs_why = "they cannot be read";
		return;
	}
	w->fence_open = access == FENCE;
	w->lock_all = access == PASSIVE_ALL;
	w->started = access == START_COMPLETE;
	w->posted = exposure == POST_WAIT;
	if (w->started)
		w->start_group = rd_ompi_group_list(
			o, rd_ompi_pointer(o, module_addr, F_ompi_osc_ucx_module_t_start_group), RD_OMPI_RANKS);
	if (w->posted)
		w->post_group = rd_ompi_group_list(
			o, rd_ompi_pointer(o, module_addr, F_ompi_osc_ucx_module_t_post_group), RD_OMPI_RANKS);
	if (rd_ompi_has(o, F_ompi_osc_ucx_module_t_outstanding_locks) && rd_ompi_has(o, F_ompi_osc_ucx_lock_t_type) &&
	    rd_ompi_has(o, F_ompi_osc_ucx_lock_t_is_nocheck))
		w->locks = rd_ompi_elements(module_addr + fields[F_ompi_osc_ucx_module_t_outstanding_locks].offset,
					    size, RD_OMPI_LOCK_TABLE_UCX);
}

static void epochs(struct rd_ompi *o, uint64_t module_addr, uint64_t size, struct mdl_handle_win *w)
{
	static const struct rows rdma = { F_ompi_osc_rdma_module_t_all_sync,
					  F_ompi_osc_rdma_module_t_pw_group,
					  F_ompi_osc_rdma_module_t_outstanding_locks,
					  F_ompi_osc_rdma_sync_t_type,
					  F_ompi_osc_rdma_sync_t_sync,
					  RD_OMPI_LOCK_TABLE_RDMA };
	static const struct rows pt2pt = { F_ompi_osc_pt2pt_module_t_all_sync,
					   F_ompi_osc_pt2pt_module_t_pw_group,
					   F_ompi_osc_pt2pt_module_t_outstanding_locks,
					   F_ompi_osc_pt2pt_sync_t_type,
					   F_ompi_osc_pt2pt_sync_t_sync,
					   RD_OMPI_LOCK_TABLE_PT2PT };

	switch (rd_ompi_osc_of(o, module_addr)) {
	case RD_OMPI_OSC_RDMA:
		epochs_by_sync(o, module_addr, &rdma, size, w);
		break;
	case RD_OMPI_OSC_PT2PT:
		epochs_by_sync(o, module_addr, &pt2pt, size, w);
		break;
	case RD_OMPI_OSC_SM:
		epochs_of_sm(o, module_addr, size, w);
		break;
	case RD_OMPI_OSC_UCX:
		epochs_of_ucx(o, module_addr, size, w);
		break;
	default:
		w->epochs_why = unknown_component;
		break;
	}
}

enum acc_rc rd_ompi_win_facts(struct rd_ompi *o, const struct rd_ompi_place *at, struct mdl_handle *h)
{
	struct mdl_handle_win *w = &h->win;
	struct acc_note note = o->sp->note;
	struct rd_ompi_group group;
	struct acc_obj obj;

	w->comm = w->comm_id = w->info = w->info_id = w->errhandler = mdl_none();
	w->base = w->size = w->displacement_unit = w->flavor = w->model = mdl_none();
	if (at->null) {
		snprintf(h->name, sizeof(h->name), "MPI_WIN_NULL");
		return ACC_OK;
	}
	if (rd_ompi_quiet_load(o, T_ompi_win_t, at->addr, &obj))
		return obj.rc;
	rd_ompi_name_of(o, &obj, F_ompi_win_t_w_name, h->name);
	uint64_t hash_addr = acc_get_u(&obj, F_ompi_win_t_w_keyhash),
		 handler_addr = acc_get_u(&obj, F_ompi_win_t_error_handler),
		 module_addr = acc_get_u(&obj, F_ompi_win_t_w_osc_module),
		 group_addr = acc_get_u(&obj, F_ompi_win_t_w_group);
	int64_t flavor = acc_get_i(&obj, F_ompi_win_t_w_flavor);
	if (obj.rc)
		return obj.rc;
	if (flavor < MDL_WIN_CREATE || flavor > MDL_WIN_SHARED || rd_ompi_check(o, handler_addr, C_ompi_errhandler_t))
		return ACC_ECORRUPT;
	w->errhandler = mdl_known((int64_t)handler_addr);
	w->flavor = mdl_known(flavor);
	w->base = rd_ompi_attribute_value(o, hash_addr, KEY_BASE);
	w->size = rd_ompi_attribute_value(o, hash_addr, KEY_SIZE);
	w->displacement_unit = rd_ompi_attribute_value(o, hash_addr, KEY_UNIT);
	w->model = rd_ompi_attribute_value(o, hash_addr, KEY_MODEL);
	if (w->model.known == MDL_KNOWN)
		w->model.value = w->model.value == MODEL_UNIFIED ? MDL_WIN_UNIFIED : MDL_WIN_SEPARATE;
	/* the communicator in the window is an internal duplicate */
	w->comm = mdl_unavailable("Open MPI keeps a duplicate of the communicator");
	w->attributes = rd_ompi_attributes(o, hash_addr, RD_OMPI_ATTRIBUTES);
	w->hints = rd_ompi_hints(o, at->addr);
	enum acc_rc rc = rd_ompi_group(o, group_addr, &group);
	o->sp->note = note;
	if (rc)
		return rc;
	epochs(o, module_addr, group.n, w);
	return ACC_OK;
}
