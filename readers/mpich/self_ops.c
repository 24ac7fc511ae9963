/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of a process to itself, which ch4 handles without the netmod (src/mpid/ch4/src/ch4_self.c). */
#include "ops.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

/* The request of the send is the only record of such a message. */
enum acc_rc rd_mpich_self_op(struct rd_mpich *o, const struct rd_mpich_comm *c, const struct rd_mpich_request *r,
			     enum mdl_op_kind kind, struct mdl_op *op)
{
	struct acc_obj obj;
	bool any = (int32_t)(r->key & UINT32_MAX) == rd_mpich_any_tag(o);

	acc_obj_load(&obj, o->sp, o->layout, T_MPIR_Request, r->addr);
	int64_t count = acc_get_i(&obj, F_MPIR_Request_self_count);
	uint64_t datatype = acc_get_u(&obj, F_MPIR_Request_self_datatype);
	uint64_t buffer = acc_get_u(&obj, F_MPIR_Request_self_buf);
	if (obj.rc)
		return obj.rc;
	if (count < 0 || (any && kind != MDL_RECEIVE))
		return ACC_ECORRUPT;
	rd_mpich_op_start(c, kind, r->key, op);
	rd_mpich_set_peer(o, c, 0, op);
	op->tag = any ? mdl_any() : mdl_known((int64_t)(r->key & RD_MPICH_TAG_BITS));
	op->origin = "ch4";
	op->buffer = mdl_known((int64_t)buffer);
	op->addr = r->addr;
	op->bytes = mdl_unavailable("the size of the datatype is not known");
	/* a builtin type has its size in bits 8 to 15 of its handle */
	if (datatype >> 26 == (1 << 4 | RD_MPICH_DATATYPE) && count <= INT64_MAX / UINT8_MAX)
		op->bytes = mdl_known(count * (int64_t)(datatype >> 8 & UINT8_MAX));
	if (kind == MDL_MESSAGE) {
		struct mdl_op typed = *op;

		typed.count = mdl_known(count);
		typed.datatype_handle = mdl_known(rd_mpich_public_type(datatype));
		rd_mpich_name_type(o, &typed);
		op->bytes = typed.bytes;
		return ACC_OK;
	}
	op->count = mdl_known(count);
	op->datatype_handle = mdl_known(rd_mpich_public_type(datatype));
	op->mode = MDL_MODE_UNKNOWN;
	rd_mpich_name_type(o, op);
	rd_mpich_name_request(o, r->addr, op);
	op->freed = false; /* MPICH holds no reference to it, so the reference count does not tell */
	return ACC_OK;
}
