/* SPDX-License-Identifier: BSD-3-Clause */
/* The operation of a request. */
#include "ops.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

static void collective(struct rd_mpich *o, const struct rd_mpich_comm *c, const struct rd_mpich_request *r,
		       struct mdl_op *op)
{
	static const char why[] = "MPICH does not record it";

	rd_mpich_op_start(c, MDL_COLLECTIVE, 0, op);
	op->origin = "mpich";
	op->count = mdl_unavailable(why);
	rd_mpich_name_request(o, r->addr, op);
}

/* Is there no communicator of a request's operation? */
static bool is_orphan(const struct rd_mpich *o, const struct rd_mpich_request *r)
{
	for (uint64_t i = 0; i < o->n_comms; i++) {
		const struct rd_mpich_comm *c = &o->comms[i];

		if (rd_mpich_concerns(r->key, r->kind == RD_MPICH_SEND ? c->context : c->receive_context))
			return false;
	}
	return true;
}

enum acc_rc rd_mpich_orphan_op(struct rd_mpich *o, enum mdl_op_class op_class, const struct rd_mpich_request *r,
			       struct mdl_op *op)
{
	uint64_t ucp_addr, kind = op_class == MDL_SENDS ? RD_MPICH_SEND : RD_MPICH_RECV;

	if (r->kind != kind || r->where == RD_MPICH_ARRIVED || !is_orphan(o, r))
		return ACC_NONE;
	/* a collective keeps its communicator */
	if (r->where != RD_MPICH_IN_UCX || rd_mpich_context_of(r->key) & RD_MPICH_CONTEXT_COLLECTIVE ||
	    !rd_mpich_is_released(o, (uint32_t)rd_mpich_context_of(r->key)))
		return ACC_ECORRUPT;
	if (kind == RD_MPICH_SEND)
		return rd_mpich_ucx_send(o, NULL, r, op);
	enum acc_rc rc = acc_read_ptr(o->sp, r->addr + o->layout->fields[F_MPIR_Request_ucp_request].offset, &ucp_addr);
	return rc ? rc : rd_mpich_ucx_receive(o, NULL, ucp_addr, op);
}

/* @return ACC_NONE: not of this class or communicator */
enum acc_rc rd_mpich_request_op(struct rd_mpich *o, enum mdl_op_class op_class, const struct rd_mpich_comm *c,
				const struct rd_mpich_request *r, struct mdl_op *op)
{
	switch (op_class) {
	case MDL_SENDS:
		if (r->kind != RD_MPICH_SEND || !rd_mpich_concerns(r->key, c->context))
			return ACC_NONE;
		return r->where == RD_MPICH_SELF     ? rd_mpich_self_op(o, c, r, MDL_SEND, op)
		       : r->where == RD_MPICH_OPAQUE ? rd_mpich_opaque_op(o, c, r, op)
						     : rd_mpich_ucx_send(o, c, r, op);
	case MDL_RECEIVES:
		if (r->kind != RD_MPICH_RECV || r->where == RD_MPICH_ARRIVED ||
		    !rd_mpich_concerns(r->key, c->receive_context))
			return ACC_NONE;
		if (r->where == RD_MPICH_OPAQUE)
			return rd_mpich_opaque_op(o, c, r, op);
		if (r->where == RD_MPICH_POSTED || r->where == RD_MPICH_TAKEN)
			return rd_mpich_am_op(o, c, r, op);
		return r->where == RD_MPICH_SELF ? rd_mpich_self_op(o, c, r, MDL_RECEIVE, op)
						 : rd_mpich_ucx_matched(o, c, r, op);
	case MDL_UNEXPECTED:
		if (r->where == RD_MPICH_ARRIVED &&
		    (c ? rd_mpich_concerns(r->key, c->receive_context) : !rd_mpich_has_comm(o, r->key)))
			return rd_mpich_am_message(o, c, r, op);
		if (r->kind != RD_MPICH_SEND || r->where != RD_MPICH_SELF || !c ||
		    !rd_mpich_concerns(r->key, c->receive_context))
			return ACC_NONE;
		return rd_mpich_self_op(o, c, r, MDL_MESSAGE, op);
	default:
		if (r->kind != RD_MPICH_COLL || r->key != c->addr)
			return ACC_NONE;
		collective(o, c, r, op);
		return ACC_OK;
	}
}

enum acc_rc rd_mpich_inactive_op(struct rd_mpich *o, const struct rd_mpich_comm *c, const struct rd_mpich_persistent *p,
				 struct mdl_op *op)
{
	struct acc_obj r;

	acc_obj_load(&r, o->sp, o->layout, T_MPIR_Request, p->addr);
	int64_t rank = acc_get_i(&r, F_MPIR_Request_preq_rank), tag = acc_get_i(&r, F_MPIR_Request_preq_tag);
	if (r.rc)
		return r.rc;
	rd_mpich_op_start(c, p->send ? MDL_SEND : MDL_RECEIVE, 0, op);
	if (rank == rd_mpich_any_source(o) && !p->send)
		op->peer = op->peer_world = mdl_any();
	else if (rank == rd_mpich_proc_null(o))
		op->peer = op->peer_world = mdl_known(MDL_PROC_NULL);
	else if (rank >= 0 && rank < rd_mpich_n_peers(c))
		rd_mpich_set_peer(o, c, rank, op);
	else
		return ACC_ECORRUPT;
	op->tag = tag == rd_mpich_any_tag(o) && !p->send ? mdl_any() : mdl_known(tag);
	op->mode = MDL_MODE_UNKNOWN;
	rd_mpich_take_arguments(o, p->addr, op);
	op->persistent = true;
	op->active = false;
	op->addr = p->addr;
	op->request = mdl_known((int64_t)p->handle);
	op->fortran = mdl_known((int32_t)p->handle);
	op->origin = "ch4";
	return ACC_OK;
}

/* Unlike the iteration, which takes posted receives from the queue, this accepts the operation in any state. */
static enum acc_rc op_of(struct rd_mpich *o, const struct rd_mpich_comm *c, const struct rd_mpich_request *r,
			 struct mdl_op *op)
{
	uint64_t ucp_addr;

	if (r->kind == RD_MPICH_COLL || r->kind == RD_MPICH_SEND)
		return rd_mpich_request_op(o, r->kind == RD_MPICH_COLL ? MDL_COLLECTIVES : MDL_SENDS, c, r, op);
	enum acc_rc rc = rd_mpich_request_op(o, MDL_RECEIVES, c, r, op);
	if (rc != ACC_NONE || r->where != RD_MPICH_IN_UCX || !rd_mpich_concerns(r->key, c->receive_context))
		return rc;
	rc = acc_read_ptr(o->sp, r->addr + o->layout->fields[F_MPIR_Request_ucp_request].offset, &ucp_addr);
	return rc ? rc : rd_mpich_ucx_receive(o, c, ucp_addr, op);
}

static enum acc_rc find_op(struct rd_mpich *o, uint64_t addr, struct mdl_comm *comm, struct mdl_op *ret)
{
	const struct rd_mpich_request_slot *at = rd_mpich_request_slot(o, addr);

	for (uint64_t k = 0; at && at->request && k < o->n_comms; k++) {
		enum acc_rc rc = op_of(o, &o->comms[k], &o->requests[at->request - 1], ret);

		*comm = o->comms[k].facts;
		if (rc != ACC_NONE)
			return rc;
	}
	return ACC_NONE;
}

static enum acc_rc find_persistent(struct rd_mpich *o, uint64_t addr, struct mdl_comm *comm, struct mdl_op *ret)
{
	const struct rd_mpich_request_slot *at = rd_mpich_request_slot(o, addr);

	if (!at || !at->persistent)
		return ACC_NONE;
	const struct rd_mpich_persistent *p = &o->persistent[at->persistent - 1];
	enum acc_rc rc = p->real_addr ? find_op(o, p->real_addr, comm, ret) : ACC_NONE;
	if (rc != ACC_NONE)
		return rc;
	/* not active, or complete: its arguments are those that it was created with */
	for (uint64_t k = 0; !p->collective && rd_mpich_has_arguments(o) && k < o->n_comms; k++)
		if (o->comms[k].addr == p->comm_addr) {
			*comm = o->comms[k].facts;
			rc = rd_mpich_inactive_op(o, &o->comms[k], p, ret);
			if (!rc)
				ret->status = MDL_COMPLETE;
			return rc;
		}
	return ACC_NONE;
}

enum acc_rc rd_mpich_request_get(void *state, uint64_t handle, struct mdl_comm *comm, struct mdl_op *ret)
{
	struct rd_mpich *o = state;
	const struct rd_mpich_pool *pool;
	struct mdl_comm c = { .id = 0 };
	struct mdl_op op;
	uint64_t slot;
	uint32_t own;

	if (!o->initialized)
		return ACC_NONE;
	enum acc_rc rc = rd_mpich_requests(o);
	if (rc)
		return rc;
	pool = rd_mpich_pool(o, RD_MPICH_REQUEST);
	if (handle >> 32 == UINT32_MAX)
		handle &= UINT32_MAX;
	if (!pool || handle >> 26 & ~(uint64_t)0x3f || (handle >> 26 & 15) != RD_MPICH_REQUEST ||
	    !rd_mpich_slot_of_handle(pool, (uint32_t)handle, &slot) || pool->is_free[slot])
		return ACC_NONE;
	uint64_t addr = rd_mpich_slot(pool, slot, RD_MPICH_REQUEST, &own);
	rc = find_persistent(o, addr, &c, &op);
	if (rc == ACC_NONE)
		rc = find_op(o, addr, &c, &op);
	if (rc)
		return rc;
	*comm = c;
	*ret = op;
	return ACC_OK;
}
