/* SPDX-License-Identifier: BSD-3-Clause */
#include "openmpi.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* Does the layout describe this class? Checks the rows that the reader requires. */
static bool described(const struct rd_ompi *o, enum mdl_op_class op_class)
{
	switch (op_class) {
	case MDL_SENDS:
		return true; /* rows of base types are required anyway */
	case MDL_RECEIVES:
		return rd_ompi_has(o, F_mca_pml_comm_t_wild_receives) && rd_ompi_has(o, F_mca_pml_comm_t_procs) &&
		       rd_ompi_has(o, F_mca_pml_comm_t_num_procs) &&
		       rd_ompi_has(o, F_mca_pml_ob1_comm_proc_t_specific_receives);
	case MDL_UNEXPECTED:
		return rd_ompi_has(o, F_mca_pml_comm_t_procs) && rd_ompi_has(o, F_mca_pml_comm_t_num_procs) &&
		       rd_ompi_has(o, F_mca_pml_ob1_comm_proc_t_unexpected_frags) &&
		       rd_ompi_has(o, F_mca_pml_ob1_recv_frag_t_hdr) &&
		       rd_ompi_has(o, F_mca_pml_ob1_recv_frag_t_segments) &&
		       rd_ompi_has(o, F_mca_pml_ob1_match_hdr_t_hdr_seq);
	case MDL_COLLECTIVES:
		return rd_ompi_has(o, F_ompi_coll_libnbc_component_t_requests) &&
		       rd_ompi_has(o, F_ompi_coll_libnbc_request_t_comm) &&
		       rd_ompi_has(o, F_ompi_coll_libnbc_request_t_tag);
	default:
		return false;
	}
}

enum acc_rc rd_ompi_ops_available(void *state, enum mdl_op_class op_class, const char **why)
{
	struct rd_ompi *o = state;
	uint64_t addr;

	if (!rd_ompi_alive(o)) {
		*why = "MPI is not initialized, or finalized";
		return ACC_NONE;
	}
	if (op_class == MDL_COLLECTIVES) {
		if (rd_ompi_symbol(o, S_mca_coll_libnbc_component, &addr)) {
			*why = "coll/libnbc, the only component with a list of them, is not loaded";
			return ACC_NONE;
		}
	} else if (o->by_ucx) {
		return ACC_OK;
	} else if (!o->ob1) {
		*why = o->pml_why ? o->pml_why : "only the queues of pml ob1 are known";
		return ACC_NONE;
	}
	if (!described(o, op_class)) {
		*why = "the layout does not describe these queues; run mpidbg doctor";
		return ACC_NONE;
	}
	return ACC_OK;
}

/* Start on the requests of a free list: by its index, or filtered if that does not fit into memory. */
static enum acc_rc requests_first(struct rd_ompi *o, struct rd_op_iter *it)
{
	struct rd_ompi_ops *ops = &o->ops;
	enum rd_ompi_class which;
	unsigned type;
	uint32_t span;
	uint64_t addr;

	ops->phase = P_DONE;
	ops->index = rd_ompi_index(o, it->op_class);
	if (ops->index->empty)
		return ACC_OK;
	if (!ops->index->overflow) {
		/* operations found are returned even if the list was truncated, which counts as one bad element for
		 * every communicator */
		uint64_t n_bad = ops->index->n_bad + (ops->index->rc != ACC_OK);
		if (n_bad)
			acc_note(&o->sp->note, ops->index->rc ? ops->index->rc : ACC_ECORRUPT,
				 "free list of requests: not all of it could be read");
		it->n_bad += n_bad;
		ops->entry = rd_ompi_index_find(ops->index, ops->comm.facts.id);
		ops->phase = P_INDEX;
		return ACC_OK;
	}
	enum acc_rc rc = rd_ompi_index_source(o, it->op_class, &addr, &type, &which, &span);
	if (rc == ACC_OK)
		rc = rd_ompi_freelist_first(o, addr, &ops->freelist);
	if (rc == ACC_OK)
		ops->phase = P_FILTER;
	return rc;
}

enum acc_rc rd_ompi_op_first(void *state, struct rd_op_iter *it)
{
	struct rd_ompi *o = state;
	struct rd_ompi_ops *ops = &o->ops;
	const char *why;

	enum acc_rc rc = rd_ompi_ops_available(o, it->op_class, &why);
	if (rc)
		return rc;
	ops->phase = P_DONE;
	it->state[RD_OMPI_IT_SERIAL] = ops->serial = ++o->serial;
	it->state[RD_OMPI_IT_POSTED] = 0;
	if (it->comm) {
		rc = rd_ompi_comm_find(o, it->comm->id, &ops->comm);
		if (rc)
			return rc;
		if (it->op_class != MDL_COLLECTIVES && !o->by_ucx && !ops->comm.pml_comm_addr)
			return ACC_NONE;
	} else if (it->op_class != MDL_UNEXPECTED && (!o->by_ucx || it->op_class == MDL_COLLECTIVES)) {
		return ACC_NONE;
	}
	if (o->by_ucx && it->op_class != MDL_COLLECTIVES)
		return rd_ompi_ucx_first(o, it);
	switch (it->op_class) {
	case MDL_RECEIVES:
		rc = rd_ompi_posted_first(o);
		if (rc == ACC_OK)
			ops->phase = P_POSTED;
		return rc;
	case MDL_UNEXPECTED:
		return rd_ompi_unexpected_first(o, it->comm);
	default:
		return requests_first(o, it);
	}
}

static enum acc_rc request_op(struct rd_ompi *o, struct rd_op_iter *it, uint64_t addr, struct mdl_op *ret)
{
	enum rd_ompi_class which;
	struct rd_ompi_obj req;
	unsigned type;
	uint32_t span;
	uint64_t list_addr;

	enum acc_rc rc = rd_ompi_index_source(o, it->op_class, &list_addr, &type, &which, &span);
	if (rc)
		return rc;
	rd_ompi_load(&req, o, type, addr, span);
	uint64_t class_addr = rd_ompi_u(&req, F_opal_object_t_obj_class);
	rc = req.rc ? req.rc : rd_ompi_is(o, class_addr, which);
	if (rc)
		return rc;
	switch (it->op_class) {
	case MDL_SENDS:
		return rd_ompi_request_send(&req, &o->ops.comm, ret);
	case MDL_RECEIVES:
		return rd_ompi_request_receive(&req, &o->ops.comm, ret);
	default:
		return rd_ompi_request_collective(&req, &o->ops.comm, ret);
	}
}

/* The address of the next request that concerns the class and the communicator. */
static enum acc_rc next_request(struct rd_ompi *o, struct rd_op_iter *it, uint64_t *ret)
{
	struct rd_ompi_ops *ops = &o->ops;
	enum rd_ompi_class which;
	struct rd_ompi_obj req;
	unsigned type;
	uint32_t span, key;
	uint64_t addr, list_addr, comm_addr;

	if (ops->phase == P_INDEX) {
		if (!ops->entry)
			return ACC_NONE;
		struct rd_ompi_entry *entry = rd_ompi_index_entry(ops->index, ops->entry);
		ops->entry = entry->next;
		*ret = entry->addr;
		return ACC_OK;
	}
	enum acc_rc rc = rd_ompi_index_source(o, it->op_class, &list_addr, &type, &which, &span);
	while (rc == ACC_OK && (rc = rd_ompi_freelist_next(&ops->freelist, &addr)) == ACC_OK) {
		rd_ompi_peek(&req, o, type, addr, span);
		if (rd_ompi_request_wanted(&req, it->op_class, &comm_addr, &key) && comm_addr == ops->comm.facts.id) {
			*ret = addr;
			return ACC_OK;
		}
		if (req.rc)
			rc = rd_ompi_skip(o, it, req.rc, type, addr);
	}
	return rc;
}

static enum acc_rc any_next(struct rd_ompi *o, struct rd_op_iter *it, struct mdl_op *ret)
{
	struct rd_ompi_ops *ops = &o->ops;
	uint64_t addr;
	enum acc_rc rc;

	if (ops->phase >= P_UCX_QUEUED)
		return rd_ompi_ucx_next(o, it, ret);
	if (it->op_class == MDL_UNEXPECTED)
		return rd_ompi_unexpected_next(o, it, ret);
	if (ops->phase == P_POSTED) {
		rc = rd_ompi_posted_next(o, it, ret);
		if (rc != ACC_NONE)
			return rc;
		rc = requests_first(o, it);
		if (rc)
			return rc;
	}
	if (ops->phase != P_INDEX && ops->phase != P_FILTER)
		return ACC_NONE;
	while ((rc = next_request(o, it, &addr)) == ACC_OK) {
		rc = request_op(o, it, addr, ret);
		if (rc != ACC_OK && rc != ACC_NONE)
			rc = rd_ompi_skip(o, it, rc, T_ompi_request_t, addr);
		else if (rc == ACC_OK)
			return rc;
		if (rc && rc != ACC_NONE)
			return rc;
	}
	return rc;
}

enum acc_rc rd_ompi_op_next(void *state, struct rd_op_iter *it, struct mdl_op *ret)
{
	struct rd_ompi *o = state;
	struct mdl_op op;
	enum acc_rc rc;

	if (it->state[RD_OMPI_IT_SERIAL] != o->ops.serial)
		return ACC_EINVAL; /* another walk was started, or the process has run */
	while ((rc = any_next(o, it, &op)) == ACC_OK) {
		if (!it->all && (op.internal || op.status == MDL_COMPLETE))
			continue;
		*ret = op;
		return ACC_OK;
	}
	o->ops.phase = P_DONE;
	return rc;
}
