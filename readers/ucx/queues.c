/* SPDX-License-Identifier: BSD-3-Clause */
#include "ucx.h"

#include "../../access/walk.h"

#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {                                          /* as in UCX 1.10 to 1.20: */
       REQUEST_SYNC = 1 << 4 | 1 << 5 | 1 << 8, /* ucp_request_t.flags */
       DESC_EAGER = 0x2,                        /* ucp_recv_desc_t.flags */
       DESC_EAGER_ONLY = 0x4,
       DESC_EAGER_SYNC = 0x8,
       DESC_RNDV = 0x40,
       CLASS_IOV = 2,   /* ucp_dt_class_t */
       OP_TAG_SYNC = 1, /* ucp_operation_id_t */
       OP_BITS = 15,
       HASH_MODULUS = 1021 /* UCP_TAG_MATCH_HASH_SIZE */
};

static const char bad_queue[] = "a queue of receives inside UCX";

static uint64_t at(const struct rd_ucx *u, unsigned field)
{
	return u->layout.fields[field].offset;
}

/* The user's pointer to a request is its end. */
static uint64_t base_of(const struct rd_ucx *u, uint64_t addr)
{
	return addr - acc_layout_bytes(&u->layout, U_ucp_request_t);
}

/* ---- lists ---------------------------------------------------------------------------------------------- */

/* A request without wildcards is in the bucket of its tag, any other in the separate queue: otherwise the hash
 * function differs. */
static bool belongs(const struct rd_ucx_request *r, unsigned bucket)
{
	if (r->mask != UINT64_MAX)
		return bucket == RD_UCX_HASH;
	return ((uint32_t)r->tag % HASH_MODULUS ^ (uint32_t)(r->tag >> 32) % HASH_MODULUS) == bucket;
}

/*
 * A queue of receives: of a bucket, or RD_UCX_HASH for that of wildcards. It ends at the link to which its tail
 * points; its own count bounds the walk. A process that is stopped while it takes one in or out may be one off.
 */
static bool take_queue(struct rd_ucx *u, uint64_t queue_addr, unsigned bucket)
{
	struct rd_ucx_list *list = &u->receives;
	uint64_t link, tail, count, n = 0;
	enum acc_rc rc = ACC_OK;

	if (acc_read_ptr(u->sp, queue_addr + at(u, UF_ucs_queue_head_t_head), &link) ||
	    acc_read_ptr(u->sp, queue_addr + at(u, UF_ucs_queue_head_t_ptail), &tail) ||
	    acc_read_u(u->sp, queue_addr + at(u, UF_ucp_request_queue_t_sw_count), u->sp->sizes.int_bytes, &count)) {
		rd_ucx_list_spoil(list, ACC_EREAD, bad_queue);
		return false;
	}
	if (tail == queue_addr)
		return true;
	for (bool last = false; !last && !rc;) {
		uint64_t addr = link - at(u, UF_ucp_request_t_recv_queue) +
				acc_layout_bytes(&u->layout, U_ucp_request_t);
		struct rd_ucx_request r;

		last = link == tail;
		rc = rd_ucx_receive(u, addr, &r);
		n += !rc && !r.offloaded;
		if (!rc && (!belongs(&r, bucket) || n > count + 1))
			rc = ACC_ECORRUPT;
		if (!rc && !rd_ucx_list_append(u, list, &(struct rd_ucx_entry){ addr, r.tag, r.sequence }))
			return false;
		if (!rc && !last)
			rc = acc_read_ptr(u->sp, link, &link);
	}
	if (!rc && n + 1 < count)
		rc = ACC_ECORRUPT;
	if (rc)
		rd_ucx_list_spoil(list, rc, bad_queue);
	return rc == ACC_OK;
}

static void take_receives(struct rd_ucx *u, uint64_t worker_addr)
{
	uint64_t hash, step = acc_layout_bytes(&u->layout, U_ucp_request_queue_t);

	if (!take_queue(u, worker_addr + at(u, UF_ucp_worker_t_expected_wildcard), RD_UCX_HASH))
		return;
	if (acc_read_ptr(u->sp, worker_addr + at(u, UF_ucp_worker_t_expected_hash), &hash)) {
		rd_ucx_list_spoil(&u->receives, ACC_EREAD, bad_queue);
		return;
	}
	for (unsigned i = 0; i < RD_UCX_HASH; i++)
		if (!take_queue(u, hash + i * step, i))
			return;
}

static void take_messages(struct rd_ucx *u, uint64_t worker_addr)
{
	uint64_t head = worker_addr + at(u, UF_ucp_worker_t_unexpected_all), first, link;
	uint64_t next_off = at(u, UF_ucs_list_link_t_next);
	struct acc_walk w;
	enum acc_rc rc = acc_read_ptr(u->sp, head + next_off, &first);

	if (!rc) {
		acc_walk_init(&w, u->sp, first, head, (uint32_t)next_off, RD_UCX_ENTRIES_MAX);
		while ((rc = acc_walk_next(&w, &link)) == ACC_OK) {
			uint64_t addr = link - at(u, UF_ucp_recv_desc_t_tag_list_all), tag;

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

/* ---- single ones ------------------------------------------------------------------------------------------ */

bool rd_ucx_is_request(struct rd_ucx *u, uint64_t addr)
{
	uint64_t pool_addr;

	/* src/ucs/datastruct/mpool.h: the word before what a pool has given out names the pool */
	if (!acc_plausible(u->sp, addr, 8) ||
	    acc_read_ptr(u->sp, base_of(u, addr) - u->sp->sizes.pointer_bytes, &pool_addr))
		return false;
	for (unsigned i = 0; i < u->n_workers; i++)
		if (pool_addr == u->worker_addr[i] + at(u, UF_ucp_worker_t_req_mp))
			return true;
	return false;
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

static enum acc_rc load(struct rd_ucx *u, uint64_t addr, struct acc_obj *ret)
{
	struct acc_note note = u->sp->note;

	if (!acc_plausible(u->sp, addr, 8))
		return ACC_ECORRUPT;
	acc_obj_load(ret, u->sp, &u->layout, U_ucp_request_t, base_of(u, addr));
	u->sp->note = note;
	return ret->rc;
}

enum acc_rc rd_ucx_receive(struct rd_ucx *u, uint64_t addr, struct rd_ucx_request *ret)
{
	struct acc_obj o;
	enum acc_rc rc = load(u, addr, &o);

	if (rc)
		return rc;
	uint64_t worker_addr = acc_get_u(&o, UF_ucp_request_t_recv_worker);
	uint64_t flags = acc_get_u(&o, UF_ucp_request_t_flags);
	*ret = (struct rd_ucx_request){
		.addr = addr,
		.user_data = acc_get_u(&o, UF_ucp_request_t_user_data),
		.buffer = acc_get_u(&o, UF_ucp_request_t_recv_buffer),
		.bytes = acc_get_u(&o, UF_ucp_request_t_recv_length),
		.tag = acc_get_u(&o, UF_ucp_request_t_recv_tag),
		.mask = acc_get_u(&o, UF_ucp_request_t_recv_tag_mask),
		.sequence = acc_get_u(&o, UF_ucp_request_t_recv_sn),
		.pieces = acc_layout_has(&u->layout, UF_ucp_request_t_recv_class) &&
			  acc_get_u(&o, UF_ucp_request_t_recv_class) == CLASS_IOV,
		.matched_tag = acc_get_u(&o, UF_ucp_request_t_recv_info_tag),
		.matched_bytes = acc_get_u(&o, UF_ucp_request_t_recv_info_length),
		.released = flags & RD_UCX_RELEASED,
		.offloaded = flags & RD_UCX_OFFLOADED,
	};
	if (o.rc)
		return o.rc;
	if (!(flags & RD_UCX_RECV_TAG))
		return ACC_ECORRUPT;
	for (unsigned i = 0; i < u->n_workers; i++)
		if (worker_addr == u->worker_addr[i])
			return ACC_OK;
	return ACC_ECORRUPT;
}

bool rd_ucx_operation(const struct rd_ucx *u, uint64_t config_addr, uint64_t *ret)
{
	uint64_t op;

	if (!acc_plausible(u->sp, config_addr, 8) ||
	    acc_read_u(u->sp, config_addr + at(u, UF_ucp_proto_config_t_select_op), 1, &op))
		return false;
	*ret = op & OP_BITS;
	return true;
}

/* Was the protocol of the send selected as synchronous? The flags show it only after its data were sent. */
static bool is_synchronous(struct rd_ucx *u, uint64_t config_addr)
{
	uint64_t op;

	return rd_ucx_operation(u, config_addr, &op) && op == OP_TAG_SYNC;
}

enum acc_rc rd_ucx_send(struct rd_ucx *u, uint64_t addr, struct rd_ucx_request *ret)
{
	struct acc_obj o;
	enum acc_rc rc = load(u, addr, &o);

	if (rc)
		return rc;
	uint64_t flags = acc_get_u(&o, UF_ucp_request_t_flags);
	bool newer = flags & RD_UCX_PROTO_SEND;

	*ret = (struct rd_ucx_request){
		.addr = addr,
		.user_data = acc_get_u(&o, UF_ucp_request_t_user_data),
		.buffer = acc_get_u(&o, newer ? UF_ucp_request_t_send_iter_buffer : UF_ucp_request_t_send_buffer),
		.bytes = acc_get_u(&o, newer ? UF_ucp_request_t_send_iter_length : UF_ucp_request_t_send_length),
		.pieces = newer && acc_get_u(&o, UF_ucp_request_t_send_iter_class) == CLASS_IOV,
		.tag = acc_get_u(&o, UF_ucp_request_t_send_tag),
		.ep_addr = acc_get_u(&o, UF_ucp_request_t_send_ep),
		.synchronous = flags & REQUEST_SYNC ||
			       (newer && is_synchronous(u, acc_get_u(&o, UF_ucp_request_t_send_config))),
		.released = flags & RD_UCX_RELEASED,
	};
	if (o.rc)
		return o.rc;
	return rd_ucx_is_ep(u, ret->ep_addr) ? ACC_OK : ACC_ECORRUPT;
}

enum acc_rc rd_ucx_message(struct rd_ucx *u, uint64_t addr, struct rd_ucx_message *ret)
{
	struct acc_note note = u->sp->note;
	struct acc_obj o;
	uint64_t head = addr + acc_layout_bytes(&u->layout, U_ucp_recv_desc_t);

	acc_obj_load(&o, u->sp, &u->layout, U_ucp_recv_desc_t, addr);
	uint64_t length = acc_get_u(&o, UF_ucp_recv_desc_t_length);
	uint64_t payload = acc_get_u(&o, UF_ucp_recv_desc_t_payload_offset);
	uint64_t flags = acc_get_u(&o, UF_ucp_recv_desc_t_flags);
	struct rd_ucx_message m = { .addr = addr, .data_addr = head + payload, .synchronous = flags & DESC_EAGER_SYNC };
	u->sp->note = note;
	enum acc_rc rc = o.rc ? o.rc : acc_read_u(u->sp, head, 8, &m.tag);
	if (rc)
		return rc;
	if (!(flags & DESC_EAGER) == !(flags & DESC_RNDV) || payload > length)
		return ACC_ECORRUPT;
	if (flags & DESC_RNDV) {
		m.protocol = MDL_RENDEZVOUS;
		m.data_addr = 0;
		rc = acc_read_u(u->sp, head + at(u, UF_ucp_rndv_rts_hdr_t_size), u->sp->sizes.size_bytes, &m.bytes);
	} else {
		m.protocol = MDL_EAGER;
		m.bytes = length - payload;
		if (!(flags & DESC_EAGER_ONLY))
			rc = acc_read_u(u->sp, head + at(u, UF_ucp_eager_first_hdr_t_total_len),
					u->sp->sizes.size_bytes, &m.bytes);
	}
	if (rc || m.bytes > INT64_MAX)
		return rc ? rc : ACC_ECORRUPT;
	*ret = m;
	return ACC_OK;
}
