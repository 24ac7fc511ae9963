/* SPDX-License-Identifier: BSD-3-Clause */
#include "ucx.h"

#include "../../access/walk.h"

#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { HASH_MODULUS = 1021 /* UCP_TAG_MATCH_HASH_SIZE, UCX 1.10 to 1.23 */ };

static const char bad_queue[] = "a queue of receives inside UCX";

/* ---- lists ---------------------------------------------------------------------------------------------- */

/* A request without wildcards must be in the bucket of its tag,
 * any other in the wildcard queue; otherwise the hash differs. */
static bool belongs(const struct rd_ucx_found *r, unsigned bucket)
{
	if (!r->exact)
		return bucket == RD_UCX_HASH;
	return ((uint32_t)r->tag % HASH_MODULUS ^ (uint32_t)(r->tag >> 32) % HASH_MODULUS) == bucket;
}

/* A receive of a queue: from the table of the pool, unless it is on a stack. */
static enum acc_rc look_at_queues(struct rd_ucx *u, uint64_t addr, struct rd_ucx_found *ret)
{
	struct rd_ucx_found *found = rd_ucx_find(u, addr);

	if (!found)
		return rd_ucx_look(u, addr, RD_UCX_RECEIVE, ret);
	if (found->kind != RD_UCX_RECEIVE)
		return ACC_ECORRUPT;
	found->posted = true;
	*ret = *found;
	return ACC_OK;
}

/*
 * A queue of receives: that of a bucket, or of wildcards (RD_UCX_HASH). Its tail points to the last link. Its count
 * bounds the walk. It differs by one for the few instructions in which the process adds or removes a receive; a caller
 * reads a process again that was stopped there, since a receive that damage has removed looks the same.
 */
static bool take_queue(struct rd_ucx *u, uint64_t queue_addr, unsigned bucket)
{
	struct rd_ucx_list *list = &u->receives;
	uint64_t link, tail, count, n = 0;
	enum acc_rc rc = ACC_OK;

	if (acc_read_ptr(u->sp, queue_addr + rd_ucx_offset(u, UF_ucs_queue_head_t_head), &link) ||
	    acc_read_ptr(u->sp, queue_addr + rd_ucx_offset(u, UF_ucs_queue_head_t_ptail), &tail) ||
	    acc_read_u(u->sp, queue_addr + rd_ucx_offset(u, UF_ucp_request_queue_t_sw_count), u->sp->sizes.int_bytes,
		       &count)) {
		rd_ucx_list_spoil(list, ACC_EREAD, bad_queue);
		return false;
	}
	if (tail == queue_addr && count == 0)
		return true;
	for (bool last = tail == queue_addr; !last && !rc;) {
		uint64_t addr = link - rd_ucx_offset(u, UF_ucp_request_t_recv_queue) +
				acc_layout_bytes(&u->layout, U_ucp_request_t);
		struct rd_ucx_found r;

		last = link == tail;
		rc = look_at_queues(u, addr, &r);
		n += !rc && !r.offloaded;
		if (!rc && (!belongs(&r, bucket) || n > count))
			rc = ACC_ECORRUPT;
		if (!rc && !rd_ucx_list_append(u, list, &(struct rd_ucx_entry){ addr, r.tag, r.sequence }))
			return false;
		link = r.next;
	}
	if (!rc && n < count)
		rc = ACC_ECORRUPT;
	if (rc)
		rd_ucx_list_spoil(list, rc, bad_queue);
	return rc == ACC_OK;
}

static void take_receives(struct rd_ucx *u, uint64_t worker_addr)
{
	uint64_t hash, step = acc_layout_bytes(&u->layout, U_ucp_request_queue_t);

	if (!take_queue(u, worker_addr + rd_ucx_offset(u, UF_ucp_worker_t_expected_wildcard), RD_UCX_HASH))
		return;
	if (acc_read_ptr(u->sp, worker_addr + rd_ucx_offset(u, UF_ucp_worker_t_expected_hash), &hash)) {
		rd_ucx_list_spoil(&u->receives, ACC_EREAD, bad_queue);
		return;
	}
	for (unsigned i = 0; i < RD_UCX_HASH; i++)
		if (!take_queue(u, hash + i * step, i))
			return;
}

static void take_messages(struct rd_ucx *u, uint64_t worker_addr)
{
	uint64_t head = worker_addr + rd_ucx_offset(u, UF_ucp_worker_t_unexpected_all), first, link;
	uint64_t next_off = rd_ucx_offset(u, UF_ucs_list_link_t_next);
	struct acc_walk w;
	enum acc_rc rc = acc_read_ptr(u->sp, head + next_off, &first);

	if (!rc) {
		acc_walk_init(&w, u->sp, first, head, (uint32_t)next_off, RD_UCX_ENTRIES_MAX);
		acc_walk_compare(&w, (uint32_t)rd_ucx_offset(u, UF_ucs_list_link_t_prev), UINT64_MAX);
		while ((rc = acc_walk_next(&w, &link)) == ACC_OK) {
			uint64_t addr = link - rd_ucx_offset(u, UF_ucp_recv_desc_t_tag_list_all), tag;

			rc = acc_read_u(u->sp, addr + acc_layout_bytes(&u->layout, U_ucp_recv_desc_t), 8, &tag);
			if (rc || !rd_ucx_list_append(u, &u->messages, &(struct rd_ucx_entry){ addr, tag, 0 }))
				break;
		}
	}
	if (rc && rc != ACC_NONE)
		rd_ucx_list_spoil(&u->messages, rc, "the list of unexpected messages inside UCX");
}

static void build(struct rd_ucx *u)
{
	if (u->built)
		return;
	u->built = true;
	rd_ucx_take_pools(u); /* requests that it lacks are read one by one */
	for (unsigned i = 0; i < u->n_workers; i++) {
		take_receives(u, u->worker_addr[i]);
		take_messages(u, u->worker_addr[i]);
	}
	rd_ucx_list_sort(&u->receives);
}

const struct rd_ucx_list *rd_ucx_receives(struct rd_ucx *u)
{
	build(u);
	return &u->receives;
}

const struct rd_ucx_list *rd_ucx_messages(struct rd_ucx *u)
{
	build(u);
	return &u->messages;
}

bool rd_ucx_is_posted(struct rd_ucx *u, uint64_t addr, uint64_t sequence)
{
	const struct rd_ucx_list *list = rd_ucx_receives(u);
	uint64_t lo = 0, n = list->n;

	while (n) {
		uint64_t half = n / 2;

		if (list->entries[lo + half].sequence < sequence) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	for (; lo < list->n && list->entries[lo].sequence == sequence; lo++)
		if (list->entries[lo].addr == addr)
			return true;
	return false;
}
