/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of an operation that all sources have in common: request, datatype, peer. */
#include "ops.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

static const char by_ucx[] = "MPICH passes bytes to UCX, not elements of a datatype";

void rd_mpich_op_start(const struct rd_mpich_comm *c, enum mdl_op_kind kind, uint64_t tag, struct mdl_op *op)
{
	*op = rd_ucx_op(kind);
	op->internal = (c && c->facts.internal) || (rd_mpich_context_of(tag) & RD_MPICH_CONTEXT_COLLECTIVE);
	if (kind != MDL_MESSAGE)
		op->count = mdl_unavailable(by_ucx);
}

/* Set the name of the datatype, and the number of bytes if it is unknown. */
void rd_mpich_name_type(struct rd_mpich *o, struct mdl_op *op)
{
	uint64_t bytes;
	int64_t all;

	if (op->datatype_handle.known != MDL_KNOWN || op->count.known != MDL_KNOWN ||
	    rd_mpich_datatype_get(o, (uint64_t)op->datatype_handle.value, op->datatype, &bytes))
		return;
	if (op->bytes.known != MDL_KNOWN && bytes <= INT64_MAX &&
	    !__builtin_mul_overflow((int64_t)bytes, op->count.value, &all))
		op->bytes = mdl_known(all);
}

bool rd_mpich_has_arguments(const struct rd_mpich *o)
{
	return acc_layout_has(o->layout, F_MPIR_Request_preq_buffer) &&
	       acc_layout_has(o->layout, F_MPIR_Request_preq_count) &&
	       acc_layout_has(o->layout, F_MPIR_Request_preq_datatype) &&
	       acc_layout_has(o->layout, F_MPIR_Request_preq_tag) &&
	       acc_layout_has(o->layout, F_MPIR_Request_preq_rank) &&
	       acc_layout_has(o->layout, F_MPIR_Request_preq_type);
}

static enum mdl_send_mode mode_of(uint64_t type)
{
	static const unsigned char modes[] = { MDL_MODE_UNKNOWN, MDL_STANDARD, MDL_BUFFERED, MDL_SYNCHRONOUS };

	return type < sizeof(modes) ? (enum mdl_send_mode)modes[type] : MDL_MODE_UNKNOWN;
}

/* A persistent request keeps its arguments (MPIDI_prequest_t). */
void rd_mpich_take_arguments(struct rd_mpich *o, uint64_t addr, struct mdl_op *op)
{
	struct acc_note note = o->sp->note;
	struct acc_obj r;

	if (!rd_mpich_has_arguments(o))
		return;
	acc_obj_load(&r, o->sp, o->layout, T_MPIR_Request, addr);
	int64_t count = acc_get_i(&r, F_MPIR_Request_preq_count);
	uint64_t datatype = acc_get_u(&r, F_MPIR_Request_preq_datatype), type = acc_get_u(&r, F_MPIR_Request_preq_type);
	uint64_t buffer = acc_get_u(&r, F_MPIR_Request_preq_buffer);
	o->sp->note = note;
	if (r.rc || count < 0)
		return;
	op->count = mdl_known(count);
	op->datatype_handle = mdl_known(rd_mpich_public_type(datatype));
	op->buffer = mdl_known((int64_t)buffer);
	if (op->kind == MDL_SEND)
		op->mode = mode_of(type);
	rd_mpich_name_type(o, op);
}

/* Set the handle of the request, which is that of the persistent request that started it if there is one. */
void rd_mpich_name_request(struct rd_mpich *o, uint64_t request_addr, struct mdl_op *op)
{
	const struct rd_mpich_pool *pool = rd_mpich_pool(o, RD_MPICH_REQUEST);
	uint64_t slot, references;
	uint32_t handle;

	op->request = op->fortran = mdl_unavailable("UCX's request names none of MPICH's");
	if (!pool || !rd_mpich_slot_of(pool, request_addr, &slot) || pool->is_free[slot])
		return;
	rd_mpich_slot(pool, slot, RD_MPICH_REQUEST, &handle);
	const struct rd_mpich_request_slot *at = rd_mpich_request_slot(o, request_addr);
	if (at && at->started_by) {
		const struct rd_mpich_persistent *p = &o->persistent[at->started_by - 1];

		handle = p->handle;
		op->persistent = true;
		op->persistent_addr = p->addr;
		if (!p->collective)
			rd_mpich_take_arguments(o, p->addr, op);
	}
	/* the library holds one reference; the program holds the other until MPI_Request_free */
	op->freed = !op->persistent &&
		    !acc_read_u(o->sp, request_addr + o->layout->fields[F_MPIR_Request_ref_count].offset,
				o->sp->sizes.int_bytes, &references) &&
		    references == 1;
	op->addr = request_addr;
	op->request = mdl_known((int64_t)handle);
	op->fortran = mdl_known((int32_t)handle);
}

void rd_mpich_set_peer(struct rd_mpich *o, const struct rd_mpich_comm *c, int64_t rank, struct mdl_op *op)
{
	op->peer = mdl_known(rank);
	op->peer_world = c ? rd_mpich_world_rank(o, c, rank) : mdl_unavailable("its communicator does not exist here");
}
