/* SPDX-License-Identifier: BSD-3-Clause */
/* How far a request is: MPIR_Request.cc_ptr leads to the number of things that it still waits for. */
#include "mpich.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

enum acc_rc rd_mpich_request_progress(struct rd_mpich *o, uint64_t addr, struct rd_mpich_progress *ret)
{
	const struct rd_mpich_pool *pool = rd_mpich_pool(o, RD_MPICH_REQUEST);
	struct acc_note note = o->sp->note;
	uint64_t slot, count;
	struct acc_obj r;

	if (!pool || !rd_mpich_slot_of(pool, addr, &slot) || pool->is_free[slot])
		return ACC_NONE;
	acc_obj_load(&r, o->sp, o->layout, T_MPIR_Request, addr);
	int64_t references = acc_get_i(&r, F_MPIR_Request_ref_count);
	uint64_t cc_addr = acc_get_u(&r, F_MPIR_Request_cc_ptr), real_addr = acc_get_u(&r, F_MPIR_Request_real_request);
	uint64_t kind = rd_mpich_request_kind(o, addr);
	bool part_active = acc_layout_has(o->layout, F_MPIR_Request_part_active) &&
			   acc_get_i(&r, F_MPIR_Request_part_active);
	enum acc_rc rc = r.rc;
	if (!rc && references <= 0)
		rc = ACC_NONE;
	if (!rc)
		rc = acc_read_u(o->sp, cc_addr, o->sp->sizes.int_bytes, &count);
	o->sp->note = note;
	if (rc)
		return rc;
	ret->partitioned = kind == RD_MPICH_PART_SEND || kind == RD_MPICH_PART_RECV;
	ret->persistent = ret->partitioned || kind == RD_MPICH_PREQUEST_SEND || kind == RD_MPICH_PREQUEST_RECV ||
			  kind == RD_MPICH_PREQUEST_COLL;
	ret->started = ret->partitioned ? part_active : !ret->persistent || real_addr;
	ret->done = !count;
	return ACC_OK;
}

enum acc_rc rd_mpich_request_done(void *state, uint64_t handle, bool *ret)
{
	struct rd_mpich *o = state;
	const struct rd_mpich_pool *pool = o->initialized ? rd_mpich_pool(o, RD_MPICH_REQUEST) : NULL;
	struct rd_mpich_progress p;
	uint64_t slot;
	uint32_t own;

	if (handle >> 32 == UINT32_MAX)
		handle &= UINT32_MAX;
	if (!pool || handle >> 32 || (handle >> 26 & 15) != RD_MPICH_REQUEST ||
	    !rd_mpich_slot_of_handle(pool, (uint32_t)handle, &slot))
		return ACC_NONE;
	enum acc_rc rc = rd_mpich_request_progress(o, rd_mpich_slot(pool, slot, RD_MPICH_REQUEST, &own), &p);
	if (!rc)
		*ret = p.done;
	return rc;
}
