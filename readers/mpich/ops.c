/* SPDX-License-Identifier: BSD-3-Clause */
/* The walk through the pending operations of a communicator. */
#include "ops.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { IT_SERIAL, IT_PHASE, IT_AT };

enum phase { PHASE_QUEUE, PHASE_REQUESTS, PHASE_INACTIVE, PHASE_BAD };

enum acc_rc rd_mpich_ops_available(void *state, enum mdl_op_class op_class, const char **why)
{
	struct rd_mpich *o = state;

	if (!o->initialized)
		*why = "MPI is not initialized, or finalized";
	else if (op_class == MDL_COLLECTIVES || !o->ucx_why[0])
		return ACC_OK;
	else
		*why = o->ucx_why;
	return ACC_NONE;
}

enum acc_rc rd_mpich_op_first(void *state, struct rd_op_iter *it)
{
	struct rd_mpich *o = state;
	const char *why;

	enum acc_rc rc = rd_mpich_ops_available(o, it->op_class, &why);
	if (!rc)
		rc = rd_mpich_requests(o);
	if (rc)
		return rc;
	if (!it->comm && it->op_class == MDL_COLLECTIVES)
		return ACC_NONE; /* one whose communicator does not exist is damaged */
	if (it->comm && !rd_mpich_comm_find(o, it->comm->handle))
		return ACC_NONE;
	it->state[IT_SERIAL] = o->serial_now = ++o->serial;
	bool queue = it->op_class == MDL_UNEXPECTED || (it->op_class == MDL_RECEIVES && it->comm);
	it->state[IT_PHASE] = queue ? PHASE_QUEUE : PHASE_REQUESTS;
	it->state[IT_AT] = 0;
	return ACC_OK;
}

static enum acc_rc from_queue(struct rd_mpich *o, struct rd_op_iter *it, const struct rd_mpich_comm *c,
			      struct mdl_op *op)
{
	bool receives = it->op_class == MDL_RECEIVES;

	if (!o->ucx.n_workers)
		return ACC_NONE;
	const struct rd_ucx_list *list = receives ? rd_ucx_receives(&o->ucx) : rd_ucx_messages(&o->ucx);
	while (it->state[IT_AT] < list->n) {
		const struct rd_ucx_entry *e = &list->entries[it->state[IT_AT]++];

		if (c ? !rd_mpich_concerns(e->tag, c->receive_context) : rd_mpich_has_comm(o, e->tag))
			continue;
		enum acc_rc rc = receives ? rd_mpich_ucx_receive(o, c, e->addr, op)
					  : rd_mpich_ucx_message(o, c, e->addr, op);
		if (!rc)
			return ACC_OK;
		it->n_bad++;
		acc_note(&o->sp->note, rc, "%s inside UCX at 0x%llx: %s", receives ? "receive" : "message",
			 (unsigned long long)e->addr, acc_rc_text(rc));
	}
	if (list->rc) {
		it->n_bad++;
		acc_note(&o->sp->note, list->rc, "%s", list->why);
	}
	return ACC_NONE;
}

static enum acc_rc from_requests(struct rd_mpich *o, struct rd_op_iter *it, const struct rd_mpich_comm *c,
				 struct mdl_op *op)
{
	while (it->state[IT_AT] < o->n_requests) {
		const struct rd_mpich_request *r = &o->requests[it->state[IT_AT]++];
		enum acc_rc rc = c || it->op_class == MDL_UNEXPECTED ? rd_mpich_request_op(o, it->op_class, c, r, op)
								     : rd_mpich_orphan_op(o, it->op_class, r, op);

		if (!rc)
			return ACC_OK;
		if (rc == ACC_NONE)
			continue;
		it->n_bad++;
		acc_note(&o->sp->note, rc, "MPIR_Request at 0x%llx: %s", (unsigned long long)r->addr, acc_rc_text(rc));
	}
	if (!c && it->op_class != MDL_UNEXPECTED)
		return ACC_NONE; /* each communicator's walk has said the rest */
	if (it->op_class != MDL_UNEXPECTED && o->n_bad_requests) {
		it->n_bad += o->n_bad_requests;
		acc_note(&o->sp->note, ACC_ECORRUPT, "requests: not all of them can be read");
	}
	if (o->n_bad_listed) {
		it->n_bad += o->n_bad_listed;
		acc_note(&o->sp->note, ACC_ECORRUPT, "lists of ch4: not all of them can be followed");
	}
	if (it->op_class == MDL_UNEXPECTED && c && rd_mpich_n_peers(c) > 1 && !c->facts.internal && o->below &&
	    !rd_mpich_is_one_node(o)) {
		it->n_bad++;
		acc_note(&o->sp->note, ACC_EFIELD,
			 "messages from other nodes are in the library below MPICH, which matches them");
	}
	return ACC_NONE;
}

static enum acc_rc from_inactive(struct rd_mpich *o, struct rd_op_iter *it, const struct rd_mpich_comm *c,
				 struct mdl_op *op)
{
	while (it->all && c && rd_mpich_has_arguments(o) && it->state[IT_AT] < o->n_persistent) {
		const struct rd_mpich_persistent *p = &o->persistent[it->state[IT_AT]++];

		if (p->real_addr || p->collective || p->comm_addr != c->addr ||
		    it->op_class != (p->send ? MDL_SENDS : MDL_RECEIVES))
			continue;
		enum acc_rc rc = rd_mpich_inactive_op(o, c, p, op);
		if (!rc)
			return ACC_OK;
		it->n_bad++;
		acc_note(&o->sp->note, rc, "MPIR_Request at 0x%llx: %s", (unsigned long long)p->addr, acc_rc_text(rc));
	}
	return ACC_NONE;
}

enum acc_rc rd_mpich_probe(void *state, const struct mdl_comm *comm, const struct rd_probe *probe, struct mdl_op *ret)
{
	struct rd_mpich *o = state;
	const struct rd_mpich_comm *c = o->ucx.n_workers ? rd_mpich_comm_find(o, comm->handle) : NULL;

	return c ? rd_mpich_ucx_probe(o, c, probe, ret) : ACC_NONE;
}

enum acc_rc rd_mpich_op_next(void *state, struct rd_op_iter *it, struct mdl_op *ret)
{
	struct rd_mpich *o = state;
	struct mdl_op op;

	if (it->state[IT_SERIAL] != o->serial_now)
		return ACC_EINVAL; /* another walk was started, or the process has run */
	const struct rd_mpich_comm *c = it->comm ? rd_mpich_comm_find(o, it->comm->handle) : NULL;
	if (it->comm && !c)
		return ACC_NONE;
	while (it->state[IT_PHASE] != PHASE_BAD) {
		enum acc_rc rc = it->state[IT_PHASE] == PHASE_QUEUE      ? from_queue(o, it, c, &op)
				 : it->state[IT_PHASE] == PHASE_REQUESTS ? from_requests(o, it, c, &op)
									 : from_inactive(o, it, c, &op);

		if (rc == ACC_OK && !it->all && op.internal)
			continue;
		if (rc == ACC_OK) {
			*ret = op;
			return ACC_OK;
		}
		it->state[IT_PHASE]++;
		it->state[IT_AT] = 0;
	}
	return ACC_NONE;
}
