/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The types of MPICH 4.0 and 4.2, device ch4:ucx, that readers/mpich reads, as rows (layouts/rows.h). make_release_pack
 * compiles this against a configured source tree. The pack calls members by the names of 4.0, whatever structure they
 * stand in; MPIR_Object_alloc_t.next is the link of a free object, which stands in the object.
 */
#include <mpidimpl.h>

#include "../rows.h"

/* The place of the request inside UCX: since 4.1 in a structure of its own. */
#if MPICH_NUMVERSION >= 40100000
#define UCP_REQUEST dev.ch4.netmod.ucx.s.ucp_request
#else
#define UCP_REQUEST dev.ch4.netmod.ucx.ucp_request
#endif

void mpidbg_rows(void);
void mpidbg_rows(void)
{
	ROW_TYPE(MPIR_Object_alloc_t, sizeof(MPIR_Object_alloc_t));
	ROW_FIELD(MPIR_Object_alloc_t, avail, MPIR_Object_alloc_t, avail);
	ROW_FIELD(MPIR_Object_alloc_t, initialized, MPIR_Object_alloc_t, initialized);
	ROW_FIELD(MPIR_Object_alloc_t, indirect, MPIR_Object_alloc_t, indirect);
	ROW_FIELD(MPIR_Object_alloc_t, indirect_size, MPIR_Object_alloc_t, indirect_size);
	ROW_FIELD(MPIR_Object_alloc_t, num_allocated, MPIR_Object_alloc_t, num_allocated);
	ROW_FIELD(MPIR_Object_alloc_t, num_avail, MPIR_Object_alloc_t, num_avail);
	ROW_FIELD(MPIR_Object_alloc_t, kind, MPIR_Object_alloc_t, kind);
	ROW_FIELD(MPIR_Object_alloc_t, size, MPIR_Object_alloc_t, size);
	ROW_FIELD(MPIR_Object_alloc_t, direct, MPIR_Object_alloc_t, direct);
	ROW_FIELD(MPIR_Object_alloc_t, direct_size, MPIR_Object_alloc_t, direct_size);
	ROW_FIELD(MPIR_Object_alloc_t, next, MPIR_Handle_common, next);

	ROW_TYPE(MPIR_Comm, sizeof(MPIR_Comm));
	ROW_FIELD(MPIR_Comm, handle, MPIR_Comm, handle);
	ROW_FIELD(MPIR_Comm, ref_count, MPIR_Comm, ref_count);
	ROW_FIELD(MPIR_Comm, context_id, MPIR_Comm, context_id);
	ROW_FIELD(MPIR_Comm, recvcontext_id, MPIR_Comm, recvcontext_id);
	ROW_FIELD(MPIR_Comm, remote_size, MPIR_Comm, remote_size);
	ROW_FIELD(MPIR_Comm, rank, MPIR_Comm, rank);
	ROW_FIELD(MPIR_Comm, local_size, MPIR_Comm, local_size);
	ROW_FIELD(MPIR_Comm, comm_kind, MPIR_Comm, comm_kind);
	ROW_FIELD(MPIR_Comm, name, MPIR_Comm, name);
	ROW_FIELD(MPIR_Comm, local_comm, MPIR_Comm, local_comm);
	ROW_FIELD(MPIR_Comm, hierarchy_kind, MPIR_Comm, hierarchy_kind);
	ROW_FIELD(MPIR_Comm, node_comm, MPIR_Comm, node_comm);
	ROW_FIELD(MPIR_Comm, node_roots_comm, MPIR_Comm, node_roots_comm);
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
	ROW_TYPE(MPIDI_av_table_t, sizeof(MPIDI_av_table_t));
	ROW_FIELD(MPIDI_av_table_t, size, MPIDI_av_table_t, size);
	ROW_TYPE(MPIDI_av_entry_t, sizeof(MPIDI_av_entry_t));
	ROW_FIELD(MPIDI_av_entry_t, dest, MPIDI_av_entry_t, netmod.ucx.dest[0][0]);

	ROW_TYPE(MPIR_Request, sizeof(MPIR_Request));
	ROW_FIELD(MPIR_Request, handle, MPIR_Request, handle);
	ROW_FIELD(MPIR_Request, ref_count, MPIR_Request, ref_count);
	ROW_FIELD(MPIR_Request, kind, MPIR_Request, kind);
	ROW_FIELD(MPIR_Request, cc_ptr, MPIR_Request, cc_ptr);
	ROW_FIELD(MPIR_Request, comm, MPIR_Request, comm);
	ROW_FIELD(MPIR_Request, real_request, MPIR_Request, u.persist.real_request);
	ROW_FIELD(MPIR_Request, ucp_request, MPIR_Request, UCP_REQUEST);
	ROW_FIELD(MPIR_Request, self_buf, MPIR_Request, dev.ch4.self.buf);
	ROW_FIELD(MPIR_Request, self_count, MPIR_Request, dev.ch4.self.count);
	ROW_FIELD(MPIR_Request, self_datatype, MPIR_Request, dev.ch4.self.datatype);
	ROW_FIELD(MPIR_Request, self_tag, MPIR_Request, dev.ch4.self.tag);
	ROW_FIELD(MPIR_Request, self_context_id, MPIR_Request, dev.ch4.self.context_id);
#if MPICH_NUMVERSION >= 40100000
	ROW_FIELD(MPIR_Request, enqueue_stream, MPIR_Request, u.enqueue.stream_ptr);
	ROW_FIELD(MPIR_Request, ucx_type, MPIR_Request, dev.ch4.netmod.ucx.s.type);
	ROW_FIELD(MPIR_Request, ucx_user_buf, MPIR_Request, dev.ch4.netmod.ucx.s.u.pack.user_buf);
#endif

	ROW_TYPE(MPIR_Win, sizeof(MPIR_Win));
	ROW_FIELD(MPIR_Win, comm_ptr, MPIR_Win, comm_ptr);
	ROW_TYPE(MPIR_Datatype, sizeof(MPIR_Datatype));
	ROW_TYPE(MPIR_Group, sizeof(MPIR_Group));
}
