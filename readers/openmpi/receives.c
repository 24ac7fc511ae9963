/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Posted receives of pml/ob1. mca_pml_comm_t (ompi/mca/pml/ob1/pml_ob1_comm.h) has one list of receives from any source
 * and one for each peer. Each receive takes the communicator's next number and is appended, so each list is in
 * ascending order, and merging the lists gives the order of posting. The number has 32 bits and wraps around; the
 * distance to the next number does not.
 */
#include "openmpi.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { HEADS_FIRST = 64, HEADS_MAX = ACC_ARENA_BYTES / 2 / sizeof(struct rd_ompi_head) };

/* ---- the heap of lists, by the age of their first receive ------------------------------------------------ */

static void sift_down(struct rd_ompi_ops *ops, uint64_t i)
{
	struct rd_ompi_head *heads = ops->heads;

	for (;;) {
		uint64_t least = i, left = 2 * i + 1, right = left + 1;

		if (left < ops->n_heads && heads[left].key < heads[least].key)
			least = left;
		if (right < ops->n_heads && heads[right].key < heads[least].key)
			least = right;
		if (least == i)
			return;
		struct rd_ompi_head swap = heads[i];
		heads[i] = heads[least];
		heads[least] = swap;
		i = least;
	}
}

static void drop_first(struct rd_ompi_ops *ops)
{
	ops->heads[0] = ops->heads[--ops->n_heads];
	sift_down(ops, 0);
}

/* @return false: no room. */
static bool push(struct rd_ompi *o, struct rd_ompi_head head)
{
	struct rd_ompi_ops *ops = &o->ops;

	if (ops->n_heads == ops->cap_heads) {
		uint64_t cap = ops->cap_heads ? 2 * ops->cap_heads : HEADS_FIRST;
		struct rd_ompi_head *wider = cap <= HEADS_MAX ? acc_array(o->sp, cap, sizeof(*wider)) : NULL;

		if (!wider)
			return false;
		if (ops->n_heads)
			memcpy(wider, ops->heads, ops->n_heads * sizeof(*wider));
		acc_array_free(o->sp, ops->heads);
		ops->heads = wider;
		ops->cap_heads = cap;
	}
	uint64_t i = ops->n_heads++;
	while (i && ops->heads[(i - 1) / 2].key > head.key) {
		ops->heads[i] = ops->heads[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	ops->heads[i] = head;
	return true;
}

/* ---- lists -------------------------------------------------------------------------------------------- */

/* Age of the receive at @p addr. */
static enum acc_rc key_of(struct rd_ompi *o, uint64_t addr, uint32_t *ret)
{
	const struct acc_field_at *at = &o->layout->fields[F_mca_pml_base_request_t_req_sequence];
	uint64_t sequence;

	if (!acc_plausible(o->sp, addr, 4))
		return ACC_ECORRUPT;
	enum acc_rc rc = acc_read_u(o->sp, addr + at->offset, at->width, &sequence);
	if (rc == ACC_OK)
		*ret = (uint32_t)(sequence - o->ops.posted_seq);
	return rc;
}

/* At the end of a list: does the sentinel point back to the last item, and are there as many as the list says? */
static enum acc_rc compare_end(struct rd_ompi *o, const struct rd_ompi_head *head)
{
	uint64_t last;
	enum acc_rc rc = acc_read_ptr(
		o->sp, head->sentinel_addr + o->layout->fields[F_opal_list_item_t_opal_list_prev].offset, &last);

	if (rc)
		return rc;
	/* a process that was stopped while it added or removed an item has a number that differs by one */
	return head->torn || last != head->prev_addr || head->n + 1 < head->length || head->n > head->length + 1
		       ? ACC_ECORRUPT
		       : ACC_OK;
}

/* Put the list at @p list_addr into the heap. @return false: no room for it. */
static bool add_list(struct rd_ompi *o, struct rd_op_iter *it, uint64_t list_addr)
{
	struct rd_ompi_head head = { .list_addr = list_addr };

	enum acc_rc rc = rd_ompi_list(o, list_addr, &head.item_addr, &head.sentinel_addr, &head.length);
	head.prev_addr = head.sentinel_addr;
	bool empty = rc == ACC_OK && head.item_addr == head.sentinel_addr;
	if (rc == ACC_OK)
		rc = empty ? compare_end(o, &head) : key_of(o, head.item_addr, &head.key);
	if (rc) {
		it->n_bad++;
		rd_ompi_bad(o, rc, T_opal_list_t, list_addr);
		return true;
	}
	return empty || push(o, head);
}

/* Add lists of the remaining peers until there are no more, or no more room. */
static enum acc_rc add_peers(struct rd_ompi *o, struct rd_op_iter *it)
{
	struct acc_slots *s = &o->ops.procs;
	uint64_t proc_addr, offset = o->layout->fields[F_mca_pml_ob1_comm_proc_t_specific_receives].offset;
	enum acc_rc rc;

	if (!rd_ompi_has(o, F_mca_pml_ob1_comm_proc_t_specific_receives))
		return ACC_EFIELD;
	while ((rc = acc_slots_next(s, &proc_addr)) == ACC_OK) {
		if (!proc_addr)
			continue;
		rc = rd_ompi_check(o, proc_addr, C_mca_pml_ob1_comm_proc_t);
		if (rc) {
			rc = rd_ompi_skip(o, it, rc, T_mca_pml_ob1_comm_proc_t, proc_addr);
			if (rc)
				return rc;
			continue;
		}
		if (!add_list(o, it, proc_addr + offset)) {
			/* no room: return the current ones first, then
			 * continue; the order is correct within each batch */
			s->i--;
			s->at--;
			return o->ops.n_heads ? ACC_OK : ACC_ENOMEM;
		}
	}
	return rc == ACC_NONE ? ACC_OK : rd_ompi_bad(o, rc, T_mca_pml_comm_t, o->ops.comm.pml_comm_addr);
}

enum acc_rc rd_ompi_posted_first(struct rd_ompi *o)
{
	struct rd_ompi_ops *ops = &o->ops;
	uint64_t pml_comm_addr = ops->comm.pml_comm_addr;

	ops->n_heads = 0;
	ops->posted_seq = 0;
	enum acc_rc rc = rd_ompi_procs(o, &ops->comm, &ops->procs);
	if (rc)
		return rc;
	if (!rd_ompi_has(o, F_mca_pml_comm_t_wild_receives))
		return rd_ompi_bad(o, ACC_EFIELD, T_mca_pml_comm_t, pml_comm_addr);
	if (rd_ompi_has(o, F_mca_pml_comm_t_recv_sequence)) {
		const struct acc_field_at *at = &o->layout->fields[F_mca_pml_comm_t_recv_sequence];

		rc = acc_read_u(o->sp, pml_comm_addr + at->offset, at->width, &ops->posted_seq);
		if (rc)
			return rd_ompi_bad(o, rc, T_mca_pml_comm_t, pml_comm_addr);
	}
	return ACC_OK;
}

enum acc_rc rd_ompi_posted_next(struct rd_ompi *o, struct rd_op_iter *it, struct mdl_op *ret)
{
	struct rd_ompi_ops *ops = &o->ops;
	struct rd_ompi_obj req;
	enum acc_rc rc;

	if (!it->state[RD_OMPI_IT_POSTED]) {
		it->state[RD_OMPI_IT_POSTED] = 1;
		uint64_t offset = o->layout->fields[F_mca_pml_comm_t_wild_receives].offset;
		if (!add_list(o, it, ops->comm.pml_comm_addr + offset))
			return ACC_ENOMEM;
	}
	for (;;) {
		if (!ops->n_heads) {
			rc = add_peers(o, it);
			if (rc)
				return rc;
			if (!ops->n_heads)
				return ACC_NONE;
		} else if (it->state[RD_OMPI_IT_POSTED] == 1) {
			rc = add_peers(o, it);
			if (rc)
				return rc;
		}
		it->state[RD_OMPI_IT_POSTED] = 2;

		struct rd_ompi_head *head = &ops->heads[0];
		uint64_t addr = head->item_addr, next;
		uint32_t key;

		rd_ompi_load(&req, o, T_mca_pml_ob1_recv_request_t, addr, o->recv_span);
		uint64_t class_addr = rd_ompi_u(&req, F_opal_object_t_obj_class);
		next = rd_ompi_u(&req, F_opal_list_item_t_opal_list_next);
		uint64_t prev = rd_ompi_u(&req, F_opal_list_item_t_opal_list_prev);
		rc = req.rc ? req.rc : rd_ompi_is(o, class_addr, C_mca_pml_ob1_recv_request_t);
		if (rc) {
			/* not a request: its next pointer is meaningless, so the list ends here */
			drop_first(ops);
			rc = rd_ompi_skip(o, it, rc, T_mca_pml_ob1_recv_request_t, addr);
			if (rc)
				return rc;
			continue;
		}
		head->torn |= prev != head->prev_addr;
		head->prev_addr = addr;
		head->n++;
		if (next == head->sentinel_addr) {
			uint64_t list_addr = head->list_addr;

			rc = compare_end(o, head);
			drop_first(ops);
			if (rc && (rc = rd_ompi_skip(o, it, rc, T_opal_list_t, list_addr)))
				return rc;
		} else {
			rc = key_of(o, next, &key);
			if (rc == ACC_OK && key <= head->key)
				rc = ACC_ECORRUPT; /* not in order: a cycle, or not a list */
			if (rc) {
				drop_first(ops);
				enum acc_rc stop = rd_ompi_skip(o, it, rc, T_mca_pml_ob1_recv_request_t, next);
				if (stop)
					return stop;
			} else {
				head->item_addr = next;
				head->key = key;
				sift_down(ops, 0);
			}
		}
		/* matched meanwhile: the free list contains it, together with the match */
		if (rd_ompi_request_matched(&req))
			continue;
		rc = rd_ompi_request_receive(&req, &ops->comm, ret);
		if (rc == ACC_OK)
			return ACC_OK;
		rc = rd_ompi_skip(o, it, rc == ACC_NONE ? ACC_ECORRUPT : rc, T_mca_pml_ob1_recv_request_t, addr);
		if (rc)
			return rc;
	}
}

/* ---- total number --------------------------------------------------------------------------------------- */

/* Length of a list, and whether its last receive is a probe, whose request is on a stack. */
static enum acc_rc count_list(struct rd_ompi *o, uint64_t list_addr, uint64_t *n, bool *stack)
{
	const struct acc_field_at *fields = o->layout->fields;
	const struct acc_field_at *type = &fields[F_mca_pml_base_request_t_req_type];
	uint64_t first, sentinel, length, last, kind;

	enum acc_rc rc = rd_ompi_list(o, list_addr, &first, &sentinel, &length);
	if (rc || first == sentinel)
		return rc;
	rc = acc_read_ptr(o->sp, sentinel + fields[F_opal_list_item_t_opal_list_prev].offset, &last);
	if (rc == ACC_OK)
		rc = acc_read_u(o->sp, last + type->offset, type->width, &kind);
	if (rc)
		return rc;
	*stack = *stack || kind == RD_OMPI_PML_PROBE;
	*n += length;
	return ACC_OK;
}

static enum acc_rc count_comm(struct rd_ompi *o, const struct rd_ompi_comm *comm, uint64_t *n, bool *stack)
{
	uint64_t wild_addr = comm->pml_comm_addr + o->layout->fields[F_mca_pml_comm_t_wild_receives].offset;
	const struct acc_field_at *fields = o->layout->fields;
	struct acc_slots procs;
	uint64_t proc_addr;

	enum acc_rc rc = rd_ompi_procs(o, comm, &procs);
	if (rc == ACC_OK)
		rc = count_list(o, wild_addr, n, stack);
	while (rc == ACC_OK && (rc = acc_slots_next(&procs, &proc_addr)) == ACC_OK)
		if (proc_addr)
			rc = count_list(o, proc_addr + fields[F_mca_pml_ob1_comm_proc_t_specific_receives].offset, n,
					stack);
	return rc == ACC_NONE ? ACC_OK : rc;
}

enum acc_rc rd_ompi_posted_count(struct rd_ompi *o, uint64_t *n, bool *stack)
{
	struct acc_slots slots;
	struct rd_ompi_comm comm;
	uint64_t addr, comm_addr;

	if (!rd_ompi_has(o, F_mca_pml_comm_t_wild_receives) ||
	    !rd_ompi_has(o, F_mca_pml_ob1_comm_proc_t_specific_receives))
		return ACC_EFIELD;
	*n = 0;
	*stack = false;
	enum acc_rc rc = rd_ompi_symbol(o, S_ompi_mpi_communicators, &addr);
	if (rc == ACC_OK)
		rc = rd_ompi_array(o, addr, &slots);
	while (rc == ACC_OK && (rc = acc_slots_next(&slots, &comm_addr)) == ACC_OK) {
		if (!acc_plausible(o->sp, comm_addr, 4) || rd_ompi_comm_load(o, comm_addr, &comm))
			continue;
		if (comm.pml_comm_addr)
			rc = count_comm(o, &comm, n, stack);
	}
	return rc == ACC_NONE ? ACC_OK : rc;
}
