/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lists in which ch4 matches messages itself (src/mpid/ch4/src/mpidig_recvq.h): all messages of a netmod that only
 * supports active messages, and with ch4:ofi the messages within a node. No symbol locates the list heads. The flags of
 * a request tell which list contains it, and the requests of a list are linked.
 */
#include "mpich.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

bool rd_mpich_has_lists(const struct rd_mpich *o)
{
	static const unsigned short fields[] = {
		F_MPIR_Request_next,     F_MPIR_Request_am_source,   F_MPIR_Request_am_tag, F_MPIR_Request_am_buffer,
		F_MPIR_Request_am_count, F_MPIR_Request_am_datatype, F_MPIR_Request_am_ext, F_MPIDIG_req_ext_t_status,
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!acc_layout_has(o->layout, fields[i]))
			return false;
	return acc_layout_has(o->layout, F_MPIR_Request_am_context_id) ||
	       acc_layout_has(o->layout, F_MPIR_Request_am_wide_context_id);
}

enum { /* MPIDIG_REQ_*, src/mpid/ch4/include/mpidpre.h, 4.0 to 5.0 */
       STATUS_UNEXPECTED = 1 << 2,
       STATUS_DEQUEUED = 1 << 3,
       STATUS_CLAIMED = 1 << 4,
       STATUS_MATCHED = 1 << 6,
       STATUS_IN_PROGRESS = 1 << 8,
};

enum rd_mpich_where rd_mpich_am_where(const struct rd_mpich_am *am)
{
	if (am->status & STATUS_UNEXPECTED && !(am->status & (STATUS_DEQUEUED | STATUS_CLAIMED | STATUS_MATCHED)))
		return RD_MPICH_ARRIVED;
	return am->status & (STATUS_UNEXPECTED | STATUS_MATCHED | STATUS_IN_PROGRESS) ? RD_MPICH_TAKEN
										      : RD_MPICH_POSTED;
}

bool rd_mpich_am_load(struct rd_mpich *o, uint64_t addr, struct rd_mpich_am *ret)
{
	struct acc_note note = o->sp->note;
	struct acc_obj r;

	acc_obj_load(&r, o->sp, o->layout, T_MPIR_Request, addr);
	struct rd_mpich_am am = {
		.source = acc_get_i(&r, F_MPIR_Request_am_source),
		.tag = acc_get_i(&r, F_MPIR_Request_am_tag),
		.context = acc_get_u(&r, acc_layout_has(o->layout, F_MPIR_Request_am_wide_context_id)
						 ? F_MPIR_Request_am_wide_context_id
						 : F_MPIR_Request_am_context_id),
		.buffer = acc_get_u(&r, F_MPIR_Request_am_buffer),
		.count = acc_get_i(&r, F_MPIR_Request_am_count),
		.datatype = acc_get_u(&r, F_MPIR_Request_am_datatype),
	};
	uint64_t ext_addr = acc_get_u(&r, F_MPIR_Request_am_ext);
	bool read = !r.rc && acc_plausible(o->sp, ext_addr, 8) &&
		    !acc_read_u(o->sp, ext_addr + o->layout->fields[F_MPIDIG_req_ext_t_status].offset, 8, &am.status);
	if (read && acc_layout_has(o->layout, F_MPIDIG_req_ext_t_match_req))
		read = !acc_read_ptr(o->sp, ext_addr + o->layout->fields[F_MPIDIG_req_ext_t_match_req].offset,
				     &am.match_addr);
	o->sp->note = note;
	if (!read || am.context > UINT16_MAX)
		return false;
	am.key = am.context << 48 | ((uint64_t)am.tag & UINT32_MAX);
	*ret = am;
	return true;
}

/* ---- the order --------------------------------------------------------------------------------------------- */

static void spoil(struct rd_mpich *o, enum acc_rc rc, uint64_t addr)
{
	o->n_bad_listed++;
	acc_note(&o->sp->note, rc, "MPIR_Request.next at 0x%llx: %s", (unsigned long long)addr, acc_rc_text(rc));
}

/* Data to follow the lists: positions in o->requests by slot, starting at 1; 0: the slot is in no list. */
struct chains {
	const struct rd_mpich_pool *pool;
	uint32_t *position,
		*follower;      /* follower: by position - 1, the position of the next request; 0: the last one */
	unsigned char *follows; /* by position - 1: it has a predecessor */
};

static void link_up(struct rd_mpich *o, struct chains *ch, enum rd_mpich_where where)
{
	uint64_t next, slot;

	memset(ch->position, 0, ch->pool->n_slots * sizeof(*ch->position));
	for (uint64_t i = 0; i < o->n_requests; i++)
		if (o->requests[i].where == where && rd_mpich_slot_of(ch->pool, o->requests[i].addr, &slot))
			ch->position[slot] = (uint32_t)(i + 1);
	for (uint64_t i = 0; i < o->n_requests; i++) {
		const struct rd_mpich_request *r = &o->requests[i];

		ch->follower[i] = 0;
		if (r->where != where)
			continue;
		if (acc_read_ptr(o->sp, r->addr + o->layout->fields[F_MPIR_Request_next].offset, &next))
			spoil(o, ACC_EREAD, r->addr);
		else if (next && (!rd_mpich_slot_of(ch->pool, next, &slot) || !ch->position[slot] ||
				  ch->follows[ch->position[slot] - 1]))
			spoil(o, ACC_ECORRUPT, r->addr);
		else if (next)
			ch->follows[(ch->follower[i] = ch->position[slot]) - 1] = 1;
	}
}

/* Reorder the requests of a list (there may be one for each virtual interface) within the positions
 * that they occupy. */
static enum acc_rc put_in_order(struct rd_mpich *o, struct chains *ch, enum rd_mpich_where where)
{
	uint64_t n = 0, k = 0;

	struct rd_mpich_request *sorted = acc_array(o->sp, o->n_requests + 1, sizeof(*sorted));
	if (!sorted)
		return ACC_ENOMEM;
	memset(ch->follows, 0, o->n_requests);
	link_up(o, ch, where);
	for (uint64_t i = 0; i < o->n_requests; i++)
		for (uint64_t at = i + 1; o->requests[i].where == where && !ch->follows[i] && at && n < o->n_requests;
		     at = ch->follower[at - 1])
			sorted[n++] = o->requests[at - 1];
	uint64_t n_all = 0;
	for (uint64_t i = 0; i < o->n_requests; i++)
		n_all += o->requests[i].where == where;
	if (n != n_all) /* a cycle */
		spoil(o, ACC_ECORRUPT, 0);
	for (uint64_t i = 0; n == n_all && i < o->n_requests; i++)
		if (o->requests[i].where == where)
			o->requests[i] = sorted[k++];
	acc_array_free(o->sp, sorted);
	return ACC_OK;
}

enum acc_rc rd_mpich_lists(struct rd_mpich *o, const struct rd_mpich_pool *pool)
{
	struct chains ch = { .pool = pool };
	enum acc_rc rc = ACC_ENOMEM;

	if (!rd_mpich_has_lists(o) || !o->n_requests)
		return ACC_OK;
	ch.position = acc_array(o->sp, pool->n_slots, sizeof(*ch.position));
	ch.follower = acc_array(o->sp, o->n_requests, sizeof(*ch.follower));
	ch.follows = acc_array(o->sp, o->n_requests, 1);
	if (ch.position && ch.follower && ch.follows) {
		rc = put_in_order(o, &ch, RD_MPICH_POSTED);
		rc = rc ? rc : put_in_order(o, &ch, RD_MPICH_ARRIVED);
	}
	acc_array_free(o->sp, ch.position);
	acc_array_free(o->sp, ch.follower);
	acc_array_free(o->sp, ch.follows);
	return rc;
}

bool rd_mpich_is_one_node(struct rd_mpich *o)
{
	const struct rd_mpich_comm *world = rd_mpich_comm_find(o, 0x44000000);
	uint64_t node_addr, n;

	if (!world || world->facts.size == 1)
		return world != NULL;
	if (acc_layout_has(o->layout, F_MPIR_Comm_num_external))
		return !acc_read_u(o->sp, world->addr + o->layout->fields[F_MPIR_Comm_num_external].offset, 4, &n) &&
		       n == 1;
	return !acc_read_ptr(o->sp, world->addr + o->layout->fields[F_MPIR_Comm_node_comm].offset, &node_addr) &&
	       node_addr && !acc_read_u(o->sp, node_addr + o->layout->fields[F_MPIR_Comm_local_size].offset, 4, &n) &&
	       (int64_t)n == world->facts.size;
}
