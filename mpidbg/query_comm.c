/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg_comm_query(): from the registry, or else from the library's own memory.
 */
#include "query.h"

#include "referrers.h"

#include "../mqs/callbacks.h"

#include <limits.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* ---- from the registry -------------------------------------------------------------------------------- */

static unsigned bits(const struct mdl_handle *h)
{
	static const unsigned topologies[] = {
		[MDL_TOPO_NONE] = 0,
		[MDL_TOPO_CART] = MPIDBG_COMM_INFO_CARTESIAN,
		[MDL_TOPO_GRAPH] = MPIDBG_COMM_INFO_GRAPH,
		[MDL_TOPO_DIST_GRAPH] = MPIDBG_COMM_INFO_DIST_GRAPH,
	};

	return (h->predefined ? MPIDBG_COMM_INFO_PREDEFINED : 0u) | topologies[h->comm.topology] |
	       (h->comm.remote_size.known == MDL_KNOWN ? MPIDBG_COMM_INFO_INTERCOMM : 0u) |
	       (h->life != MDL_LIVE ? MPIDBG_COMM_INFO_FREED_HANDLE : 0u) |
	       (h->life == MDL_EARLIER ? MPIDBG_COMM_INFO_FREED_OBJECT : 0u) |
	       (!strcmp(h->name, "MPI_COMM_NULL") ? MPIDBG_COMM_INFO_COMM_NULL : 0u);
}

static void fill_topology(struct rd_track *t, enum acc_rc *rc, const struct mdl_handle_comm *c,
			  struct mpidbg_comm_info_t *info)
{
	int n;

	switch (c->topology) {
	case MDL_TOPO_CART:
		info->comm_cart_dims = mpidbg_fill_ints(t, rc, &c->dims, &info->comm_cart_num_dims);
		info->comm_cart_periods = mpidbg_fill_bytes(t, rc, &c->periods, 4, &n);
		if (!*rc && n != info->comm_cart_num_dims)
			*rc = ACC_ECORRUPT;
		info->comm_cart_coords = mpidbg_fill_ints(t, rc, &c->coords, &n);
		if (!*rc && n && n != info->comm_cart_num_dims)
			*rc = ACC_ECORRUPT;
		break;
	case MDL_TOPO_GRAPH:
		info->comm_graph_index = mpidbg_fill_ints(t, rc, &c->dims, &info->comm_graph_num_nodes);
		info->comm_graph_edges = mpidbg_fill_ints(t, rc, &c->periods, &n);
		/* debuggers use the last index as the number of edges */
		if (!*rc && info->comm_graph_num_nodes && info->comm_graph_index[info->comm_graph_num_nodes - 1] != n)
			*rc = ACC_ECORRUPT;
		break;
	case MDL_TOPO_DIST_GRAPH:
		info->comm_sources = mpidbg_fill_ints(t, rc, &c->dims, &info->comm_num_sources);
		info->comm_destinations = mpidbg_fill_ints(t, rc, &c->periods, &info->comm_num_destinations);
		if (!mpidbg_known(c->weighted, 0))
			break;
		info->comm_source_weights = mpidbg_fill_ints(t, rc, &c->coords, &n);
		if (!*rc && n != info->comm_num_sources)
			*rc = ACC_ECORRUPT;
		info->comm_destination_weights = mpidbg_fill_ints(t, rc, &c->weights, &n);
		if (!*rc && n != info->comm_num_destinations)
			*rc = ACC_ECORRUPT;
		break;
	default:
		break;
	}
}

static enum acc_rc fill_tracked(struct rd_track *t, const struct mdl_handle *h, struct mpidbg_comm_info_t *info)
{
	const struct mdl_handle_comm *c = &h->comm;
	enum acc_rc rc = ACC_OK;

	mpidbg_copy_name(info->comm_name, h->name);
	info->comm_bitflags = (enum mpidbg_comm_info_bitmap_t)bits(h);
	info->comm_rank = mpidbg_known_int(c->rank, -1);
	info->comm_size = mpidbg_known_int(c->size, -1);
	info->comm_local_procs = mpidbg_fill_procs(t, &rc, &c->members, &info->comm_num_local_procs);
	if (c->members_identity)
		info->comm_local_procs = mpidbg_fill_identity(&rc, info->comm_size, &info->comm_num_local_procs);
	info->comm_remote_procs = mpidbg_fill_procs(t, &rc, &c->remote_members, &info->comm_num_remote_procs);
	if (c->remote_members_identity)
		info->comm_remote_procs = mpidbg_fill_identity(&rc, mpidbg_known_int(c->remote_size, 0),
							       &info->comm_num_remote_procs);
	fill_topology(t, &rc, c, info);
	info->comm_c_handle = h->handle;
	info->comm_fortran_handle = mpidbg_fortran(h);
	info->comm_attrs = mpidbg_fill_attributes(t, &rc, &c->attributes, &info->comm_num_attrs);
	info->comm_pending_requests = mpidbg_fill_list(t, &rc, h, 0, &info->comm_num_pending_requests);
	info->comm_derived_windows = mpidbg_fill_list(t, &rc, h, 1, &info->comm_num_derived_windows);
	info->comm_derived_files = mpidbg_fill_list(t, &rc, h, 2, &info->comm_num_derived_files);
	info->comm_calls = mpidbg_fill_calls(t, &rc, h, &info->comm_num_calls);
	mpidbg_fill_object(&info->comm_object, h);
	info->comm_errhandler = (mqs_taddr_t)mpidbg_known(c->errhandler, 0);
	info->comm_info = mpidbg_referred_handle(t, MDL_INFO, c->info, c->info_id);
	info->comm_group = mpidbg_referred_handle(t, MDL_GROUP, c->group, c->group_id);
	info->comm_remote_group = mpidbg_referred_handle(t, MDL_GROUP, c->remote_group, c->remote_group_id);
	info->comm_world_rank = h->null ? -1 : mpidbg_known_int(rd_track_library(t)->world_rank, -1);
	info->comm_made_of = mpidbg_known(c->from_group_id, 0);
	return rc;
}

/* ---- from the library's memory ------------------------------------------------------------------------- */

static struct mpidbg_process_t *native_procs(struct _mqs_process_info *p, enum acc_rc *rc, const struct mdl_comm *comm,
					     bool remote, int *n)
{
	enum { BLOCK = 256 };
	struct mdl_member block[BLOCK];
	int64_t size = remote ? comm->remote_size : comm->size;
	struct mpidbg_process_t *v;

	*n = 0;
	if (size < 0 || size > INT_MAX)
		return NULL;
	v = mpidbg_query_array(rc, (uint64_t)size, sizeof(*v));
	for (int64_t i = 0, k; v && i < size; i += k) {
		k = size - i < BLOCK ? size - i : BLOCK;
		*rc = rd_comm_members(p->reader, comm, remote, (uint64_t)i, (uint64_t)k, block);
		if (*rc) {
			mqs_callbacks_release(v);
			return NULL;
		}
		for (int64_t j = 0; j < k; j++)
			v[i + j].mpi_comm_world_rank = block[j].known && block[j].own_world ? (int)block[j].world_rank
											    : -1;
	}
	*n = v ? (int)size : 0;
	return v;
}

static int *copy_ints(enum acc_rc *rc, const int32_t *from, int64_t n)
{
	int *v = from && n > 0 ? mpidbg_query_array(rc, (uint64_t)n, sizeof(*v)) : NULL;

	for (int64_t i = 0; v && i < n; i++)
		v[i] = from[i];
	return v;
}

static void native_topology(struct _mqs_process_info *p, enum acc_rc *rc, const struct mdl_comm *comm,
			    struct mpidbg_comm_info_t *info)
{
	struct mdl_topology topology = { .kind = MDL_TOPO_NONE };
	unsigned flags = info->comm_bitflags;

	if (*rc || comm->topology == MDL_TOPO_NONE)
		return;
	*rc = rd_comm_topology(p->reader, comm, &topology);
	if (*rc)
		return;
	if (topology.reorder)
		flags |= MPIDBG_COMM_INFO_TOPO_REORDERED;
	if (topology.kind == MDL_TOPO_CART) {
		flags |= MPIDBG_COMM_INFO_CARTESIAN;
		info->comm_cart_num_dims = (int)topology.n_dims;
		info->comm_cart_dims = copy_ints(rc, topology.dims, topology.n_dims);
		info->comm_cart_coords = copy_ints(rc, topology.coords, topology.n_dims);
		info->comm_cart_periods = mpidbg_query_array(rc, (uint64_t)topology.n_dims, sizeof(int8_t));
		for (int64_t i = 0; info->comm_cart_periods && i < topology.n_dims; i++)
			info->comm_cart_periods[i] = topology.periods[i] != 0;
	} else if (topology.kind == MDL_TOPO_GRAPH) {
		flags |= MPIDBG_COMM_INFO_GRAPH;
		info->comm_graph_num_nodes = (int)topology.n_nodes;
		info->comm_graph_index = copy_ints(rc, topology.index, topology.n_nodes);
		info->comm_graph_edges = copy_ints(rc, topology.edges, topology.n_edges);
	} else {
		flags |= MPIDBG_COMM_INFO_DIST_GRAPH;
		info->comm_num_sources = (int)topology.n_in;
		info->comm_num_destinations = (int)topology.n_out;
		info->comm_sources = copy_ints(rc, topology.in, topology.n_in);
		info->comm_destinations = copy_ints(rc, topology.out, topology.n_out);
		info->comm_source_weights = copy_ints(rc, topology.in_weights, topology.n_in);
		info->comm_destination_weights = copy_ints(rc, topology.out_weights, topology.n_out);
	}
	info->comm_bitflags = (enum mpidbg_comm_info_bitmap_t)flags;
	rd_comm_topology_free(p->reader, &topology);
}

static enum acc_rc fill_native(struct _mqs_process_info *p, const struct mdl_comm *comm,
			       struct mpidbg_comm_info_t *info)
{
	struct mdl_handle h = { .kind = MDL_COMM, .handle = comm->handle, .predefined = comm->predefined };
	enum acc_rc rc = ACC_OK;

	mpidbg_copy_name(h.name, comm->name);
	h.fortran = comm->fortran;
	mpidbg_copy_name(info->comm_name, comm->name);
	info->comm_bitflags = (enum mpidbg_comm_info_bitmap_t)((comm->predefined ? MPIDBG_COMM_INFO_PREDEFINED : 0u) |
							       (comm->inter ? MPIDBG_COMM_INFO_INTERCOMM : 0u));
	info->comm_rank = (int)comm->rank;
	info->comm_size = (int)comm->size;
	info->comm_local_procs = native_procs(p, &rc, comm, false, &info->comm_num_local_procs);
	if (comm->inter)
		info->comm_remote_procs = native_procs(p, &rc, comm, true, &info->comm_num_remote_procs);
	native_topology(p, &rc, comm, info);
	info->comm_c_handle = comm->handle;
	info->comm_fortran_handle = mpidbg_known_int(comm->fortran, MPIDBG_ERR_UNAVAILABLE);
	info->comm_num_pending_requests = info->comm_num_derived_windows = info->comm_num_derived_files =
		MPIDBG_ERR_NOT_SUPPORTED;
	mpidbg_fill_object(&info->comm_object, &h);
	info->comm_world_rank = mpidbg_known_int(rd_library(p->reader)->world_rank, -1);
	return rc;
}

static enum acc_rc native_comm(struct _mqs_process_info *p, mqs_taddr_t handle, struct mdl_comm *ret)
{
	enum acc_rc rc = mqs_state_update(p);

	if (rc)
		return rc;
	/* the debugger may pass any number: accept only handles of existing communicators */
	struct rd_comm_iter it;
	rc = rd_comm_first(p->reader, true, &it);
	while (!rc && !(rc = rd_comm_next(&it, ret)))
		if (ret->handle == handle)
			return ACC_OK;
	return rc;
}

/* ---- public functions -------------------------------------------------------------------------------- */

static enum acc_rc query(struct _mqs_process_info *p, mqs_taddr_t handle, struct mpidbg_comm_info_t **ret)
{
	enum acc_rc rc;
	struct mdl_handle h;
	struct mdl_comm comm;

	rc = p->track ? rd_track_find(p->track, MDL_COMM, handle, &h) : native_comm(p, handle, &comm);
	if (rc)
		return rc;
	struct mpidbg_comm_info_t *info = mpidbg_query_array(&rc, 1, sizeof(*info));
	if (!info)
		return rc;
	rc = p->track ? fill_tracked(p->track, &h, info) : fill_native(p, &comm, info);
	if (rc) {
		mpidbg_free_info(MPIDBG_COMM, info);
		return rc;
	}
	*ret = info;
	return ACC_OK;
}

int mpidbg_comm_query(mqs_image *image, mqs_image_info *image_info, mqs_process *process,
		      mqs_process_info *process_info, mqs_taddr_t c_comm, struct mpidbg_comm_info_t **info)
{
	struct _mqs_process_info *p;

	(void)image, (void)image_info, (void)process_info;
	if (!info)
		return MPIDBG_ERR_OUT_OF_RANGE;
	int code = mpidbg_query_begin(process, false, &p);
	return code ? code : mpidbg_query_end(p, query(p, c_comm, info), "no communicator has this handle");
}
