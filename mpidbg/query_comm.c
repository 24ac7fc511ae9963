/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Facts about a communicator for mpidbg_comm_query().
 */
#include "library_name.h"
#include "query_members.h"

#include "referrers.h"

#include <stdio.h>
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
	       (h->null ? MPIDBG_COMM_INFO_COMM_NULL : 0u);
}

static void fill_topology(struct mpidbg_fill *f, const struct mdl_handle_comm *c, struct mpidbg_comm_info_t *info)
{
	const uint64_t bit = MPIDBG_COMM_UNKNOWN_TOPOLOGY;
	int n;

	switch (c->topology) {
	case MDL_TOPO_CART:
		info->comm_cart_dims = mpidbg_fill_ints(f, bit, &c->dims, &info->comm_cart_num_dims);
		info->comm_cart_periods = mpidbg_fill_bytes(f, bit, &c->periods, 4, &n);
		if (!f->rc && n != info->comm_cart_num_dims)
			f->rc = ACC_ECORRUPT;
		info->comm_cart_coords = mpidbg_fill_ints(f, bit, &c->coords, &n);
		if (!f->rc && n && n != info->comm_cart_num_dims)
			f->rc = ACC_ECORRUPT;
		break;
	case MDL_TOPO_GRAPH:
		info->comm_graph_index = mpidbg_fill_ints(f, bit, &c->dims, &info->comm_graph_num_nodes);
		info->comm_graph_edges = mpidbg_fill_ints(f, bit, &c->periods, &n);
		/* debuggers use the last index as the number of edges */
		if (!f->rc && info->comm_graph_num_nodes && info->comm_graph_index[info->comm_graph_num_nodes - 1] != n)
			f->rc = ACC_ECORRUPT;
		break;
	case MDL_TOPO_DIST_GRAPH:
		info->comm_sources = mpidbg_fill_ints(f, bit, &c->dims, &info->comm_num_sources);
		info->comm_destinations = mpidbg_fill_ints(f, bit, &c->periods, &info->comm_num_destinations);
		if (!mpidbg_known(c->weighted, 0))
			break;
		info->comm_source_weights = mpidbg_fill_ints(f, bit, &c->coords, &n);
		if (!f->rc && n != info->comm_num_sources)
			f->rc = ACC_ECORRUPT;
		info->comm_destination_weights = mpidbg_fill_ints(f, bit, &c->weights, &n);
		if (!f->rc && n != info->comm_num_destinations)
			f->rc = ACC_ECORRUPT;
		break;
	default:
		break;
	}
}

static void fill_procs(struct mpidbg_fill *f, const struct mdl_handle *h, struct mpidbg_comm_info_t *info)
{
	struct mpidbg_member_list list;

	mpidbg_members_of(f->p, h, false, &list);
	f->unknown |= list.known ? 0 : MPIDBG_COMM_UNKNOWN_LOCAL_PROCS;
	mpidbg_fill_members(f, MPIDBG_COMM_UNKNOWN_LOCAL_PROCS, &list, &info->comm_num_local_procs,
			    &info->comm_local_procs, &info->comm_local_members);
	if (h->comm.remote_size.known == MDL_NOT_APPLICABLE)
		return;
	mpidbg_members_of(f->p, h, true, &list);
	f->unknown |= list.known ? 0 : MPIDBG_COMM_UNKNOWN_REMOTE_PROCS;
	mpidbg_fill_members(f, MPIDBG_COMM_UNKNOWN_REMOTE_PROCS, &list, &info->comm_num_remote_procs,
			    &info->comm_remote_procs, &info->comm_remote_members);
}

/* ---- from the library's memory, if only communicators are read --------------------------------------------------- */

static int *copy_ints(enum acc_rc *rc, const int32_t *from, int64_t n)
{
	int *v = from && n > 0 ? mpidbg_query_array(rc, (uint64_t)n, sizeof(*v)) : NULL;

	for (int64_t i = 0; v && i < n; i++)
		v[i] = from[i];
	return v;
}

static void native_topology(struct mpidbg_fill *f, const struct mdl_comm *comm, struct mpidbg_comm_info_t *info)
{
	struct mdl_topology topology = { .kind = MDL_TOPO_NONE };
	unsigned flags = info->comm_bitflags;

	if (f->rc || comm->topology == MDL_TOPO_NONE)
		return;
	f->rc = rd_comm_topology(f->p->reader, comm, &topology);
	if (f->rc)
		return;
	if (topology.reorder)
		flags |= MPIDBG_COMM_INFO_TOPO_REORDERED;
	if (topology.kind == MDL_TOPO_CART) {
		flags |= MPIDBG_COMM_INFO_CARTESIAN;
		info->comm_cart_num_dims = (int)topology.n_dims;
		info->comm_cart_dims = copy_ints(&f->rc, topology.dims, topology.n_dims);
		info->comm_cart_coords = copy_ints(&f->rc, topology.coords, topology.n_dims);
		info->comm_cart_periods = mpidbg_query_array(&f->rc, (uint64_t)topology.n_dims, sizeof(int8_t));
		for (int64_t i = 0; info->comm_cart_periods && i < topology.n_dims; i++)
			info->comm_cart_periods[i] = topology.periods[i] != 0;
	} else if (topology.kind == MDL_TOPO_GRAPH) {
		flags |= MPIDBG_COMM_INFO_GRAPH;
		info->comm_graph_num_nodes = (int)topology.n_nodes;
		info->comm_graph_index = copy_ints(&f->rc, topology.index, topology.n_nodes);
		info->comm_graph_edges = copy_ints(&f->rc, topology.edges, topology.n_edges);
	} else {
		flags |= MPIDBG_COMM_INFO_DIST_GRAPH;
		info->comm_num_sources = (int)topology.n_in;
		info->comm_num_destinations = (int)topology.n_out;
		info->comm_sources = copy_ints(&f->rc, topology.in, topology.n_in);
		info->comm_destinations = copy_ints(&f->rc, topology.out, topology.n_out);
		info->comm_source_weights = copy_ints(&f->rc, topology.in_weights, topology.n_in);
		info->comm_destination_weights = copy_ints(&f->rc, topology.out_weights, topology.n_out);
	}
	info->comm_bitflags = (enum mpidbg_comm_info_bitmap_t)flags;
	rd_comm_topology_free(f->p->reader, &topology);
}

static enum acc_rc fill_native(struct mpidbg_fill *f, const struct mdl_comm *comm, struct mpidbg_comm_info_t *info)
{
	static const uint64_t not_read = MPIDBG_COMM_UNKNOWN_ATTRS | MPIDBG_COMM_UNKNOWN_REQUESTS |
					 MPIDBG_COMM_UNKNOWN_WINDOWS | MPIDBG_COMM_UNKNOWN_FILES |
					 MPIDBG_COMM_UNKNOWN_ERRHANDLER | MPIDBG_COMM_UNKNOWN_INFO |
					 MPIDBG_COMM_UNKNOWN_GROUP | MPIDBG_COMM_UNKNOWN_REMOTE_GROUP |
					 MPIDBG_COMM_UNKNOWN_MADE_OF | MPIDBG_COMM_UNKNOWN_CALLS |
					 MPIDBG_COMM_UNKNOWN_SPLIT | MPIDBG_UNKNOWN_FREED;
	struct mdl_handle h = { .kind = MDL_COMM, .handle = comm->handle, .predefined = comm->predefined };
	struct mpidbg_member_list list;

	snprintf(h.name, sizeof(h.name), "%s", comm->name);
	h.fortran = comm->fortran;
	mpidbg_copy_name(info->comm_name, comm->name);
	info->comm_bitflags = (enum mpidbg_comm_info_bitmap_t)((comm->predefined ? MPIDBG_COMM_INFO_PREDEFINED : 0u) |
							       (comm->inter ? MPIDBG_COMM_INFO_INTERCOMM : 0u));
	info->comm_rank = (int)comm->rank;
	info->comm_size = (int)comm->size;
	mpidbg_members_of_native(f->p, comm, false, &list);
	mpidbg_fill_members(f, MPIDBG_COMM_UNKNOWN_LOCAL_PROCS, &list, &info->comm_num_local_procs,
			    &info->comm_local_procs, &info->comm_local_members);
	mpidbg_members_of_native(f->p, comm, true, &list);
	mpidbg_fill_members(f, MPIDBG_COMM_UNKNOWN_REMOTE_PROCS, &list, &info->comm_num_remote_procs,
			    &info->comm_remote_procs, &info->comm_remote_members);
	native_topology(f, comm, info);
	info->comm_c_handle = comm->handle;
	info->comm_fortran_handle = mpidbg_known_int(comm->fortran, MPIDBG_ERR_UNAVAILABLE);
	info->comm_num_pending_requests = info->comm_num_derived_windows = info->comm_num_derived_files =
		MPIDBG_ERR_NOT_SUPPORTED;
	mpidbg_fill_object(f, &h, &info->comm_object);
	info->comm_world_rank = mpidbg_fill_int(f, MPIDBG_COMM_UNKNOWN_WORLD_RANK, rd_library(f->p->reader)->world_rank,
						-1);
	info->comm_unknown = f->unknown | not_read;
	return f->rc;
}

/* The debugger may pass any number: only handles of existing communicators are accepted. */
static enum acc_rc native_comm(struct _mqs_process_info *p, mqs_taddr_t handle, struct mdl_comm *ret)
{
	struct rd_comm_iter it;
	enum acc_rc rc = rd_comm_first(p->reader, true, &it);

	while (!rc && !(rc = rd_comm_next(&it, ret)))
		if (ret->handle == handle)
			return ACC_OK;
	return rc;
}

/* The communicator with this handle. */
static enum acc_rc find_native(struct _mqs_process_info *p, mqs_taddr_t handle, struct mdl_comm *ret)
{
	enum acc_rc rc = p->track ? ACC_OK : mqs_state_update(p);

	if (!rc && (rd_library(p->reader)->state == MDL_BEFORE_INIT || rd_library(p->reader)->state == MDL_FINALIZED))
		return mqs_state_fail(p, ACC_NONE, "MPI is not initialized yet, or finalized: it has no communicators");
	return rc ? rc : native_comm(p, handle, ret);
}

enum acc_rc mpidbg_query_native_comm(struct _mqs_process_info *p, mqs_taddr_t handle, struct mpidbg_comm_info_t **ret)
{
	struct mpidbg_fill f = { .p = p, .t = p->track };
	struct mdl_comm comm;
	enum acc_rc rc = find_native(p, handle, &comm);

	if (rc)
		return rc;
	struct mpidbg_comm_info_t *info = mpidbg_query_array(&f.rc, 1, sizeof(*info));
	if (!info)
		return f.rc;
	rc = fill_native(&f, &comm, info);
	if (rc)
		mpidbg_free_info(MPIDBG_COMM, info);
	else
		*ret = info;
	return rc;
}

enum acc_rc mpidbg_brief_native_comm(struct _mqs_process_info *p, mqs_taddr_t handle, struct mpidbg_comm_brief_t *ret)
{
	struct mdl_comm comm;
	enum acc_rc rc = find_native(p, handle, &comm);

	if (rc)
		return rc;
	mpidbg_copy_name(ret->comm_name, comm.name);
	ret->comm_rank = (int)comm.rank;
	ret->comm_size = (int)comm.size;
	return ACC_OK;
}

/* Objects do not have this one fact of a topology. */
static void mark_reordered(struct mpidbg_fill *f, const struct mdl_handle *h, struct mpidbg_comm_info_t *info)
{
	struct acc_note note = f->p->space.note;
	struct mdl_topology topology;
	struct mdl_comm comm;

	if (!rd_track_has_no_registry(f->t) || h->comm.topology == MDL_TOPO_NONE)
		return;
	if (!native_comm(f->p, h->handle, &comm) && !rd_comm_topology(f->p->reader, &comm, &topology)) {
		if (topology.reorder)
			info->comm_bitflags = (enum mpidbg_comm_info_bitmap_t)((unsigned)info->comm_bitflags |
									       MPIDBG_COMM_INFO_TOPO_REORDERED);
		rd_comm_topology_free(f->p->reader, &topology);
	}
	f->p->space.note = note;
}

/* ---- from the objects --------------------------------------------------------------------------------------- */

/* Of the object, if the program has a handle of it. */
static int64_t group_number(const struct mdl_handle *comm, bool remote, mqs_taddr_t handle, struct mdl_num id)
{
	if (comm->null)
		return 0;
	return handle && id.known == MDL_KNOWN ? id.value : mpidbg_group_of_comm(mpidbg_number_of(comm), remote);
}

void mpidbg_brief_comm(struct _mqs_process_info *p, const struct mdl_handle *h, struct mpidbg_comm_brief_t *ret)
{
	struct mdl_handle named = *h;

	if (!h->name[0] && mpidbg_library_names_open(p))
		mpidbg_library_name(p, &named);
	mpidbg_copy_name(ret->comm_name, named.name);
	ret->comm_rank = mpidbg_known_int(h->comm.rank, -1);
	ret->comm_size = mpidbg_known_int(h->comm.size, -1);
}

void mpidbg_fill_comm(struct mpidbg_fill *f, const struct mdl_handle *h, void *ret)
{
	struct mpidbg_comm_info_t *info = ret;
	const struct mdl_handle_comm *c = &h->comm;
	struct mdl_handle named = *h;

	if (!h->name[0] && mpidbg_library_names_open(f->p))
		mpidbg_library_name(f->p, &named);
	mpidbg_copy_name(info->comm_name, named.name);
	info->comm_bitflags = (enum mpidbg_comm_info_bitmap_t)bits(h);
	info->comm_rank = mpidbg_fill_int(f, MPIDBG_COMM_UNKNOWN_RANK, c->rank, -1);
	info->comm_size = mpidbg_fill_int(f, MPIDBG_COMM_UNKNOWN_SIZE, c->size, -1);
	fill_procs(f, h, info);
	fill_topology(f, c, info);
	info->comm_c_handle = h->handle;
	info->comm_fortran_handle = mpidbg_fortran(h);
	info->comm_attrs = mpidbg_fill_attributes(f, MPIDBG_COMM_UNKNOWN_ATTRS, &c->attributes, &info->comm_num_attrs);
	info->comm_pending_requests = mpidbg_fill_users(f, MPIDBG_COMM_UNKNOWN_REQUESTS, h, MDL_REQUEST,
							&info->comm_num_pending_requests);
	info->comm_derived_windows = mpidbg_fill_users(f, MPIDBG_COMM_UNKNOWN_WINDOWS, h, MDL_WIN,
						       &info->comm_num_derived_windows);
	info->comm_derived_files = mpidbg_fill_users(f, MPIDBG_COMM_UNKNOWN_FILES, h, MDL_FILE,
						     &info->comm_num_derived_files);
	/* in the way of version 1 */
	if (f->unknown & MPIDBG_COMM_UNKNOWN_REQUESTS)
		info->comm_num_pending_requests = MPIDBG_ERR_NOT_SUPPORTED;
	if (f->unknown & MPIDBG_COMM_UNKNOWN_WINDOWS)
		info->comm_num_derived_windows = MPIDBG_ERR_NOT_SUPPORTED;
	if (f->unknown & MPIDBG_COMM_UNKNOWN_FILES)
		info->comm_num_derived_files = MPIDBG_ERR_NOT_SUPPORTED;
	info->comm_calls = mpidbg_fill_calls(f, MPIDBG_COMM_UNKNOWN_CALLS, h, &info->comm_num_calls);
	mpidbg_fill_object(f, &named, &info->comm_object);
	info->comm_errhandler = mpidbg_fill_ref(f, MPIDBG_COMM_UNKNOWN_ERRHANDLER, c->errhandler);
	info->comm_info = mpidbg_fill_referred(f, MPIDBG_COMM_UNKNOWN_INFO, MDL_INFO, c->info, c->info_id);
	info->comm_group = mpidbg_fill_referred(f, MPIDBG_COMM_UNKNOWN_GROUP, MDL_GROUP, c->group, c->group_id);
	info->comm_remote_group = mpidbg_fill_referred(f, MPIDBG_COMM_UNKNOWN_REMOTE_GROUP, MDL_GROUP, c->remote_group,
						       c->remote_group_id);
	info->comm_world_rank = mpidbg_fill_int(f, MPIDBG_COMM_UNKNOWN_WORLD_RANK, rd_track_library(f->t)->world_rank,
						-1);
	info->comm_made_of = mpidbg_fill_num(f, MPIDBG_COMM_UNKNOWN_MADE_OF, c->from_group_id, 0);
	info->comm_is_split = c->color.known == MDL_KNOWN;
	info->comm_color = mpidbg_fill_int(f, MPIDBG_COMM_UNKNOWN_SPLIT, c->color, 0);
	info->comm_key = mpidbg_fill_int(f, MPIDBG_COMM_UNKNOWN_SPLIT, c->key, 0);
	if (h->null)
		info->comm_world_rank = -1;
	info->comm_group_number = group_number(h, false, info->comm_group, c->group_id);
	if (c->remote_size.known != MDL_NOT_APPLICABLE)
		info->comm_remote_group_number = group_number(h, true, info->comm_remote_group, c->remote_group_id);
	mark_reordered(f, h, info);
	info->comm_unknown = f->unknown;
}
