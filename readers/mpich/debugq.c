/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The debug queues of an MPICH configured with --enable-debuginfo (src/include/mpir_debugger.h, since 4.1): the
 * arguments of each pending send and receive, also of those that a lower library handles.
 */
#include "mpich.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

static const char *const heads[] = { "MPIR_Sendq_head", "MPIR_Recvq_head" };

/* Are there debug queues? */
static bool rd_mpich_has_debugq(struct rd_mpich *o)
{
	uint64_t addr;

	return acc_layout_has(o->layout, F_MPIR_Debugq_req) && acc_layout_has(o->layout, F_MPIR_Debugq_rank) &&
	       acc_layout_has(o->layout, F_MPIR_Debugq_tag) && acc_layout_has(o->layout, F_MPIR_Debugq_count) &&
	       acc_layout_has(o->layout, F_MPIR_Debugq_buf) && acc_layout_has(o->layout, F_MPIR_Debugq_next) &&
	       acc_layout_has(o->layout, F_MPIR_Debugq_context_id) && !acc_symbol(o->sp, heads[0], &addr) &&
	       !acc_symbol(o->sp, heads[1], &addr);
}

/* Read one queue. An element without a request in use is skipped: the process was stopped while it added
 * or removed it. */
static enum acc_rc take_queue(struct rd_mpich *o, const struct rd_mpich_pool *pool, const char *head)
{
	uint64_t head_addr, addr, slot;
	struct acc_walk w;
	enum acc_rc rc;

	if (acc_symbol(o->sp, head, &head_addr) || acc_read_ptr(o->sp, head_addr, &addr))
		return ACC_EREAD;
	acc_walk_init(&w, o->sp, addr, 0, o->layout->fields[F_MPIR_Debugq_next].offset, pool->n_slots);
	while ((rc = acc_walk_next(&w, &addr)) == ACC_OK) {
		struct acc_obj q;

		acc_obj_load(&q, o->sp, o->layout, T_MPIR_Debugq, addr);
		uint64_t request_addr = acc_get_u(&q, F_MPIR_Debugq_req);
		struct rd_mpich_debug d = { .addr = addr,
					    .rank = acc_get_i(&q, F_MPIR_Debugq_rank),
					    .tag = acc_get_i(&q, F_MPIR_Debugq_tag),
					    .context = acc_get_i(&q, F_MPIR_Debugq_context_id),
					    .buffer = acc_get_u(&q, F_MPIR_Debugq_buf),
					    .count = acc_get_i(&q, F_MPIR_Debugq_count) };
		if (q.rc)
			return q.rc;
		if (d.count >= 0 && rd_mpich_slot_of(pool, request_addr, &slot) && !pool->is_free[slot])
			o->debug[slot] = d;
	}
	return rc == ACC_NONE ? ACC_OK : rc;
}

enum acc_rc rd_mpich_debugq(struct rd_mpich *o, const struct rd_mpich_pool *pool)
{
	if (!rd_mpich_has_debugq(o))
		return ACC_OK;
	o->debug = acc_array(o->sp, pool->n_slots, sizeof(*o->debug));
	if (!o->debug)
		return ACC_ENOMEM;
	for (uint64_t i = 0; i < pool->n_slots; i++)
		o->debug[i] = (struct rd_mpich_debug){ .addr = 0 };
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		enum acc_rc rc = take_queue(o, pool, heads[i]);

		if (!rc)
			continue;
		o->n_bad_listed++;
		acc_note(&o->sp->note, rc, "%s: %s", heads[i], acc_rc_text(rc));
	}
	return ACC_OK;
}

const struct rd_mpich_debug *rd_mpich_debug_of(struct rd_mpich *o, uint64_t request_addr)
{
	const struct rd_mpich_pool *pool = rd_mpich_pool(o, RD_MPICH_REQUEST);
	uint64_t slot;

	return o->debug && pool && rd_mpich_slot_of(pool, request_addr, &slot) && o->debug[slot].addr ? &o->debug[slot]
												      : NULL;
}
