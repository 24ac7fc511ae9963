/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The types of MPICH 3.4 to 5.0, device ch4, that readers/mpich reads, as rows (layouts/rows.h). make_release_pack
 * compiles this against a configured source tree. The pack calls members by the names of 4.0, whatever structure they
 * stand in; MPIR_Object_alloc_t.next is the link of a free object, which stands in the object.
 */
#include <mpidimpl.h>
#include <mpir_topo.h>

#include <adio.h>

#include "../rows.h"

/* The place of the request inside UCX: since 4.2 in a structure of its own. */
#ifdef HAVE_CH4_NETMOD_UCX
#if MPICH_NUMVERSION >= 40200000
#define UCP_REQUEST dev.ch4.netmod.ucx.s.ucp_request
#else
#define UCP_REQUEST dev.ch4.netmod.ucx.ucp_request
#endif
#endif

/* Source and tag of a receive that ch4 matches itself: since 4.3 in its status. */
#if MPICH_NUMVERSION >= 40300000
#define AM_SOURCE status.MPI_SOURCE
#define AM_TAG    status.MPI_TAG
#else
#define AM_SOURCE dev.ch4.am.u.recv.source
#define AM_TAG    dev.ch4.am.u.recv.tag
#endif

static void objects(void)
{
	ROW_TYPE(MPIR_Handle_common, sizeof(MPIR_Handle_common));
	ROW_FIELD(MPIR_Handle_common, handle, MPIR_Handle_common, handle);
	ROW_FIELD(MPIR_Handle_common, ref_count, MPIR_Handle_common, ref_count);
	ROW_TYPE(MPIR_Group, sizeof(MPIR_Group));
	ROW_FIELD(MPIR_Group, size, MPIR_Group, size);
	ROW_FIELD(MPIR_Group, rank, MPIR_Group, rank);
#if MPICH_NUMVERSION >= 50000000
	ROW_FIELD(MPIR_Group, use_map, MPIR_Group, pmap.use_map);
	ROW_FIELD(MPIR_Group, map, MPIR_Group, pmap.u.map);
	ROW_FIELD(MPIR_Group, offset, MPIR_Group, pmap.u.stride.offset);
	ROW_FIELD(MPIR_Group, stride, MPIR_Group, pmap.u.stride.stride);
#else
	ROW_FIELD(MPIR_Group, lrank_to_lpid, MPIR_Group, lrank_to_lpid);
	ROW_TYPE(MPII_Group_pmap_t, sizeof(MPII_Group_pmap_t)); /* one entry of it */
#if MPICH_NUMVERSION >= 40000000
	ROW_FIELD(MPII_Group_pmap_t, lpid, MPII_Group_pmap_t, lpid);
#else
	ROW_FIELD(MPII_Group_pmap_t, int_lpid, MPII_Group_pmap_t, lpid);
#endif
#endif
	ROW_TYPE(MPIR_Datatype, sizeof(MPIR_Datatype));
	ROW_FIELD(MPIR_Datatype, size, MPIR_Datatype, size);
	ROW_FIELD(MPIR_Datatype, extent, MPIR_Datatype, extent);
	ROW_FIELD(MPIR_Datatype, lb, MPIR_Datatype, lb);
	ROW_FIELD(MPIR_Datatype, true_lb, MPIR_Datatype, true_lb);
	ROW_FIELD(MPIR_Datatype, true_ub, MPIR_Datatype, true_ub);
	ROW_FIELD(MPIR_Datatype, attributes, MPIR_Datatype, attributes);
	ROW_FIELD(MPIR_Datatype, name, MPIR_Datatype, name);
	ROW_FIELD(MPIR_Datatype, is_committed, MPIR_Datatype, is_committed);
	ROW_FIELD(MPIR_Datatype, contents, MPIR_Datatype, contents);
	ROW_TYPE(MPIR_Datatype_contents, sizeof(MPIR_Datatype_contents)); /* the arguments follow */
	ROW_FIELD(MPIR_Datatype_contents, combiner, MPIR_Datatype_contents, combiner);
#if MPICH_NUMVERSION >= 40000000
	ROW_FIELD(MPIR_Datatype_contents, nr_ints, MPIR_Datatype_contents, nr_ints);
	ROW_FIELD(MPIR_Datatype_contents, nr_aints, MPIR_Datatype_contents, nr_aints);
	ROW_FIELD(MPIR_Datatype_contents, nr_counts, MPIR_Datatype_contents, nr_counts);
	ROW_FIELD(MPIR_Datatype_contents, nr_types, MPIR_Datatype_contents, nr_types);
#else
	ROW_FIELD(MPIR_Datatype_contents, int_nr_ints, MPIR_Datatype_contents, nr_ints);
	ROW_FIELD(MPIR_Datatype_contents, int_nr_aints, MPIR_Datatype_contents, nr_aints);
	ROW_FIELD(MPIR_Datatype_contents, int_nr_types, MPIR_Datatype_contents, nr_types);
#endif
	ROW_TYPE(MPIR_Errhandler, sizeof(MPIR_Errhandler));
	ROW_FIELD(MPIR_Errhandler, kind, MPIR_Errhandler, kind);
	ROW_FIELD(MPIR_Errhandler, errfn, MPIR_Errhandler, errfn);
	ROW_FIELD(MPIR_Errhandler, language, MPIR_Errhandler, language);
	ROW_TYPE(MPIR_Op, sizeof(MPIR_Op));
	ROW_FIELD(MPIR_Op, kind, MPIR_Op, kind);
	ROW_FIELD(MPIR_Op, function, MPIR_Op, function);
#if MPICH_NUMVERSION >= 40300000
	ROW_FIELD(MPIR_Op, is_commute, MPIR_Op, is_commute);
#else
	ROW_FIELD(MPIR_Op, language, MPIR_Op, language);
#endif
	ROW_TYPE(MPIR_Info, sizeof(MPIR_Info));
#if MPICH_NUMVERSION >= 40100000
	ROW_FIELD(MPIR_Info, entries, MPIR_Info, entries);
	ROW_FIELD(MPIR_Info, size, MPIR_Info, size);
#else
	ROW_FIELD(MPIR_Info, next, MPIR_Info, next);
	ROW_FIELD(MPIR_Info, key, MPIR_Info, key);
	ROW_FIELD(MPIR_Info, value, MPIR_Info, value);
#endif
}

/* ROMIO's open file, and sessions. */
static void files(void)
{
	ROW_TYPE(ADIOI_FileD, ROW_END(ADIOI_FileD, is_external32));
	ROW_FIELD(ADIOI_FileD, cookie, ADIOI_FileD, cookie);
	ROW_FIELD(ADIOI_FileD, comm, ADIOI_FileD, comm);
	ROW_FIELD(ADIOI_FileD, is_open, ADIOI_FileD, is_open);
	ROW_FIELD(ADIOI_FileD, filename, ADIOI_FileD, filename);
	ROW_FIELD(ADIOI_FileD, orig_access_mode, ADIOI_FileD, orig_access_mode);
	ROW_FIELD(ADIOI_FileD, disp, ADIOI_FileD, disp);
	ROW_FIELD(ADIOI_FileD, etype, ADIOI_FileD, etype);
	ROW_FIELD(ADIOI_FileD, filetype, ADIOI_FileD, filetype);
	ROW_FIELD(ADIOI_FileD, info, ADIOI_FileD, info);
	ROW_FIELD(ADIOI_FileD, shared_fp_fd, ADIOI_FileD, shared_fp_fd);
	ROW_FIELD(ADIOI_FileD, atomicity, ADIOI_FileD, atomicity);
	ROW_FIELD(ADIOI_FileD, fortran_handle, ADIOI_FileD, fortran_handle);
	ROW_FIELD(ADIOI_FileD, err_handler, ADIOI_FileD, err_handler);
	ROW_FIELD(ADIOI_FileD, is_external32, ADIOI_FileD, is_external32);
#if MPICH_NUMVERSION >= 40000000
	ROW_TYPE(MPIR_Session, sizeof(MPIR_Session));
	ROW_FIELD(MPIR_Session, errhandler, MPIR_Session, errhandler);
#endif
}

/* What ch4 matches itself, and the queues for debuggers. */
static void messages(void)
{
#if MPICH_NUMVERSION >= 40000000
	ROW_FIELD(MPIR_Request, next, MPIR_Request, next);
	ROW_FIELD(MPIR_Request, am_source, MPIR_Request, AM_SOURCE);
	ROW_FIELD(MPIR_Request, am_tag, MPIR_Request, AM_TAG);
#if MPICH_NUMVERSION >= 50000000
	ROW_FIELD(MPIR_Request, am_wide_context_id, MPIR_Request, dev.ch4.am.u.recv.context_id);
	ROW_FIELD(MPIR_Comm, num_external, MPIR_Comm, num_external);
#else
	ROW_FIELD(MPIR_Request, am_context_id, MPIR_Request, dev.ch4.am.u.recv.context_id);
#endif
	ROW_FIELD(MPIR_Request, am_buffer, MPIR_Request, dev.ch4.am.buffer);
	ROW_FIELD(MPIR_Request, am_count, MPIR_Request, dev.ch4.am.count);
	ROW_FIELD(MPIR_Request, am_datatype, MPIR_Request, dev.ch4.am.datatype);
	ROW_FIELD(MPIR_Request, am_ext, MPIR_Request, dev.ch4.am.req);
#if MPICH_NUMVERSION >= 40100000
	ROW_FIELD(MPIR_Request, dev_type, MPIR_Request, dev.type);
#endif
	ROW_TYPE(MPIDIG_req_ext_t, sizeof(MPIDIG_req_ext_t));
	ROW_FIELD(MPIDIG_req_ext_t, status, MPIDIG_req_ext_t, status);
	ROW_FIELD(MPIDIG_req_ext_t, match_req, MPIDIG_req_ext_t, rreq.match_req);
#endif
#ifndef MPIDI_CH4_DIRECT_NETMOD
	ROW_FIELD(MPIR_Request, is_local, MPIR_Request, dev.is_local);
	ROW_FIELD(MPIR_Request, anysrc_partner, MPIR_Request, dev.anysrc_partner);
#endif
#if defined(HAVE_DEBUGGER_SUPPORT) && MPICH_NUMVERSION >= 40100000
	ROW_TYPE(MPIR_Debugq, sizeof(MPIR_Debugq));
	ROW_FIELD(MPIR_Debugq, req, MPIR_Debugq, req);
	ROW_FIELD(MPIR_Debugq, tag, MPIR_Debugq, tag);
	ROW_FIELD(MPIR_Debugq, rank, MPIR_Debugq, rank);
	ROW_FIELD(MPIR_Debugq, context_id, MPIR_Debugq, context_id);
	ROW_FIELD(MPIR_Debugq, buf, MPIR_Debugq, buf);
	ROW_FIELD(MPIR_Debugq, count, MPIR_Debugq, count);
	ROW_FIELD(MPIR_Debugq, next, MPIR_Debugq, next);
#endif
}

static void windows(void)
{
	ROW_TYPE(MPIR_Win, sizeof(MPIR_Win));
	ROW_FIELD(MPIR_Win, errhandler, MPIR_Win, errhandler);
	ROW_FIELD(MPIR_Win, base, MPIR_Win, base);
	ROW_FIELD(MPIR_Win, size, MPIR_Win, size);
	ROW_FIELD(MPIR_Win, disp_unit, MPIR_Win, disp_unit);
	ROW_FIELD(MPIR_Win, attributes, MPIR_Win, attributes);
	ROW_FIELD(MPIR_Win, comm_ptr, MPIR_Win, comm_ptr);
	ROW_FIELD(MPIR_Win, name, MPIR_Win, name);
	ROW_FIELD(MPIR_Win, create_flavor, MPIR_Win, create_flavor);
	ROW_FIELD(MPIR_Win, model, MPIR_Win, model);
	ROW_FIELD(MPIR_Win, access_epoch_type, MPIR_Win, dev.am.sync.access_epoch_type);
	ROW_FIELD(MPIR_Win, exposure_epoch_type, MPIR_Win, dev.am.sync.exposure_epoch_type);
	ROW_FIELD(MPIR_Win, start_group, MPIR_Win, dev.am.sync.sc.group);
	ROW_FIELD(MPIR_Win, post_group, MPIR_Win, dev.am.sync.pw.group);
	ROW_FIELD(MPIR_Win, lock_count, MPIR_Win, dev.am.sync.lock.count);
	ROW_FIELD(MPIR_Win, targets, MPIR_Win, dev.am.targets);
	ROW_TYPE(MPIDIG_win_target_t, sizeof(MPIDIG_win_target_t));
	ROW_FIELD(MPIDIG_win_target_t, access_epoch_type, MPIDIG_win_target_t, sync.access_epoch_type);
	ROW_FIELD(MPIDIG_win_target_t, rank, MPIDIG_win_target_t, rank);
	ROW_FIELD(MPIDIG_win_target_t, next, MPIDIG_win_target_t, hash_handle.next);
}

static void attributes(void)
{
	ROW_FIELD(MPIR_Comm, local_group, MPIR_Comm, local_group);
	ROW_FIELD(MPIR_Comm, remote_group, MPIR_Comm, remote_group);
	ROW_FIELD(MPIR_Comm, attributes, MPIR_Comm, attributes);
	ROW_FIELD(MPIR_Comm, errhandler, MPIR_Comm, errhandler);
	ROW_TYPE(MPII_Keyval, sizeof(MPII_Keyval));
	ROW_FIELD(MPII_Keyval, kind, MPII_Keyval, kind);
	ROW_FIELD(MPII_Keyval, was_freed, MPII_Keyval, was_freed);
	ROW_FIELD(MPII_Keyval, extra_state, MPII_Keyval, extra_state);
	ROW_FIELD(MPII_Keyval, copy_function, MPII_Keyval, copyfn.user_function);
	ROW_FIELD(MPII_Keyval, delete_function, MPII_Keyval, delfn.user_function);
	ROW_TYPE(MPIR_Attribute, sizeof(MPIR_Attribute));
	ROW_FIELD(MPIR_Attribute, keyval, MPIR_Attribute, keyval);
	ROW_FIELD(MPIR_Attribute, next, MPIR_Attribute, next);
	ROW_FIELD(MPIR_Attribute, attrType, MPIR_Attribute, attrType);
	ROW_FIELD(MPIR_Attribute, value, MPIR_Attribute, value);
	ROW_TYPE(MPIR_Topology, sizeof(MPIR_Topology));
	ROW_FIELD(MPIR_Topology, kind, MPIR_Topology, kind);
	ROW_FIELD(MPIR_Topology, nnodes, MPIR_Topology, topo.graph.nnodes);
	ROW_FIELD(MPIR_Topology, nedges, MPIR_Topology, topo.graph.nedges);
	ROW_FIELD(MPIR_Topology, index, MPIR_Topology, topo.graph.index);
	ROW_FIELD(MPIR_Topology, edges, MPIR_Topology, topo.graph.edges);
	ROW_FIELD(MPIR_Topology, ndims, MPIR_Topology, topo.cart.ndims);
	ROW_FIELD(MPIR_Topology, dims, MPIR_Topology, topo.cart.dims);
	ROW_FIELD(MPIR_Topology, periodic, MPIR_Topology, topo.cart.periodic);
	ROW_FIELD(MPIR_Topology, position, MPIR_Topology, topo.cart.position);
	ROW_FIELD(MPIR_Topology, indegree, MPIR_Topology, topo.dist_graph.indegree);
	ROW_FIELD(MPIR_Topology, in, MPIR_Topology, topo.dist_graph.in);
	ROW_FIELD(MPIR_Topology, in_weights, MPIR_Topology, topo.dist_graph.in_weights);
	ROW_FIELD(MPIR_Topology, outdegree, MPIR_Topology, topo.dist_graph.outdegree);
	ROW_FIELD(MPIR_Topology, out, MPIR_Topology, topo.dist_graph.out);
	ROW_FIELD(MPIR_Topology, out_weights, MPIR_Topology, topo.dist_graph.out_weights);
	ROW_FIELD(MPIR_Topology, is_weighted, MPIR_Topology, topo.dist_graph.is_weighted);
}

void mpidbg_rows(void);
void mpidbg_rows(void)
{
	ROW_TYPE(MPIR_Object_alloc_t, sizeof(MPIR_Object_alloc_t));
	ROW_FIELD(MPIR_Object_alloc_t, avail, MPIR_Object_alloc_t, avail);
	ROW_FIELD(MPIR_Object_alloc_t, initialized, MPIR_Object_alloc_t, initialized);
	ROW_FIELD(MPIR_Object_alloc_t, indirect, MPIR_Object_alloc_t, indirect);
	ROW_FIELD(MPIR_Object_alloc_t, indirect_size, MPIR_Object_alloc_t, indirect_size);
#if MPICH_NUMVERSION >= 40000000
	ROW_FIELD(MPIR_Object_alloc_t, num_allocated, MPIR_Object_alloc_t, num_allocated);
	ROW_FIELD(MPIR_Object_alloc_t, num_avail, MPIR_Object_alloc_t, num_avail);
#endif
	ROW_FIELD(MPIR_Object_alloc_t, kind, MPIR_Object_alloc_t, kind);
	ROW_FIELD(MPIR_Object_alloc_t, size, MPIR_Object_alloc_t, size);
	ROW_FIELD(MPIR_Object_alloc_t, direct, MPIR_Object_alloc_t, direct);
	ROW_FIELD(MPIR_Object_alloc_t, direct_size, MPIR_Object_alloc_t, direct_size);
	ROW_FIELD(MPIR_Object_alloc_t, next, MPIR_Handle_common, next);

	ROW_TYPE(MPIR_Comm, sizeof(MPIR_Comm));
	ROW_FIELD(MPIR_Comm, handle, MPIR_Comm, handle);
	ROW_FIELD(MPIR_Comm, ref_count, MPIR_Comm, ref_count);
#if MPICH_NUMVERSION >= 50000000
	ROW_FIELD(MPIR_Comm, wide_context_id, MPIR_Comm, context_id);
	ROW_FIELD(MPIR_Comm, wide_recvcontext_id, MPIR_Comm, recvcontext_id);
	ROW_FIELD(MPIR_Comm, attr, MPIR_Comm, attr);
#else
	ROW_FIELD(MPIR_Comm, context_id, MPIR_Comm, context_id);
	ROW_FIELD(MPIR_Comm, recvcontext_id, MPIR_Comm, recvcontext_id);
	ROW_FIELD(MPIR_Comm, hierarchy_kind, MPIR_Comm, hierarchy_kind);
#endif
	ROW_FIELD(MPIR_Comm, remote_size, MPIR_Comm, remote_size);
	ROW_FIELD(MPIR_Comm, rank, MPIR_Comm, rank);
	ROW_FIELD(MPIR_Comm, local_size, MPIR_Comm, local_size);
	ROW_FIELD(MPIR_Comm, comm_kind, MPIR_Comm, comm_kind);
	ROW_FIELD(MPIR_Comm, name, MPIR_Comm, name);
	ROW_FIELD(MPIR_Comm, local_comm, MPIR_Comm, local_comm);
	ROW_FIELD(MPIR_Comm, node_comm, MPIR_Comm, node_comm);
	ROW_FIELD(MPIR_Comm, node_roots_comm, MPIR_Comm, node_roots_comm);
#if MPICH_NUMVERSION < 50000000
	ROW_FIELD(MPIR_Comm, map, MPIR_Comm, dev.ch4.map);
	ROW_FIELD(MPIR_Comm, local_map, MPIR_Comm, dev.ch4.local_map);
	ROW_TYPE(MPIDI_rank_map_t, sizeof(MPIDI_rank_map_t));
	ROW_FIELD(MPIDI_rank_map_t, mode, MPIDI_rank_map_t, mode);
	ROW_FIELD(MPIDI_rank_map_t, avtid, MPIDI_rank_map_t, avtid);
	ROW_FIELD(MPIDI_rank_map_t, size, MPIDI_rank_map_t, size);
	ROW_FIELD(MPIDI_rank_map_t, offset, MPIDI_rank_map_t, reg.stride.offset);
	ROW_FIELD(MPIDI_rank_map_t, stride, MPIDI_rank_map_t, reg.stride.stride);
	ROW_FIELD(MPIDI_rank_map_t, blocksize, MPIDI_rank_map_t, reg.stride.blocksize);
	ROW_FIELD(MPIDI_rank_map_t, table, MPIDI_rank_map_t, irreg.lut.lpid);
	ROW_TYPE(MPIDI_rank_map_mlut_t, sizeof(MPIDI_gpid_t)); /* one entry of it */
	ROW_FIELD(MPIDI_rank_map_mlut_t, avtid, MPIDI_gpid_t, avtid);
	ROW_FIELD(MPIDI_rank_map_mlut_t, lpid, MPIDI_gpid_t, lpid);
#endif
	ROW_TYPE(MPIDI_av_table_t, sizeof(MPIDI_av_table_t));
	ROW_FIELD(MPIDI_av_table_t, size, MPIDI_av_table_t, size);
#ifdef HAVE_CH4_NETMOD_UCX
	ROW_TYPE(MPIDI_av_entry_t, sizeof(MPIDI_av_entry_t));
	ROW_FIELD(MPIDI_av_entry_t, dest, MPIDI_av_entry_t, netmod.ucx.dest[0][0]);
#endif

	ROW_TYPE(MPIR_Request, sizeof(MPIR_Request));
	ROW_FIELD(MPIR_Request, handle, MPIR_Request, handle);
	ROW_FIELD(MPIR_Request, ref_count, MPIR_Request, ref_count);
	ROW_FIELD(MPIR_Request, kind, MPIR_Request, kind);
	ROW_FIELD(MPIR_Request, cc_ptr, MPIR_Request, cc_ptr);
	ROW_FIELD(MPIR_Request, comm, MPIR_Request, comm);
	ROW_FIELD(MPIR_Request, real_request, MPIR_Request, u.persist.real_request);
#ifdef HAVE_CH4_NETMOD_UCX
	ROW_FIELD(MPIR_Request, ucp_request, MPIR_Request, UCP_REQUEST);
#endif
#if MPICH_NUMVERSION >= 40000000
	ROW_FIELD(MPIR_Request, self_buf, MPIR_Request, dev.ch4.self.buf);
	ROW_FIELD(MPIR_Request, self_count, MPIR_Request, dev.ch4.self.count);
	ROW_FIELD(MPIR_Request, self_datatype, MPIR_Request, dev.ch4.self.datatype);
	ROW_FIELD(MPIR_Request, self_tag, MPIR_Request, dev.ch4.self.tag);
	ROW_FIELD(MPIR_Request, self_context_id, MPIR_Request, dev.ch4.self.context_id);
	ROW_FIELD(MPIR_Request, part_active, MPIR_Request, u.part.active_flag);
#endif
#if MPICH_NUMVERSION >= 40100000
	ROW_FIELD(MPIR_Request, enqueue_stream, MPIR_Request, u.enqueue.stream_ptr);
#endif
#if defined(HAVE_CH4_NETMOD_UCX) && MPICH_NUMVERSION >= 40200000
	ROW_FIELD(MPIR_Request, ucx_type, MPIR_Request, dev.ch4.netmod.ucx.s.type);
	ROW_FIELD(MPIR_Request, ucx_user_buf, MPIR_Request, dev.ch4.netmod.ucx.s.u.pack.user_buf);
#endif

	ROW_FIELD(MPIR_Request, preq_type, MPIR_Request, dev.ch4.preq.p_type);
	ROW_FIELD(MPIR_Request, preq_buffer, MPIR_Request, dev.ch4.preq.buffer);
	ROW_FIELD(MPIR_Request, preq_count, MPIR_Request, dev.ch4.preq.count);
	ROW_FIELD(MPIR_Request, preq_rank, MPIR_Request, dev.ch4.preq.rank);
	ROW_FIELD(MPIR_Request, preq_tag, MPIR_Request, dev.ch4.preq.tag);
	ROW_FIELD(MPIR_Request, preq_datatype, MPIR_Request, dev.ch4.preq.datatype);

	files();
	messages();
	objects();
	windows();
	attributes();
}
