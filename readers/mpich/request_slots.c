/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests by their places in the pool, and how far each is. */
#include "ops.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum acc_rc rd_mpich_index_requests(struct rd_mpich *o)
{
	const struct rd_mpich_pool *pool = rd_mpich_pool(o, RD_MPICH_REQUEST);
	uint64_t slot;

	acc_array_free(o->sp, o->request_slots);
	o->request_slots = pool ? acc_array(o->sp, pool->n_slots, sizeof(*o->request_slots)) : NULL;
	if (!o->request_slots)
		return ACC_ENOMEM;
	memset(o->request_slots, 0, (size_t)pool->n_slots * sizeof(*o->request_slots));
	for (uint64_t i = 0; i < o->n_requests && i < UINT32_MAX; i++)
		if (rd_mpich_slot_of(pool, o->requests[i].addr, &slot))
			o->request_slots[slot].request = (uint32_t)i + 1;
	for (uint64_t i = 0; i < o->n_persistent && i < UINT32_MAX; i++) {
		if (rd_mpich_slot_of(pool, o->persistent[i].addr, &slot))
			o->request_slots[slot].persistent = (uint32_t)i + 1;
		if (o->persistent[i].real_addr && rd_mpich_slot_of(pool, o->persistent[i].real_addr, &slot))
			o->request_slots[slot].started_by = (uint32_t)i + 1;
	}
	return ACC_OK;
}

const struct rd_mpich_request_slot *rd_mpich_request_slot(struct rd_mpich *o, uint64_t addr)
{
	const struct rd_mpich_pool *pool = rd_mpich_pool(o, RD_MPICH_REQUEST);
	uint64_t slot;

	return pool && o->request_slots && rd_mpich_slot_of(pool, addr, &slot) ? &o->request_slots[slot] : NULL;
}

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
	enum acc_rc rc = r.rc;
	if (!rc && references <= 0)
		rc = ACC_NONE;
	if (!rc)
		rc = acc_read_u(o->sp, cc_addr, o->sp->sizes.int_bytes, &count);
	o->sp->note = note;
	if (rc)
		return rc;
	ret->persistent = kind == RD_MPICH_PREQUEST_SEND || kind == RD_MPICH_PREQUEST_RECV ||
			  kind == RD_MPICH_PREQUEST_COLL;
	ret->started = !ret->persistent || real_addr;
	ret->done = !count;
	return ACC_OK;
}

enum acc_rc rd_mpich_request_done(void *state, uint64_t handle, bool *ret)
{
	struct rd_mpich *o = state;
	const struct rd_mpich_pool *pool = o->world_addr ? rd_mpich_pool(o, RD_MPICH_REQUEST) : NULL;
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
