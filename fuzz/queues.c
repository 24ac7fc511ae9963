/* SPDX-License-Identifier: BSD-3-Clause */
#include "queues.h"

#include "fuzz.h"

#include "../access/limits.h"

#include <string.h>

/** Limit of operations of a queue that are looked up by their request, and of members of a group. */
enum { REQUESTS_MAX = 64, MEMBERS_MAX = 16 };

struct walk {
	struct rd_process *p;
	bool all;
	enum mdl_send_mode mode_max;
	unsigned ops_max;
};

void fuzz_check_num(const struct mdl_num *n)
{
	FUZZ_MUST(n->known <= MDL_NOT_APPLICABLE);
	FUZZ_MUST(n->known == MDL_KNOWN || n->value == 0);
	FUZZ_MUST((n->known == MDL_UNAVAILABLE) == (n->why != NULL));
}

static void check_op(const struct walk *w, const struct mdl_op *op, const struct mdl_comm *comm)
{
	const struct mdl_num *nums[] = { &op->peer,       &op->peer_world,   &op->tag,
					 &op->bytes,      &op->count,        &op->datatype_handle,
					 &op->buffer,     &op->actual_peer,  &op->actual_peer_world,
					 &op->actual_tag, &op->actual_bytes, &op->request,
					 &op->fortran,    &op->sequence,     &op->sender_request };

	for (size_t i = 0; i < sizeof(nums) / sizeof(nums[0]); i++)
		fuzz_check_num(nums[i]);
	FUZZ_MUST(op->kind <= MDL_COLLECTIVE && op->mode <= w->mode_max && op->status <= MDL_COMPLETE);
	FUZZ_MUST(op->protocol <= MDL_RENDEZVOUS);
	FUZZ_MUST(memchr(op->datatype, '\0', sizeof(op->datatype)));
	FUZZ_MUST(op->origin);
	if (op->bytes.known == MDL_KNOWN)
		FUZZ_MUST(op->bytes.value >= 0);
	if (comm && op->peer.known == MDL_KNOWN && op->kind != MDL_COLLECTIVE)
		FUZZ_MUST(op->peer.value < (comm->inter ? comm->remote_size : comm->size));
}

static void walk_ops(const struct walk *w, const struct mdl_comm *comm, enum mdl_op_class op_class)
{
	struct rd_op_iter it;
	struct mdl_op op;
	const char *why = NULL;

	enum acc_rc rc = rd_ops_available(w->p, op_class, &why);
	FUZZ_MUST(rc == ACC_OK || (rc == ACC_NONE && why));
	if (rd_op_first(w->p, comm, op_class, w->all, &it) != ACC_OK)
		return;
	for (unsigned n = 0; rd_op_next(&it, &op) == ACC_OK; n++) {
		struct mdl_comm of;
		struct mdl_op same;

		check_op(w, &op, comm);
		FUZZ_MUST(n < w->ops_max);
		if (n < REQUESTS_MAX && op.request.known == MDL_KNOWN &&
		    !rd_request_get(w->p, (uint64_t)op.request.value, &of, &same))
			check_op(w, &same, &of);
	}
	FUZZ_MUST(rd_op_next(&it, &op) != ACC_OK);
}

/* Read the arrays, so that a sanitizer detects missing elements. */
static void read_topology(const struct mdl_topology *t)
{
	int64_t sum = 0;

	if (t->kind == MDL_TOPO_CART)
		for (int64_t i = 0; i < t->n_dims; i++)
			sum += t->dims[i] + t->periods[i] + (int64_t)t->coords[i];
	for (int64_t i = 0; i < t->n_nodes; i++)
		sum += t->index[i];
	for (int64_t i = 0; i < t->n_edges; i++)
		sum += t->edges[i];
	for (int64_t i = 0; i < t->n_in; i++)
		sum += t->in[i] + (t->in_weights ? t->in_weights[i] : 0);
	for (int64_t i = 0; i < t->n_out; i++)
		sum += t->out[i] + (t->out_weights ? t->out_weights[i] : 0);
	FUZZ_MUST(sum != INT64_MIN);
}

static void walk_members(struct rd_process *p, const struct mdl_comm *comm)
{
	struct mdl_member members[MEMBERS_MAX];
	uint64_t size = (uint64_t)comm->size, remote = (uint64_t)comm->remote_size;
	uint64_t n = size < MEMBERS_MAX ? size : MEMBERS_MAX;

	rd_comm_members(p, comm, false, 0, n, members);
	rd_comm_members(p, comm, false, size - n, n, members);
	FUZZ_MUST(rd_comm_members(p, comm, false, size, 1, members) != ACC_OK);
	rd_comm_members(p, comm, true, 0, remote < MEMBERS_MAX ? remote : MEMBERS_MAX, members);
}

static void walk_comm(const struct walk *w, const struct mdl_comm *comm)
{
	struct mdl_topology topology = { 0 };
	struct mdl_comm again;

	FUZZ_MUST(comm->size >= 1 && comm->size <= (int64_t)ACC_RANKS_MAX);
	FUZZ_MUST(comm->rank >= 0 && comm->rank < comm->size);
	FUZZ_MUST(comm->remote_size >= 0 && comm->remote_size <= (int64_t)ACC_RANKS_MAX);
	FUZZ_MUST(memchr(comm->name, '\0', sizeof(comm->name)));
	FUZZ_MUST(comm->internal == (comm->internal_why != NULL));
	fuzz_check_num(&comm->fortran);
	fuzz_check_num(&comm->context);
	walk_members(w->p, comm);
	if (rd_comm_topology(w->p, comm, &topology) == ACC_OK)
		read_topology(&topology);
	rd_comm_topology_free(w->p, &topology);
	rd_comm_get(w->p, comm->id, &again);
	for (unsigned c = 0; c < MDL_N_CLASSES; c++)
		walk_ops(w, comm, (enum mdl_op_class)c);
}

void fuzz_walk_comms(struct rd_process *p, bool all, enum mdl_send_mode mode_max, unsigned ops_max)
{
	const struct walk w = { p, all, mode_max, ops_max };
	struct rd_comm_iter it;
	struct mdl_comm comm;

	if (rd_comm_first(p, all, &it) == ACC_OK)
		while (rd_comm_next(&it, &comm) == ACC_OK)
			walk_comm(&w, &comm);
	for (unsigned c = 0; c < MDL_N_CLASSES; c++)
		walk_ops(&w, NULL, (enum mdl_op_class)c);
}
