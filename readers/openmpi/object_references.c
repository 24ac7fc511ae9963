/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * References to a group, an error handler, a datatype or a communicator: communicators to groups (two, also when
 * both are the same) and handlers, windows to groups and handlers, files to handlers and communicators, requests
 * of ob1 to communicators and datatypes, datatypes to datatypes. When the reference count of an object is no
 * higher than this number, the program has freed its handle.
 */
#include "objects.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

static void count_reference(struct rd_ompi *o, enum mdl_handle_kind kind, uint64_t addr)
{
	if (addr)
		rd_ompi_addrs_add(o, &o->objects->references[kind], addr);
}

/* ---- windows and files ------------------------------------------------------------------------------------------- */

/* A module starts with the functions of its component, as the component's template does. */
static bool is_like(struct rd_ompi *o, uint64_t module_addr, const char *template)
{
	enum { FUNCTIONS = 5 }; /* osc/ucx replaces others in a module */
	unsigned char a[FUNCTIONS * 8], b[FUNCTIONS * 8];
	size_t n = (size_t)FUNCTIONS * o->sp->sizes.pointer_bytes;
	uint64_t addr;

	return !acc_symbol(o->sp, template, &addr) && !acc_read(o->sp, addr, n, a) &&
	       !acc_read(o->sp, module_addr, n, b) && !memcmp(a, b, n);
}

enum rd_ompi_osc rd_ompi_osc_of(struct rd_ompi *o, uint64_t module_addr)
{
	if (!acc_plausible(o->sp, module_addr, 4))
		return RD_OMPI_OSC_OTHER;
	if (is_like(o, module_addr, "ompi_osc_rdma_module_rdma_template"))
		return RD_OMPI_OSC_RDMA;
	if (is_like(o, module_addr, "ompi_osc_sm_module_template"))
		return RD_OMPI_OSC_SM;
	if (is_like(o, module_addr, "ompi_osc_pt2pt_module_template"))
		return RD_OMPI_OSC_PT2PT;
	if (is_like(o, module_addr, "ompi_osc_ucx_module_template"))
		return RD_OMPI_OSC_UCX;
	return RD_OMPI_OSC_OTHER;
}

/* io/ompio keeps an ompio_file_t, which points back to the file; io/romio does not. */
uint64_t rd_ompi_ompio(struct rd_ompi *o, uint64_t file_addr)
{
	uint64_t data_addr = rd_ompi_pointer(o, file_addr, F_ompi_file_t_f_io_selected_data);

	return rd_ompi_has(o, F_ompio_file_t_f_fh) && rd_ompi_pointer(o, data_addr, F_ompio_file_t_f_fh) == file_addr
		       ? data_addr
		       : 0;
}

/* The group of MPI_Win_start in a module's ompi_osc_rdma_sync_t or ompi_osc_pt2pt_sync_t; 0: none. */
static uint64_t started(struct rd_ompi *o, uint64_t module_addr, unsigned all_sync, unsigned type, unsigned sync)
{
	enum { PSCW = 3 };
	const struct acc_field_at *fields = o->layout->fields;
	uint64_t sync_addr = module_addr + fields[all_sync].offset, raw, group_addr;

	if (!rd_ompi_has(o, all_sync) || !rd_ompi_has(o, type) || !rd_ompi_has(o, sync) ||
	    acc_read_u(o->sp, sync_addr + fields[type].offset, 4, &raw) || raw != PSCW ||
	    acc_read_ptr(o->sp, sync_addr + fields[sync].offset, &group_addr))
		return 0;
	return group_addr;
}

static void count_windows(struct rd_ompi *o, enum mdl_handle_kind kind)
{
	struct acc_slots slots;
	uint64_t addr;

	if (rd_ompi_object_table(o, MDL_WIN, &slots))
		return;
	while (!acc_slots_next(&slots, &addr)) {
		if (!acc_plausible(o->sp, addr, 4))
			continue;
		if (kind == MDL_ERRHANDLER) {
			count_reference(o, kind, rd_ompi_pointer(o, addr, F_ompi_win_t_error_handler));
			continue;
		}
		uint64_t module = rd_ompi_pointer(o, addr, F_ompi_win_t_w_osc_module);
		count_reference(o, kind, rd_ompi_pointer(o, addr, F_ompi_win_t_w_group));
		switch (rd_ompi_osc_of(o, module)) {
		case RD_OMPI_OSC_SM:
			count_reference(o, kind, rd_ompi_pointer(o, module, F_ompi_osc_sm_module_t_start_group));
			count_reference(o, kind, rd_ompi_pointer(o, module, F_ompi_osc_sm_module_t_post_group));
			break;
		case RD_OMPI_OSC_UCX:
			count_reference(o, kind, rd_ompi_pointer(o, module, F_ompi_osc_ucx_module_t_start_group));
			count_reference(o, kind, rd_ompi_pointer(o, module, F_ompi_osc_ucx_module_t_post_group));
			break;
		case RD_OMPI_OSC_RDMA:
			count_reference(o, kind, rd_ompi_pointer(o, module, F_ompi_osc_rdma_module_t_pw_group));
			count_reference(o, kind,
					started(o, module, F_ompi_osc_rdma_module_t_all_sync,
						F_ompi_osc_rdma_sync_t_type, F_ompi_osc_rdma_sync_t_sync));
			break;
		case RD_OMPI_OSC_PT2PT:
			count_reference(o, kind, rd_ompi_pointer(o, module, F_ompi_osc_pt2pt_module_t_pw_group));
			count_reference(o, kind,
					started(o, module, F_ompi_osc_pt2pt_module_t_all_sync,
						F_ompi_osc_pt2pt_sync_t_type, F_ompi_osc_pt2pt_sync_t_sync));
			break;
		default:
			break;
		}
	}
}

static void count_files(struct rd_ompi *o, enum mdl_handle_kind kind, unsigned field)
{
	struct acc_slots slots;
	uint64_t addr;

	if (rd_ompi_object_table(o, MDL_FILE, &slots))
		return;
	while (!acc_slots_next(&slots, &addr))
		if (acc_plausible(o->sp, addr, 4))
			count_reference(o, kind, rd_ompi_pointer(o, addr, field));
}

/* ---- communicators --------------------------------------------------------------------------------------------- */

/* Count the references of all communicators, including internal ones and those that only their requests keep alive. */
static void count_comms(struct rd_ompi *o, enum mdl_handle_kind kind)
{
	struct acc_slots slots;
	uint64_t addr;

	if (rd_ompi_object_table(o, MDL_COMM, &slots))
		return;
	while (!acc_slots_next(&slots, &addr)) {
		if (!acc_plausible(o->sp, addr, 4) || rd_ompi_check(o, addr, C_ompi_communicator_t))
			continue;
		if (kind == MDL_ERRHANDLER) {
			count_reference(o, kind, rd_ompi_pointer(o, addr, F_ompi_communicator_t_error_handler));
		} else {
			count_reference(o, kind, rd_ompi_pointer(o, addr, F_ompi_communicator_t_c_local_group));
			count_reference(o, kind, rd_ompi_pointer(o, addr, F_ompi_communicator_t_c_remote_group));
		}
	}
}

/* The processes that have failed, as ULFM knows them: an object of the library since 5.0 (ompi/group/group_init.c). */
static void count_failed(struct rd_ompi *o)
{
	uint64_t at, addr;

	if (!acc_symbol(o->sp, "ompi_group_all_failed_procs", &at) && !acc_read_ptr(o->sp, at, &addr))
		count_reference(o, MDL_GROUP, addr);
}

/* ---- datatypes ------------------------------------------------------------------------------------------------- */

static void count_types_of(struct rd_ompi *o, uint64_t datatype_addr)
{
	struct rd_ompi_args args;
	uint64_t addr, width = o->sp->sizes.pointer_bytes;

	if (rd_ompi_args(o, datatype_addr, &args))
		return;
	for (uint64_t i = 0; i < args.n_types; i++)
		if (!acc_read_ptr(o->sp, args.types_addr + i * width, &addr))
			count_reference(o, MDL_DATATYPE, addr);
}

/* ob1 retains the communicator and the datatype of an operation until its request is returned. */
static void count_requests(struct rd_ompi *o, enum mdl_handle_kind kind)
{
	const struct rd_ompi_addrs *requests = rd_ompi_operations(o);
	struct mdl_comm comm;
	struct mdl_op op;

	for (uint64_t i = 0; requests && i < requests->n; i++)
		if (!rd_ompi_request_get(o, requests->v[i], &comm, &op) && !strcmp(op.origin, "ob1")) {
			if (kind == MDL_COMM)
				count_reference(o, kind, comm.id);
			else if (op.datatype_handle.known == MDL_KNOWN)
				count_reference(o, kind, (uint64_t)op.datatype_handle.value);
		}
}

static void count_types(struct rd_ompi *o)
{
	const struct rd_ompi_places *types = &o->objects->places[MDL_DATATYPE];

	for (uint64_t i = 0; i < types->n; i++)
		if (!types->v[i].rc)
			count_types_of(o, types->v[i].addr);
	rd_ompi_is_view(o, 0);
	for (uint64_t i = 0; i < o->objects->views.n; i++)
		count_types_of(o, o->objects->views.v[i]);
	count_requests(o, MDL_DATATYPE);
}

bool rd_ompi_is_view(struct rd_ompi *o, uint64_t addr)
{
	static const unsigned rows[] = { F_ompio_file_t_f_etype, F_ompio_file_t_f_filetype,
					 F_ompio_file_t_f_orig_filetype, F_ompio_file_t_f_iov_type };
	struct rd_ompi_addrs *views = o->objects ? &o->objects->views : NULL;
	struct acc_slots slots;
	uint64_t file_addr;

	if (!views)
		return false;
	if (!views->built) {
		views->built = true;
		if (!rd_ompi_object_table(o, MDL_FILE, &slots))
			while (!acc_slots_next(&slots, &file_addr)) {
				uint64_t ompio = file_addr ? rd_ompi_ompio(o, file_addr) : 0;

				for (unsigned i = 0; ompio && i < sizeof(rows) / sizeof(rows[0]); i++)
					rd_ompi_addrs_add(o, views, rd_ompi_pointer(o, ompio, rows[i]));
			}
		rd_ompi_addrs_sort(views);
	}
	return rd_ompi_addrs_count(views, addr);
}

/* ---- public function ------------------------------------------------------------------------------------------- */

uint64_t rd_ompi_references(struct rd_ompi *o, enum mdl_handle_kind kind, uint64_t addr)
{
	struct rd_ompi_addrs *a = &o->objects->references[kind];

	if (!a->built) {
		a->built = true;
		acc_space_begin(o->sp);
		switch (kind) {
		case MDL_DATATYPE:
			count_types(o);
			break;
		case MDL_COMM:
			count_files(o, kind, F_ompi_file_t_f_comm);
			count_requests(o, kind);
			break;
		default:
			if (kind == MDL_ERRHANDLER)
				count_files(o, kind, F_ompi_file_t_error_handler);
			else if (kind == MDL_GROUP)
				count_failed(o);
			count_comms(o, kind);
			count_windows(o, kind);
			break;
		}
		acc_space_end(o->sp);
		rd_ompi_addrs_sort(a);
	}
	return rd_ompi_addrs_count(a, addr);
}
