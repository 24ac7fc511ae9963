/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations inside UCX. The tag word (src/mpid/ch4/netmod/ucx/ucx_impl.h, with 16 bits for ranks): the context in bits
 * 48 to 63, the rank in bits 32 to 47, the tag below.
 */
#include "ops.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { RECEIVE_UNPACK = 1 /* MPIDI_UCX_reqtype */ };

/* What a receive is for. @return false: the mask is none that MPICH makes */
static bool set_wanted(struct rd_mpich *o, const struct rd_mpich_comm *c, uint64_t tag, uint64_t mask,
		       struct mdl_op *op)
{
	uint64_t ranks = mask >> 32 & UINT16_MAX, tags = mask & RD_MPICH_TAG_BITS;
	int64_t rank = (int64_t)(tag >> 32 & UINT16_MAX);

	if (mask >> 48 != UINT16_MAX || (ranks && ranks != UINT16_MAX) || (tags && tags != RD_MPICH_TAG_BITS))
		return false;
	op->tag = tags ? mdl_known((int64_t)(tag & RD_MPICH_TAG_BITS)) : mdl_any();
	if (!ranks) {
		op->peer = op->peer_world = mdl_any();
		return true;
	}
	if (c && rank >= rd_mpich_n_peers(c))
		return false;
	rd_mpich_set_peer(o, c, rank, op);
	return true;
}

static struct mdl_num buffer_of(const struct rd_ucx_request *u)
{
	return u->pieces ? mdl_unavailable("the data are in several pieces") : mdl_known((int64_t)u->buffer);
}

static bool is_live(struct rd_mpich *o, uint64_t request_addr)
{
	const struct rd_mpich_pool *pool = rd_mpich_pool(o, RD_MPICH_REQUEST);
	uint64_t slot;

	return pool && rd_mpich_slot_of(pool, request_addr, &slot) && !pool->is_free[slot];
}

/*
 * MPICH's request of a receive: MPICH passes it to UCX. 3.4 stores it in the part of UCX's request that UCX leaves to
 * its user (MPIDI_UCX_ucp_request_t, src/mpid/ch4/netmod/ucx/ucx_pre.h); it refers to UCX's request in turn.
 */
static uint64_t request_of(struct rd_mpich *o, uint64_t ucp_addr, const struct rd_ucx_request *u)
{
	struct acc_note note = o->sp->note;
	uint64_t addr, back;

	if (is_live(o, u->user_data) || !acc_layout_has(o->layout, F_MPIR_Request_ucp_request))
		return u->user_data;
	bool known = !acc_read_ptr(o->sp, ucp_addr, &addr) && is_live(o, addr) &&
		     !acc_read_ptr(o->sp, addr + o->layout->fields[F_MPIR_Request_ucp_request].offset, &back) &&
		     back == ucp_addr;
	o->sp->note = note;
	return known ? addr : u->user_data;
}

/* Where MPICH unpacks the data itself UCX has its buffer, not the program's. */
static struct mdl_num receive_buffer(struct rd_mpich *o, const struct rd_ucx_request *u)
{
	struct acc_note note = o->sp->note;
	struct acc_obj r;

	if (!acc_layout_has(o->layout, F_MPIR_Request_ucx_type) ||
	    !acc_layout_has(o->layout, F_MPIR_Request_ucx_user_buf))
		return buffer_of(u);
	if (!is_live(o, u->user_data))
		return mdl_unavailable("UCX's request names none of MPICH's");
	acc_obj_load(&r, o->sp, o->layout, T_MPIR_Request, u->user_data);
	uint64_t type = acc_get_u(&r, F_MPIR_Request_ucx_type);
	uint64_t buffer = acc_get_u(&r, F_MPIR_Request_ucx_user_buf);
	o->sp->note = note;
	if (r.rc)
		return mdl_unavailable("MPICH's request cannot be read");
	return type == RECEIVE_UNPACK ? mdl_known((int64_t)buffer) : buffer_of(u);
}

enum acc_rc rd_mpich_ucx_receive(struct rd_mpich *o, const struct rd_mpich_comm *c, uint64_t ucp_addr,
				 struct mdl_op *op)
{
	struct rd_ucx_request u;
	enum acc_rc rc = rd_ucx_receive(&o->ucx, ucp_addr, &u);

	if (rc)
		return rc;
	u.user_data = request_of(o, ucp_addr, &u);
	rd_mpich_op_start(c, MDL_RECEIVE, u.tag, op);
	if (!set_wanted(o, c, u.tag, u.mask, op) || u.bytes > INT64_MAX)
		return ACC_ECORRUPT;
	op->addr = ucp_addr;
	op->bytes = mdl_known((int64_t)u.bytes);
	op->buffer = receive_buffer(o, &u);
	op->sequence = mdl_known((int64_t)u.sequence);
	rd_mpich_name_request(o, u.user_data, op);
	return ACC_OK;
}

enum acc_rc rd_mpich_ucx_message(struct rd_mpich *o, const struct rd_mpich_comm *c, uint64_t addr, struct mdl_op *op)
{
	struct rd_ucx_message m;
	enum acc_rc rc = rd_ucx_message(&o->ucx, addr, &m);
	int64_t rank;

	if (rc)
		return rc;
	rd_mpich_op_start(c, MDL_MESSAGE, m.tag, op);
	rank = (int64_t)(m.tag >> 32 & UINT16_MAX);
	if (c && rank >= rd_mpich_n_peers(c))
		return ACC_ECORRUPT;
	rd_mpich_set_peer(o, c, rank, op);
	op->tag = mdl_known((int64_t)(m.tag & RD_MPICH_TAG_BITS));
	rd_ucx_set_message(&m, addr, op);
	return ACC_OK;
}

enum acc_rc rd_mpich_ucx_probe(struct rd_mpich *o, const struct rd_mpich_comm *c, const struct rd_probe *probe,
			       struct mdl_op *op)
{
	if (!rd_mpich_concerns(probe->tag, c->receive_context))
		return ACC_NONE;
	rd_mpich_op_start(c, probe->removes ? MDL_MPROBE : MDL_PROBE, probe->tag, op);
	if (op->internal || !set_wanted(o, c, probe->tag, probe->mask, op))
		return ACC_NONE;
	op->count = mdl_none();
	rd_ucx_set_probe(probe, op);
	return ACC_OK;
}

/* MPIDI_UCX_addr_t begins with the endpoints from each virtual interface to each, as many as configure allows. */
static uint64_t vcis_max(const struct rd_mpich *o)
{
	uint64_t words = acc_layout_bytes(o->layout, T_MPIDI_av_entry_t) / o->sp->sizes.pointer_bytes, n = 1;

	while ((n + 1) * (n + 1) <= words)
		n++;
	return n;
}

static bool is_endpoint_of(struct rd_mpich *o, uint64_t entry_addr, uint64_t ep_addr)
{
	uint64_t max = vcis_max(o), n = o->ucx.n_workers < max ? o->ucx.n_workers : max, ep;

	for (uint64_t from = 0; from < n; from++)
		for (uint64_t to = 0; to < n; to++)
			if (!acc_read_ptr(o->sp, entry_addr + (from * max + to) * o->sp->sizes.pointer_bytes, &ep) &&
			    ep == ep_addr)
				return true;
	return false;
}

/* The rank whose endpoint it is. */
static void set_destination(struct rd_mpich *o, const struct rd_mpich_comm *c, uint64_t ep_addr, struct mdl_op *op)
{
	uint64_t step = acc_layout_bytes(o->layout, T_MPIDI_av_entry_t);
	int64_t world = -1;

	op->peer = op->peer_world = mdl_unavailable("the endpoint inside UCX is no rank's of MPI_COMM_WORLD");
	for (int64_t i = 0; o->peers_addr && i < o->n_processes && world < 0; i++)
		if (is_endpoint_of(o, o->peers_addr + (uint64_t)i * step, ep_addr))
			world = i;
	if (world < 0)
		return;
	op->peer_world = mdl_known(world);
	if (!c) {
		op->peer = mdl_unavailable("its communicator does not exist here");
		return;
	}
	for (int64_t i = 0; i < rd_mpich_n_peers(c); i++) {
		struct mdl_num w = rd_mpich_world_rank(o, c, i);

		if (w.known == MDL_KNOWN && w.value == world) {
			op->peer = mdl_known(i);
			return;
		}
	}
	op->peer = mdl_unavailable("the receiver is not found among the communicator's members");
}

enum acc_rc rd_mpich_ucx_send(struct rd_mpich *o, const struct rd_mpich_comm *c, const struct rd_mpich_request *r,
			      struct mdl_op *op)
{
	struct rd_ucx_request u;
	uint64_t ucp_addr;
	enum acc_rc rc = acc_read_ptr(o->sp, r->addr + o->layout->fields[F_MPIR_Request_ucp_request].offset, &ucp_addr);

	if (!rc)
		rc = rd_ucx_send(&o->ucx, ucp_addr, &u);
	if (rc)
		return rc;
	if (u.bytes > INT64_MAX)
		return ACC_ECORRUPT;
	rd_mpich_op_start(c, MDL_SEND, u.tag, op);
	op->mode = u.synchronous ? MDL_SYNCHRONOUS : MDL_MODE_UNKNOWN;
	op->tag = mdl_known((int64_t)(u.tag & RD_MPICH_TAG_BITS));
	op->bytes = mdl_known((int64_t)u.bytes);
	op->buffer = buffer_of(&u);
	set_destination(o, c, u.ep_addr, op);
	rd_mpich_name_request(o, r->addr, op);
	return ACC_OK;
}

/* A receive that is in no queue any more and not complete: its message has come, its data have not. */
enum acc_rc rd_mpich_ucx_matched(struct rd_mpich *o, const struct rd_mpich_comm *c, const struct rd_mpich_request *r,
				 struct mdl_op *op)
{
	struct rd_ucx_request u;
	uint64_t ucp_addr;
	enum acc_rc rc = acc_read_ptr(o->sp, r->addr + o->layout->fields[F_MPIR_Request_ucp_request].offset, &ucp_addr);

	if (!rc)
		rc = rd_ucx_receive(&o->ucx, ucp_addr, &u);
	if (rc)
		return rc;
	if (rd_ucx_is_posted(&o->ucx, ucp_addr, u.sequence))
		return ACC_NONE;
	rc = rd_mpich_ucx_receive(o, c, ucp_addr, op);
	if (rc)
		return rc;
	int64_t rank = (int64_t)(u.matched_tag >> 32 & UINT16_MAX);
	if (!rd_mpich_concerns(u.matched_tag, c->receive_context) || rank >= rd_mpich_n_peers(c) ||
	    u.matched_bytes > INT64_MAX)
		return ACC_ECORRUPT;
	op->status = MDL_MATCHED;
	op->sequence = mdl_none();
	op->actual_peer = mdl_known(rank);
	op->actual_peer_world = rd_mpich_world_rank(o, c, rank);
	op->actual_tag = mdl_known((int64_t)(u.matched_tag & RD_MPICH_TAG_BITS));
	op->actual_bytes = mdl_known((int64_t)u.matched_bytes);
	return ACC_OK;
}
