/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations that ch4 matches itself (ch4_lists.c), and operations that MPICH passes to a lower library. For the latter
 * MPICH keeps only the communicator, and the arguments if it has debug queues (debugq.c).
 */
#include "ops.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	TAG_ERROR_BITS = 0x60000000, /* of a message, as in UCX's tag word */
	STATUS_RTS = 1 << 7,         /* MPIDIG_REQ_RTS: the sender has not sent the data yet */
};

static const char below[] = "MPICH does not record it: the library below it has the message";

static void set_buffer(struct rd_mpich *o, const struct rd_mpich_am *am, struct mdl_op *op)
{
	op->buffer = mdl_known((int64_t)am->buffer);
	op->count = mdl_known(am->count);
	op->datatype_handle = mdl_known(rd_mpich_public_type(am->datatype));
	op->bytes = mdl_unavailable("the size of the datatype is not known");
	rd_mpich_name_type(o, op);
}

static enum acc_rc posted(struct rd_mpich *o, const struct rd_mpich_comm *c, const struct rd_mpich_am *am,
			  struct mdl_op *op)
{
	if (am->source == rd_mpich_any_source(o))
		op->peer = op->peer_world = mdl_any();
	else if (am->source >= 0 && am->source < rd_mpich_n_peers(c))
		rd_mpich_set_peer(o, c, am->source, op);
	else
		return ACC_ECORRUPT;
	op->tag = am->tag == rd_mpich_any_tag(o) ? mdl_any() : mdl_known(am->tag);
	set_buffer(o, am, op);
	return ACC_OK;
}

/* The matched message has overwritten the source and tag that the program requested. */
static enum acc_rc matched(struct rd_mpich *o, const struct rd_mpich_comm *c, const struct rd_mpich_am *am,
			   struct mdl_op *op)
{
	if (am->source < 0 || am->source >= rd_mpich_n_peers(c))
		return ACC_ECORRUPT;
	rd_mpich_set_peer(o, c, am->source, op);
	op->actual_peer = op->peer;
	op->actual_peer_world = op->peer_world;
	op->actual_tag = mdl_known(am->tag & ~(int64_t)TAG_ERROR_BITS);
	op->actual_bytes = mdl_unavailable("MPICH counts what is left of it");
	op->peer = op->peer_world = op->tag = mdl_unavailable("MPICH has put the message's in its place");
	op->status = MDL_MATCHED;
	set_buffer(o, am, op);
	return ACC_OK;
}

enum acc_rc rd_mpich_am_op(struct rd_mpich *o, const struct rd_mpich_comm *c, const struct rd_mpich_request *r,
			   struct mdl_op *op)
{
	struct rd_mpich_am am;

	if (!rd_mpich_am_load(o, r->addr, &am) || am.count < 0)
		return ACC_ECORRUPT;
	rd_mpich_op_start(c, MDL_RECEIVE, r->key, op);
	op->origin = "ch4";
	enum acc_rc rc = r->where == RD_MPICH_POSTED ? posted(o, c, &am, op) : matched(o, c, &am, op);
	if (!rc)
		rd_mpich_name_request(o, r->addr, op);
	return rc;
}

enum acc_rc rd_mpich_am_message(struct rd_mpich *o, const struct rd_mpich_comm *c, const struct rd_mpich_request *r,
				struct mdl_op *op)
{
	struct rd_mpich_am am;

	if (!rd_mpich_am_load(o, r->addr, &am) || am.count < 0 || am.source < 0 ||
	    (c && am.source >= rd_mpich_n_peers(c)))
		return ACC_ECORRUPT;
	rd_mpich_op_start(c, MDL_MESSAGE, r->key, op);
	op->origin = "ch4";
	rd_mpich_set_peer(o, c, am.source, op);
	op->tag = mdl_known(am.tag & ~(int64_t)TAG_ERROR_BITS);
	op->bytes = mdl_known(am.count); /* of MPI_BYTE */
	op->protocol = am.status & STATUS_RTS ? MDL_RENDEZVOUS : MDL_EAGER;
	op->system_buffer = true;
	op->buffer = am.buffer && op->protocol == MDL_EAGER ? mdl_known((int64_t)am.buffer)
							    : mdl_unavailable("its data are still with the sender");
	op->addr = r->addr;
	return ACC_OK;
}

enum acc_rc rd_mpich_opaque_op(struct rd_mpich *o, const struct rd_mpich_comm *c, const struct rd_mpich_request *r,
			       struct mdl_op *op)
{
	const struct rd_mpich_debug *d = rd_mpich_debug_of(o, r->addr);
	bool send = r->kind == RD_MPICH_SEND;
	struct rd_mpich_am am;

	rd_mpich_op_start(c, send ? MDL_SEND : MDL_RECEIVE, r->key, op);
	op->origin = "mpich";
	op->mode = send ? MDL_MODE_UNKNOWN : op->mode;
	op->peer = op->peer_world = op->tag = op->bytes = op->count = op->buffer = mdl_unavailable(below);
	op->datatype_handle = mdl_unavailable(below);
	if (d) {
		if (!send && d->rank == rd_mpich_any_source(o))
			op->peer = op->peer_world = mdl_any();
		else if (d->rank >= 0 && d->rank < rd_mpich_n_peers(c))
			rd_mpich_set_peer(o, c, d->rank, op);
		else
			return ACC_ECORRUPT;
		op->tag = !send && d->tag == rd_mpich_any_tag(o) ? mdl_any() : mdl_known(d->tag);
		op->count = mdl_known(d->count);
		op->buffer = mdl_known((int64_t)d->buffer);
		op->origin = "debug queue";
		/* with debug queues the arguments of requests of the generic path are known, too */
		if (rd_mpich_has_lists(o) && rd_mpich_am_load(o, r->addr, &am) && am.count == d->count &&
		    am.buffer == d->buffer)
			set_buffer(o, &am, op);
	}
	rd_mpich_name_request(o, r->addr, op);
	return ACC_OK;
}
