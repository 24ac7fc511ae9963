/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests by their places in the pool. */
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
