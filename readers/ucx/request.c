/* SPDX-License-Identifier: BSD-3-Clause */
/* Load a request or a message of UCX by its address. */
#include "ucx.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

struct mdl_op rd_ucx_op(enum mdl_op_kind kind)
{
	return (struct mdl_op){
		.kind = kind,
		.active = true,
		.peer = mdl_none(),
		.peer_world = mdl_none(),
		.tag = mdl_none(),
		.bytes = mdl_none(),
		.count = mdl_none(),
		.datatype_handle = mdl_none(),
		.buffer = mdl_none(),
		.actual_peer = mdl_none(),
		.actual_peer_world = mdl_none(),
		.actual_tag = mdl_none(),
		.actual_bytes = mdl_none(),
		.request = mdl_unavailable("a message has no request"),
		.fortran = mdl_unavailable("a message has no request"),
		.sequence = mdl_none(),
		.sender_request = mdl_none(),
		.caller = mdl_none(),
		.origin = "ucx",
	};
}

enum {                                          /* as in UCX 1.10 to 1.23: */
       REQUEST_SYNC = 1 << 4 | 1 << 5 | 1 << 8, /* ucp_request_t.flags */
       DESC_EAGER = 0x2,                        /* ucp_recv_desc_t.flags */
       DESC_EAGER_ONLY = 0x4,
       DESC_EAGER_SYNC = 0x8,
       DESC_RNDV = 0x40,
       CLASS_IOV = 2,   /* ucp_dt_class_t */
       OP_TAG_SYNC = 1, /* ucp_operation_id_t: tagged sends, then synchronous ones */
       OP_BITS = 15,
};

/* The user's pointer to a request points to its end. */
static uint64_t base_of(const struct rd_ucx *u, uint64_t addr)
{
	return addr - acc_layout_bytes(&u->layout, U_ucp_request_t);
}

bool rd_ucx_is_request(struct rd_ucx *u, uint64_t addr)
{
	uint64_t pool_addr;

	/* src/ucs/datastruct/mpool.h: the word before an element in use is the address of the pool */
	if (!acc_plausible(u->sp, addr, 8) ||
	    acc_read_ptr(u->sp, base_of(u, addr) - u->sp->sizes.pointer_bytes, &pool_addr))
		return false;
	for (unsigned i = 0; i < u->n_workers; i++)
		if (pool_addr == u->worker_addr[i] + rd_ucx_offset(u, UF_ucp_worker_t_req_mp))
			return true;
	return false;
}

static enum acc_rc load_request(struct rd_ucx *u, uint64_t addr, struct acc_obj *ret)
{
	struct acc_note note = u->sp->note;

	if (!acc_plausible(u->sp, addr, 8))
		return ACC_ECORRUPT;
	acc_obj_load(ret, u->sp, &u->layout, U_ucp_request_t, base_of(u, addr));
	u->sp->note = note;
	return ret->rc;
}

enum acc_rc rd_ucx_receive(struct rd_ucx *u, uint64_t addr, struct rd_ucx_request *ret)
{
	struct acc_obj o;
	enum acc_rc rc = load_request(u, addr, &o);

	if (rc)
		return rc;
	uint64_t worker_addr = acc_get_u(&o, UF_ucp_request_t_recv_worker);
	uint64_t flags = acc_get_u(&o, UF_ucp_request_t_flags);
	*ret = (struct rd_ucx_request){
		.addr = addr,
		.user_data = acc_get_u(&o, UF_ucp_request_t_user_data),
		.buffer = acc_get_u(&o, UF_ucp_request_t_recv_buffer),
		.bytes = acc_get_u(&o, UF_ucp_request_t_recv_length),
		.tag = acc_get_u(&o, UF_ucp_request_t_recv_tag),
		.mask = acc_get_u(&o, UF_ucp_request_t_recv_tag_mask),
		.sequence = acc_get_u(&o, UF_ucp_request_t_recv_sn),
		.pieces = acc_layout_has(&u->layout, UF_ucp_request_t_recv_class) &&
			  acc_get_u(&o, UF_ucp_request_t_recv_class) == CLASS_IOV,
		.matched_tag = acc_get_u(&o, UF_ucp_request_t_recv_info_tag),
		.matched_bytes = acc_get_u(&o, UF_ucp_request_t_recv_info_length),
		.released = flags & RD_UCX_RELEASED,
		.offloaded = flags & RD_UCX_OFFLOADED,
		.next = acc_get_u(&o, UF_ucp_request_t_recv_queue),
	};
	if (o.rc)
		return o.rc;
	if (!(flags & RD_UCX_RECV_TAG))
		return ACC_ECORRUPT;
	for (unsigned i = 0; i < u->n_workers; i++)
		if (worker_addr == u->worker_addr[i])
			return ACC_OK;
	return ACC_ECORRUPT;
}

/* Of a send with the newer protocols: the ucp_operation_id_t
 * for which its protocol was selected. @return false: unknown */
static bool rd_ucx_operation(const struct rd_ucx *u, uint64_t config_addr, uint64_t *ret)
{
	uint64_t op;

	if (!acc_plausible(u->sp, config_addr, 8) ||
	    acc_read_u(u->sp, config_addr + rd_ucx_offset(u, UF_ucp_proto_config_t_select_op), 1, &op))
		return false;
	*ret = op & OP_BITS;
	return true;
}

/* Was the protocol of the send selected for a synchronous send? The flags are set only after its data were sent. */
static bool is_synchronous(struct rd_ucx *u, uint64_t config_addr)
{
	uint64_t op;

	return rd_ucx_operation(u, config_addr, &op) && op == OP_TAG_SYNC;
}

enum acc_rc rd_ucx_send(struct rd_ucx *u, uint64_t addr, struct rd_ucx_request *ret)
{
	struct acc_obj o;
	enum acc_rc rc = load_request(u, addr, &o);

	if (rc)
		return rc;
	uint64_t flags = acc_get_u(&o, UF_ucp_request_t_flags);
	bool newer = flags & RD_UCX_PROTO_SEND;

	*ret = (struct rd_ucx_request){
		.addr = addr,
		.user_data = acc_get_u(&o, UF_ucp_request_t_user_data),
		.buffer = acc_get_u(&o, newer ? UF_ucp_request_t_send_iter_buffer : UF_ucp_request_t_send_buffer),
		.bytes = acc_get_u(&o, newer ? UF_ucp_request_t_send_iter_length : UF_ucp_request_t_send_length),
		.pieces = newer && acc_get_u(&o, UF_ucp_request_t_send_iter_class) == CLASS_IOV,
		.tag = acc_get_u(&o, UF_ucp_request_t_send_tag),
		.ep_addr = acc_get_u(&o, UF_ucp_request_t_send_ep),
		.synchronous = flags & REQUEST_SYNC ||
			       (newer && is_synchronous(u, acc_get_u(&o, UF_ucp_request_t_send_config))),
		.released = flags & RD_UCX_RELEASED,
	};
	if (o.rc)
		return o.rc;
	return rd_ucx_is_ep(u, ret->ep_addr) ? ACC_OK : ACC_ECORRUPT;
}

enum acc_rc rd_ucx_message(struct rd_ucx *u, uint64_t addr, struct rd_ucx_message *ret)
{
	struct acc_note note = u->sp->note;
	struct acc_obj o;
	uint64_t head = addr + acc_layout_bytes(&u->layout, U_ucp_recv_desc_t);

	acc_obj_load(&o, u->sp, &u->layout, U_ucp_recv_desc_t, addr);
	uint64_t length = acc_get_u(&o, UF_ucp_recv_desc_t_length);
	uint64_t payload = acc_get_u(&o, UF_ucp_recv_desc_t_payload_offset);
	uint64_t flags = acc_get_u(&o, UF_ucp_recv_desc_t_flags);
	struct rd_ucx_message m = { .addr = addr, .data_addr = head + payload, .synchronous = flags & DESC_EAGER_SYNC };
	u->sp->note = note;
	enum acc_rc rc = o.rc ? o.rc : acc_read_u(u->sp, head, 8, &m.tag);
	if (rc)
		return rc;
	if (!(flags & DESC_EAGER) == !(flags & DESC_RNDV) || payload > length)
		return ACC_ECORRUPT;
	if (flags & DESC_RNDV) {
		m.protocol = MDL_RENDEZVOUS;
		m.data_addr = 0;
		rc = acc_read_u(u->sp, head + rd_ucx_offset(u, UF_ucp_rndv_rts_hdr_t_size), u->sp->sizes.size_bytes,
				&m.bytes);
	} else {
		m.protocol = MDL_EAGER;
		m.bytes = length - payload;
		if (!(flags & DESC_EAGER_ONLY))
			rc = acc_read_u(u->sp, head + rd_ucx_offset(u, UF_ucp_eager_first_hdr_t_total_len),
					u->sp->sizes.size_bytes, &m.bytes);
	}
	if (rc || m.bytes > INT64_MAX)
		return rc ? rc : ACC_ECORRUPT;
	*ret = m;
	return ACC_OK;
}

enum rd_ucx_kind rd_ucx_kind_of(struct rd_ucx *u, uint64_t addr, uint64_t flags)
{
	uint64_t config_addr, op;

	if (flags & RD_UCX_RECV_TAG)
		return flags & RD_UCX_NO_RECEIVE ? RD_UCX_OTHER : RD_UCX_RECEIVE;
	if (flags & RD_UCX_NO_SEND)
		return RD_UCX_OTHER;
	if (!(flags & RD_UCX_PROTO_SEND))
		return flags & RD_UCX_SEND_TAG ? RD_UCX_SEND : RD_UCX_OTHER;
	/* With the newer protocols a send is converted to another
	 * operation, and its tag overwritten, when the receiver answers. */
	if (acc_read_ptr(u->sp, base_of(u, addr) + rd_ucx_offset(u, UF_ucp_request_t_send_config), &config_addr) ||
	    !rd_ucx_operation(u, config_addr, &op) || op > OP_TAG_SYNC)
		return RD_UCX_OTHER;
	return RD_UCX_SEND;
}

enum rd_ucx_kind rd_ucx_what(struct rd_ucx *u, uint64_t addr, bool *complete)
{
	uint64_t flags;

	if (!rd_ucx_is_request(u, addr) ||
	    acc_read_u(u->sp, base_of(u, addr) + rd_ucx_offset(u, UF_ucp_request_t_flags), 4, &flags))
		return RD_UCX_OTHER;
	*complete = flags & RD_UCX_COMPLETED;
	return rd_ucx_kind_of(u, addr, flags);
}

enum acc_rc rd_ucx_look(struct rd_ucx *u, uint64_t addr, enum rd_ucx_kind kind, struct rd_ucx_found *ret)
{
	struct rd_ucx_request r;
	enum acc_rc rc = kind == RD_UCX_SEND ? rd_ucx_send(u, addr, &r) : rd_ucx_receive(u, addr, &r);

	if (rc)
		return rc;
	*ret = (struct rd_ucx_found){
		.addr = addr,
		.tag = r.tag,
		.next = r.next,
		.sequence = r.sequence,
		.kind = (uint8_t)kind,
		.exact = r.mask == UINT64_MAX,
		.offloaded = r.offloaded,
	};
	return ACC_OK;
}

void rd_ucx_set_probe(const struct rd_probe *probe, struct mdl_op *op)
{
	op->addr = probe->info_addr;
	op->request = op->fortran = mdl_unavailable("a probe has no request");
}

void rd_ucx_set_message(const struct rd_ucx_message *m, uint64_t addr, struct mdl_op *op)
{
	op->bytes = mdl_known((int64_t)m->bytes);
	op->protocol = m->protocol;
	op->system_buffer = true;
	op->buffer = m->data_addr ? mdl_known((int64_t)m->data_addr)
				  : mdl_unavailable("its data are still with the sender");
	op->addr = addr;
}
