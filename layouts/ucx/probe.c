/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The types of UCX 1.10 to 1.23 that readers/ucx reads, as rows (layouts/rows.h). make_release_pack compiles this
 * against a configured source tree. The pack calls members by the names of 1.13, whatever structure they stand in; of
 * the worker, the endpoint and the header of a rendezvous only the part that is read is described.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include <ucp/core/ucp_ep.h>
#include <ucp/core/ucp_proxy_ep.h>
#include <ucp/core/ucp_request.h>
#include <ucp/core/ucp_worker.h>
#include <ucp/proto/proto_select.h>
#include <ucp/rndv/rndv.h>
#include <ucp/tag/eager.h>
#include <ucp/tag/tag_match.h>
#include <ucp/wireup/wireup_ep.h>
#include <ucs/datastruct/mpool.h>
#include <ucs/memory/memtype_cache.h>
#include <ucs/type/class.h>

#include "../rows.h"

/* make_release_pack defines RECV_ITERATOR and SELECT_OP: the purpose of a receive, and the name of the member. */

/* The size that the library keeps of a class. */
#define CLASS(type) ROW_WITNESS(type##_class, offsetof(ucs_class_t, size), sizeof(size_t), sizeof(type))

/* What follows the descriptor of a rendezvous: up to 1.10 (RTS_AFTER_TAG) a copy of the tag, and the
 * header without it. */
#ifdef RTS_AFTER_TAG
typedef struct {
	ucp_tag_t tag;
	ucp_rndv_rts_hdr_t header;
} UCS_S_PACKED rts_t;
#define RTS_SIZE header.size
#else
typedef ucp_rndv_rts_hdr_t rts_t;
#define RTS_SIZE size
#endif

void mpidbg_rows(void);
void mpidbg_rows(void)
{
	ROW_TYPE(ucs_queue_head_t, sizeof(ucs_queue_head_t));
	ROW_FIELD(ucs_queue_head_t, head, ucs_queue_head_t, head);
	ROW_FIELD(ucs_queue_head_t, ptail, ucs_queue_head_t, ptail);
	ROW_TYPE(ucp_request_queue_t, sizeof(ucp_request_queue_t));
	ROW_FIELD(ucp_request_queue_t, queue, ucp_request_queue_t, queue);
	ROW_FIELD(ucp_request_queue_t, sw_count, ucp_request_queue_t, sw_count);
	ROW_TYPE(ucs_list_link_t, sizeof(ucs_list_link_t));
	ROW_FIELD(ucs_list_link_t, prev, ucs_list_link_t, prev);
	ROW_FIELD(ucs_list_link_t, next, ucs_list_link_t, next);

	ROW_TYPE(ucs_mpool_t, sizeof(ucs_mpool_t));
	ROW_FIELD(ucs_mpool_t, data, ucs_mpool_t, data);
	ROW_TYPE(ucs_mpool_data_t, sizeof(ucs_mpool_data_t));
#ifdef MPOOL_UNSIGNED
	ROW_FIELD(ucs_mpool_data_t, elem_size_32, ucs_mpool_data_t, elem_size);
	ROW_FIELD(ucs_mpool_data_t, alignment_32, ucs_mpool_data_t, alignment);
#else
	ROW_FIELD(ucs_mpool_data_t, elem_size, ucs_mpool_data_t, elem_size);
	ROW_FIELD(ucs_mpool_data_t, alignment, ucs_mpool_data_t, alignment);
#endif
	ROW_FIELD(ucs_mpool_data_t, chunks, ucs_mpool_data_t, chunks);
	ROW_TYPE(ucs_mpool_chunk_t, sizeof(ucs_mpool_chunk_t));
	ROW_FIELD(ucs_mpool_chunk_t, next, ucs_mpool_chunk_t, next);
	ROW_FIELD(ucs_mpool_chunk_t, elems, ucs_mpool_chunk_t, elems);
	ROW_FIELD(ucs_mpool_chunk_t, num_elems, ucs_mpool_chunk_t, num_elems);

	ROW_TYPE(ucp_worker_t, ROW_END(ucp_worker_t, tm.unexpected.all));
	ROW_FIELD(ucp_worker_t, req_mp, ucp_worker_t, req_mp);
	ROW_FIELD(ucp_worker_t, expected_wildcard, ucp_worker_t, tm.expected.wildcard);
	ROW_FIELD(ucp_worker_t, expected_hash, ucp_worker_t, tm.expected.hash);
	ROW_FIELD(ucp_worker_t, expected_sn, ucp_worker_t, tm.expected.sn);
	ROW_FIELD(ucp_worker_t, unexpected_all, ucp_worker_t, tm.unexpected.all);
	ROW_TYPE(ucp_ep_t, ROW_END(ucp_ep_t, worker));
	ROW_FIELD(ucp_ep_t, worker, ucp_ep_t, worker);

	ROW_TYPE(ucp_request_t, sizeof(ucp_request_t));
	ROW_FIELD(ucp_request_t, flags, ucp_request_t, flags);
	ROW_FIELD(ucp_request_t, user_data, ucp_request_t, user_data);
	ROW_FIELD(ucp_request_t, recv_queue, ucp_request_t, recv.queue);
	ROW_FIELD(ucp_request_t, recv_worker, ucp_request_t, recv.worker);
	ROW_FIELD(ucp_request_t, recv_tag, ucp_request_t, recv.tag.tag);
	ROW_FIELD(ucp_request_t, recv_tag_mask, ucp_request_t, recv.tag.tag_mask);
	ROW_FIELD(ucp_request_t, recv_sn, ucp_request_t, recv.tag.sn);
	ROW_FIELD(ucp_request_t, recv_info_tag, ucp_request_t, recv.tag.info.sender_tag);
	ROW_FIELD(ucp_request_t, recv_info_length, ucp_request_t, recv.tag.info.length);
#ifdef RECV_ITERATOR
	ROW_FIELD(ucp_request_t, recv_class, ucp_request_t, recv.dt_iter.dt_class);
	ROW_FIELD(ucp_request_t, recv_buffer, ucp_request_t, recv.dt_iter.type.contig.buffer);
	ROW_FIELD(ucp_request_t, recv_length, ucp_request_t, recv.dt_iter.length);
#else
	ROW_FIELD(ucp_request_t, recv_buffer, ucp_request_t, recv.buffer);
	ROW_FIELD(ucp_request_t, recv_length, ucp_request_t, recv.length);
#endif
	ROW_FIELD(ucp_request_t, send_ep, ucp_request_t, send.ep);
	ROW_FIELD(ucp_request_t, send_buffer, ucp_request_t, send.buffer);
	ROW_FIELD(ucp_request_t, send_length, ucp_request_t, send.length);
	ROW_FIELD(ucp_request_t, send_tag, ucp_request_t, send.msg_proto.tag);
	ROW_FIELD(ucp_request_t, send_iter_class, ucp_request_t, send.state.dt_iter.dt_class);
	ROW_FIELD(ucp_request_t, send_iter_buffer, ucp_request_t, send.state.dt_iter.type.contig.buffer);
	ROW_FIELD(ucp_request_t, send_iter_length, ucp_request_t, send.state.dt_iter.length);
	ROW_FIELD(ucp_request_t, send_config, ucp_request_t, send.proto_config);
	ROW_TYPE(ucp_proto_config_t, ROW_END(ucp_proto_config_t, select_param));
	ROW_FIELD(ucp_proto_config_t, select_op, ucp_proto_config_t, select_param.SELECT_OP);

	ROW_TYPE(ucp_recv_desc_t, sizeof(ucp_recv_desc_t));
	ROW_FIELD(ucp_recv_desc_t, tag_list_all, ucp_recv_desc_t, tag_list[1]);
	ROW_FIELD(ucp_recv_desc_t, length, ucp_recv_desc_t, length);
	ROW_FIELD(ucp_recv_desc_t, payload_offset, ucp_recv_desc_t, payload_offset);
	ROW_FIELD(ucp_recv_desc_t, flags, ucp_recv_desc_t, flags);
	ROW_TYPE(ucp_eager_first_hdr_t, sizeof(ucp_eager_first_hdr_t));
	ROW_FIELD(ucp_eager_first_hdr_t, total_len, ucp_eager_first_hdr_t, total_len);
	ROW_TYPE(ucp_rndv_rts_hdr_t, ROW_END(rts_t, RTS_SIZE));
	ROW_FIELD(ucp_rndv_rts_hdr_t, size, rts_t, RTS_SIZE);

	CLASS(ucp_proxy_ep_t);
	CLASS(ucp_wireup_ep_t);
	CLASS(ucs_memtype_cache_t);
}
