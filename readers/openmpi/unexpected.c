/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Unexpected messages of pml/ob1. Each source (mca_pml_ob1_comm_proc_t) has, in the order of sending, a list of
 * messages that can be matched, and a ring of messages that arrived before an earlier one. The ring has no sentinel;
 * each of its elements may be the head of a ring of the messages that follow it without a gap (`range`).
 *
 * mca_pml_ob1_recv_frag_t (pml_ob1_recvfrag.h) has a copy of the header; segment 0 contains header and data. Types of
 * headers (pml_ob1_hdr.h): MATCH contains the message; RNDV and RGET announce one that stays with the sender. Since
 * 5.0, CID precedes one of these: an extended context id, in messages to a communicator created from a group, until its
 * receiver has replied.
 */
#include "openmpi.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum {
	HDR_MATCH = 0x41,
	HDR_RNDV = 0x42,
	HDR_RGET = 0x43,
	HDR_CID = 0x4a,
	EARLY_MAX = 1 << 16, /* out-of-order messages of one source: their numbers have 16 bits */
	LIST_SLACK = 1024,   /* a list that is being changed may be slightly longer than its length field says */
};

enum acc_rc rd_ompi_message(struct rd_ompi *o, uint64_t frag_addr, struct rd_ompi_message *ret)
{
	struct rd_ompi_message m = { 0 };
	struct rd_ompi_obj frag;

	rd_ompi_load(&frag, o, T_mca_pml_ob1_recv_frag_t, frag_addr, o->frag_span);
	uint64_t class_addr = rd_ompi_u(&frag, F_opal_object_t_obj_class);
	enum acc_rc rc = frag.rc ? frag.rc : rd_ompi_is(o, class_addr, C_mca_pml_ob1_recv_frag_t);
	if (rc)
		return rc;
	uint32_t hdr = rd_ompi_offset(&frag, F_mca_pml_ob1_recv_frag_t_hdr);
	uint32_t segment = rd_ompi_offset(&frag, F_mca_pml_ob1_recv_frag_t_segments);
	uint64_t type = rd_ompi_u_at(&frag, hdr, F_mca_pml_ob1_common_hdr_t_hdr_type);
	uint32_t before = 0; /* number of bytes before the match header */
	if (type == HDR_CID && rd_ompi_has(o, F_mca_pml_ob1_ext_match_hdr_t_hdr_match)) {
		before = o->layout->fields[F_mca_pml_ob1_ext_match_hdr_t_hdr_match].offset;
		hdr += before;
		type = rd_ompi_u_at(&frag, hdr, F_mca_pml_ob1_common_hdr_t_hdr_type);
	}
	m.context = (uint16_t)rd_ompi_u_at(&frag, hdr, F_mca_pml_ob1_match_hdr_t_hdr_ctx);
	m.source = rd_ompi_i_at(&frag, hdr, F_mca_pml_ob1_match_hdr_t_hdr_src);
	m.tag = rd_ompi_i_at(&frag, hdr, F_mca_pml_ob1_match_hdr_t_hdr_tag);
	m.sequence = (uint16_t)rd_ompi_u_at(&frag, hdr, F_mca_pml_ob1_match_hdr_t_hdr_seq);
	uint64_t seg_addr = rd_ompi_u_at(&frag, segment, F_mca_btl_base_segment_t_seg_addr);
	uint64_t seg_bytes = rd_ompi_u_at(&frag, segment, F_mca_btl_base_segment_t_seg_len);
	uint32_t header_bytes;
	switch (type) {
	case HDR_MATCH:
		m.protocol = MDL_EAGER;
		header_bytes = rd_ompi_match_header_bytes(o);
		if (!frag.rc && (!header_bytes || seg_bytes < before + header_bytes))
			return ACC_ECORRUPT;
		m.bytes = seg_bytes - before - header_bytes;
		/* with two headers, the start of the message depends
		 * on whether its communicator has accepted it already */
		m.data_addr = before ? 0 : seg_addr + header_bytes;
		break;
	case HDR_RNDV:
	case HDR_RGET:
		m.protocol = MDL_RENDEZVOUS;
		m.bytes = rd_ompi_u_at(&frag, hdr, F_mca_pml_ob1_rendezvous_hdr_t_hdr_msg_length);
		m.sender_request = rd_ompi_u_at(&frag, hdr, F_mca_pml_ob1_rendezvous_hdr_t_hdr_src_req);
		m.data_addr = 0;
		break;
	default:
		return frag.rc ? frag.rc : ACC_ECORRUPT;
	}
	if (frag.rc)
		return frag.rc;
	if (m.bytes > INT64_MAX)
		return ACC_ECORRUPT;
	*ret = m;
	return ACC_OK;
}

/* Convert a fragment to an operation. @p peers: the group of the source; NULL: none. */
static enum acc_rc message_op(struct rd_ompi *o, uint64_t frag_addr, const struct rd_ompi_group *peers, bool early,
			      struct mdl_op *ret)
{
	struct rd_ompi_message m;
	struct mdl_op op = { .kind = MDL_MESSAGE, .origin = "ob1", .active = true, .system_buffer = true };

	enum acc_rc rc = rd_ompi_message(o, frag_addr, &m);
	if (rc)
		return rc;
	if (m.source < 0 || (peers && (uint64_t)m.source >= peers->n))
		return ACC_ECORRUPT;
	op.addr = frag_addr;
	op.protocol = m.protocol;
	op.out_of_order = early;
	op.internal = m.tag < 0;
	op.peer = mdl_known(m.source);
	op.peer_world = peers ? rd_ompi_world_rank(o, peers, m.source)
			      : mdl_unavailable("its communicator does not exist here yet");
	op.tag = mdl_known(m.tag);
	op.bytes = mdl_known((int64_t)m.bytes);
	op.count = op.datatype_handle = mdl_unavailable("a message does not carry its datatype");
	op.buffer = m.protocol != MDL_EAGER ? mdl_unavailable("the message is still with its sender")
		    : m.data_addr           ? mdl_known((int64_t)m.data_addr)
					    : mdl_unavailable("after a header with an extended context id");
	op.actual_peer = op.actual_peer_world = op.actual_tag = op.actual_bytes = mdl_none();
	op.request = op.fortran = mdl_unavailable("an unexpected message has no request");
	op.sequence = mdl_known(m.sequence);
	op.sender_request = m.protocol == MDL_RENDEZVOUS ? mdl_known((int64_t)m.sender_request) : mdl_none();
	*ret = op;
	return ACC_OK;
}

static void list_walk(struct rd_ompi *o, struct acc_walk *w, uint64_t first, uint64_t sentinel, uint64_t length)
{
	uint64_t cap = length < ACC_LIST_MAX - LIST_SLACK ? length + LIST_SLACK : ACC_LIST_MAX;

	acc_walk_init(w, o->sp, first, sentinel, o->layout->fields[F_opal_list_item_t_opal_list_next].offset, cap);
	acc_walk_compare(w, o->layout->fields[F_opal_list_item_t_opal_list_prev].offset, length);
}

enum acc_rc rd_ompi_unexpected_first(struct rd_ompi *o, const struct mdl_comm *comm)
{
	struct rd_ompi_ops *ops = &o->ops;
	uint64_t addr, first, sentinel, length;
	enum acc_rc rc;

	if (comm) {
		rc = rd_ompi_procs(o, &ops->comm, &ops->procs);
		if (rc)
			return rc;
		if (!rd_ompi_has(o, F_mca_pml_ob1_comm_proc_t_unexpected_frags))
			return rd_ompi_bad(o, ACC_EFIELD, T_mca_pml_ob1_comm_proc_t, ops->comm.pml_comm_addr);
		ops->phase = P_PROC;
		return ACC_OK;
	}
	rc = rd_ompi_symbol(o, S_mca_pml_ob1, &addr);
	if (rc)
		return acc_note(&o->sp->note, rc, "mca_pml_ob1: %s", acc_rc_text(rc));
	if (!rd_ompi_has(o, F_mca_pml_ob1_t_non_existing_communicator_pending))
		return rd_ompi_bad(o, ACC_EFIELD, T_mca_pml_ob1_t, addr);
	addr += o->layout->fields[F_mca_pml_ob1_t_non_existing_communicator_pending].offset;
	rc = rd_ompi_list(o, addr, &first, &sentinel, &length);
	if (rc)
		return rd_ompi_bad(o, rc, T_mca_pml_ob1_t, addr);
	list_walk(o, &ops->list, first, sentinel, length);
	ops->phase = P_ORPHANS;
	return ACC_OK;
}

/* Start on the lists of one source. */
static enum acc_rc open_proc(struct rd_ompi *o, uint64_t proc_addr)
{
	const struct acc_field_at *fields = o->layout->fields;
	struct rd_ompi_ops *ops = &o->ops;
	uint64_t first, sentinel, length;

	enum acc_rc rc = rd_ompi_check(o, proc_addr, C_mca_pml_ob1_comm_proc_t);
	if (rc == ACC_OK)
		rc = rd_ompi_list(o, proc_addr + fields[F_mca_pml_ob1_comm_proc_t_unexpected_frags].offset, &first,
				  &sentinel, &length);
	ops->ring_first = 0;
	if (rc == ACC_OK && rd_ompi_has(o, F_mca_pml_ob1_comm_proc_t_frags_cant_match))
		rc = acc_read_ptr(o->sp, proc_addr + fields[F_mca_pml_ob1_comm_proc_t_frags_cant_match].offset,
				  &ops->ring_first);
	if (rc)
		return rc;
	list_walk(o, &ops->list, first, sentinel, length);
	ops->n_left = EARLY_MAX;
	return ACC_OK;
}

/*
 * The next element of a ring: @p first itself, then its successors until the ring is closed.
 *
 * @param[in,out] first  set to 0 when it has been returned; the walk then continues in @p w
 */
static enum acc_rc ring_next(struct rd_ompi *o, uint64_t *first, struct acc_walk *w, uint64_t *ret)
{
	uint32_t next_off = o->layout->fields[F_opal_list_item_t_opal_list_next].offset;
	uint64_t addr = *first, next;

	if (!o->ops.n_left)
		return ACC_ELIMIT;
	if (!addr) {
		enum acc_rc rc = acc_walk_next(w, ret);
		o->ops.n_left -= rc == ACC_OK;
		return rc;
	}
	*first = 0;
	acc_walk_init(w, o->sp, addr, addr, next_off, 1); /* ends the walk, in case the following fails */
	if (!acc_plausible(o->sp, addr, 4))
		return ACC_ECORRUPT;
	enum acc_rc rc = acc_read_ptr(o->sp, addr + next_off, &next);
	if (rc)
		return rc;
	acc_walk_init(w, o->sp, next, addr, next_off, EARLY_MAX);
	o->ops.n_left--;
	*ret = addr;
	return ACC_OK;
}

/* The messages that follow an element of the ring: range_first, 0: none. An unreadable one is counted. */
static enum acc_rc open_range(struct rd_ompi *o, struct rd_op_iter *it, uint64_t frag_addr)
{
	uint64_t offset = o->layout->fields[F_mca_pml_ob1_recv_frag_t_range].offset;

	o->ops.range_first = 0;
	if (!rd_ompi_has(o, F_mca_pml_ob1_recv_frag_t_range))
		return ACC_OK;
	enum acc_rc rc = acc_read_ptr(o->sp, frag_addr + offset, &o->ops.range_first);
	return rc ? rd_ompi_skip(o, it, rc, T_mca_pml_ob1_recv_frag_t, frag_addr) : ACC_OK;
}

/* The address of the next fragment. @return ACC_NONE at the end. */
static enum acc_rc next_frag(struct rd_ompi *o, struct rd_op_iter *it, uint64_t *ret, bool *early)
{
	struct rd_ompi_ops *ops = &o->ops;
	uint64_t addr;
	enum acc_rc rc;

	for (;;) {
		enum rd_ompi_phase after;

		*early = ops->phase == P_RING || ops->phase == P_RANGE;
		switch (ops->phase) {
		case P_PROC:
			rc = acc_slots_next(&ops->procs, &addr);
			if (rc == ACC_NONE)
				return rc;
			if (rc)
				return rd_ompi_bad(o, rc, T_mca_pml_comm_t, ops->comm.pml_comm_addr);
			if (!addr)
				continue;
			rc = open_proc(o, addr);
			if (rc) {
				rc = rd_ompi_skip(o, it, rc, T_mca_pml_ob1_comm_proc_t, addr);
				if (rc)
					return rc;
				continue;
			}
			ops->phase = P_LIST;
			continue;
		case P_LIST:
			addr = ops->list.next;
			rc = acc_walk_next(&ops->list, ret);
			after = ops->ring_first ? P_RING : P_PROC;
			break;
		case P_RING:
			addr = ops->ring_first ? ops->ring_first : ops->ring.next;
			rc = ring_next(o, &ops->ring_first, &ops->ring, ret);
			after = P_PROC;
			if (rc)
				break;
			rc = open_range(o, it, *ret);
			if (rc)
				return rc;
			if (ops->range_first)
				ops->phase = P_RANGE;
			break;
		case P_RANGE:
			addr = ops->range_first ? ops->range_first : ops->range.next;
			rc = ring_next(o, &ops->range_first, &ops->range, ret);
			after = P_RING;
			break;
		case P_ORPHANS:
			addr = ops->list.next;
			rc = acc_walk_next(&ops->list, ret);
			if (rc == ACC_NONE)
				return rc;
			after = P_DONE;
			break;
		default:
			return ACC_NONE;
		}
		if (rc == ACC_OK)
			return rc;
		ops->phase = after;
		if (rc != ACC_NONE) {
			rc = rd_ompi_skip(o, it, rc, T_mca_pml_ob1_recv_frag_t, addr);
			if (rc)
				return rc;
		}
	}
}

enum acc_rc rd_ompi_unexpected_next(struct rd_ompi *o, struct rd_op_iter *it, struct mdl_op *ret)
{
	const struct rd_ompi_group *peers = it->comm ? &o->ops.comm.remote : NULL;
	uint64_t addr;
	bool early;
	enum acc_rc rc;

	while ((rc = next_frag(o, it, &addr, &early)) == ACC_OK) {
		rc = message_op(o, addr, peers, early, ret);
		if (rc == ACC_OK)
			return ACC_OK;
		rc = rd_ompi_skip(o, it, rc, T_mca_pml_ob1_recv_frag_t, addr);
		if (rc)
			return rc;
	}
	return rc;
}
