/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file ops.h
 * Internal interface of the files that read pending operations. @p c is the communicator of the operation; NULL: it
 * does not exist in this process. An operation is written only on success. Nothing is noted.
 */
#ifndef RD_MPICH_OPS_H
#define RD_MPICH_OPS_H

#include "mpich.h"

enum {
	RD_MPICH_TAG_BITS = 0x0fffffff,  /**< MPI_TAG_UB; bits 28 to 31 are used for errors and protocols */
	RD_MPICH_CONTEXT_COLLECTIVE = 1, /**< set for messages of collectives */
};

/** Context of a tag word. */
static inline uint64_t rd_mpich_context_of(uint64_t tag)
{
	return tag >> 48;
}

/** Does the tag word belong to the communicator with this context, or to its collectives? */
static inline bool rd_mpich_concerns(uint64_t tag, uint32_t context)
{
	return (rd_mpich_context_of(tag) & ~(uint64_t)RD_MPICH_CONTEXT_COLLECTIVE) == context;
}

/** Does the tag word belong to one of the communicators? */
static inline bool rd_mpich_has_comm(const struct rd_mpich *o, uint64_t tag)
{
	for (uint64_t i = 0; i < o->n_comms; i++)
		if (rd_mpich_concerns(tag, o->comms[i].receive_context))
			return true;
	return false;
}

/** Number of possible peers: the size, of an intercommunicator the remote size. */
static inline int64_t rd_mpich_n_peers(const struct rd_mpich_comm *c)
{
	return c->facts.inter ? c->facts.remote_size : c->facts.size;
}

/* ---- op_parts.c -------------------------------------------------------------------------------------------- */

/** Initialise an operation of this kind with the tag word @p tag; everything else is unknown. */
void rd_mpich_op_start(const struct rd_mpich_comm *c, enum mdl_op_kind kind, uint64_t tag, struct mdl_op *op);

/** The datatype's name, and the bytes if they are unknown. */
void rd_mpich_name_type(struct rd_mpich *o, struct mdl_op *op);

/** Does the layout describe the arguments of persistent requests? */
bool rd_mpich_has_arguments(const struct rd_mpich *o);

/** Arguments of the persistent request at @p addr (MPIDI_prequest_t). */
void rd_mpich_take_arguments(struct rd_mpich *o, uint64_t addr, struct mdl_op *op);

/** The handle of the request, and whether a persistent one has started it. */
void rd_mpich_name_request(struct rd_mpich *o, uint64_t request_addr, struct mdl_op *op);

void rd_mpich_set_peer(struct rd_mpich *o, const struct rd_mpich_comm *c, int64_t rank, struct mdl_op *op);

/* ---- ucx_ops.c --------------------------------------------------------------------------------------------- */

/** A receive, by the address of UCX's request. @return ACC_OK; ACC_EREAD, ACC_ECORRUPT */
enum acc_rc rd_mpich_ucx_receive(struct rd_mpich *o, const struct rd_mpich_comm *c, uint64_t ucp_addr,
				 struct mdl_op *op);

/** A receive in no queue that is not complete: its message has
 * arrived, its data have not. @return ACC_NONE: it is in one */
enum acc_rc rd_mpich_ucx_matched(struct rd_mpich *o, const struct rd_mpich_comm *c, const struct rd_mpich_request *r,
				 struct mdl_op *op);

/** An unexpected message, by its address inside UCX. */
/** A probe that the debugger has seen. @return ACC_OK; ACC_NONE: none of the program's in this communicator */
enum acc_rc rd_mpich_ucx_probe(struct rd_mpich *o, const struct rd_mpich_comm *c, const struct rd_probe *probe,
			       struct mdl_op *op);
enum acc_rc rd_mpich_ucx_message(struct rd_mpich *o, const struct rd_mpich_comm *c, uint64_t addr, struct mdl_op *op);

/** A send. */
enum acc_rc rd_mpich_ucx_send(struct rd_mpich *o, const struct rd_mpich_comm *c, const struct rd_mpich_request *r,
			      struct mdl_op *op);

/* ---- self_ops.c -------------------------------------------------------------------------------------------- */

/** A message to oneself: the request of the send is its only record. */
enum acc_rc rd_mpich_self_op(struct rd_mpich *o, const struct rd_mpich_comm *c, const struct rd_mpich_request *r,
			     enum mdl_op_kind kind, struct mdl_op *op);

/* ---- am_ops.c ---------------------------------------------------------------------------------------------- */

/** A receive that ch4 matches itself: posted, or matched by a message. */
enum acc_rc rd_mpich_am_op(struct rd_mpich *o, const struct rd_mpich_comm *c, const struct rd_mpich_request *r,
			   struct mdl_op *op);

/** An unexpected message in ch4's list. */
enum acc_rc rd_mpich_am_message(struct rd_mpich *o, const struct rd_mpich_comm *c, const struct rd_mpich_request *r,
				struct mdl_op *op);

/** A send or receive that MPICH has passed to a lower library. */
enum acc_rc rd_mpich_opaque_op(struct rd_mpich *o, const struct rd_mpich_comm *c, const struct rd_mpich_request *r,
			       struct mdl_op *op);

/* ---- request_op.c ------------------------------------------------------------------------------------------ */

/** The operation of a request that is not persistent. @return ACC_NONE: not of this class or communicator */
enum acc_rc rd_mpich_request_op(struct rd_mpich *o, enum mdl_op_class op_class, const struct rd_mpich_comm *c,
				const struct rd_mpich_request *r, struct mdl_op *op);

/**
 * The send or receive of a request whose communicator was released before it is complete, which MPICH allows.
 *
 * @return ACC_NONE: not of this class, or its communicator
 * exists; ACC_ECORRUPT: no communicator has ever had its context
 */
enum acc_rc rd_mpich_orphan_op(struct rd_mpich *o, enum mdl_op_class op_class, const struct rd_mpich_request *r,
			       struct mdl_op *op);

/** A persistent request that is not active. */
enum acc_rc rd_mpich_inactive_op(struct rd_mpich *o, const struct rd_mpich_comm *c, const struct rd_mpich_persistent *p,
				 struct mdl_op *op);

#endif /* RD_MPICH_OPS_H */
