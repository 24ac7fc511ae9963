/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The requests of the operations in the queues, those of windows, and requests that are in no list: generalized
 * ones, those of io/ompio, those of osc/rdma, and persistent ones with MPI_PROC_NULL.
 */
#include "objects.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

static void collect(struct rd_ompi *o, const struct mdl_comm *comm, enum mdl_op_class op_class)
{
	struct rd_op_iter it = { .p = o->p, .comm = comm, .op_class = op_class, .all = true };
	struct mdl_op op;
	const char *why;

	if (rd_ompi_ops_available(o, op_class, &why) || rd_ompi_op_first(o, &it))
		return;
	while (!rd_ompi_op_next(o, &it, &op))
		if (op.request.known == MDL_KNOWN && !op.internal)
			rd_ompi_addrs_add(o, &o->objects->requests, (uint64_t)op.request.value);
	o->objects->n_bad_operations += it.n_bad;
}

const struct rd_ompi_addrs *rd_ompi_operations(struct rd_ompi *o)
{
	struct rd_comm_iter it = { .p = o->p, .all = false };
	struct acc_note note = o->sp->note;
	struct rd_ompi_ops saved = o->ops; /* of a walk over queues in progress */
	struct mdl_comm c;

	if (!rd_ompi_objects_state(o))
		return NULL;
	if (o->objects->requests.built)
		return &o->objects->requests;
	o->objects->requests.built = true;
	memset(&o->ops, 0, sizeof(o->ops));
	if (!rd_ompi_comm_first(o, &it))
		while (!rd_ompi_comm_next(o, &it, &c))
			for (int op_class = MDL_SENDS; op_class < MDL_N_CLASSES; op_class++)
				if (op_class != MDL_UNEXPECTED)
					collect(o, &c, (enum mdl_op_class)op_class);
	acc_array_free(o->sp, o->ops.heads);
	o->ops = saved;
	o->sp->note = note;
	return &o->objects->requests;
}

/* ---- windows --------------------------------------------------------------------------------------------------- */

/* Did the library create this request for an operation that returns none, such as MPI_Put? */
static bool is_internal(struct rd_ompi *o, uint64_t addr, unsigned row)
{
	uint64_t raw;

	return !rd_ompi_has(o, row) || acc_read_u(o->sp, addr + o->layout->fields[row].offset, 1, &raw) || raw;
}

/* A request of MPI_Rput, MPI_Rget, MPI_Raccumulate or MPI_Rget_accumulate (ompi/mca/osc/rdma, pt2pt, ucx). */
static bool is_window_request(struct rd_ompi *o, uint64_t addr)
{
	static const enum rd_ompi_class of_ucx[] = { C_ompi_osc_ucx_request_t, C_ompi_osc_ucx_generic_request_t,
						     C_ompi_osc_ucx_accumulate_request_t };

	if (!rd_ompi_check(o, addr, C_ompi_osc_rdma_request_t))
		return !is_internal(o, addr, F_ompi_osc_rdma_request_t_internal);
	if (!rd_ompi_check(o, addr, C_ompi_osc_pt2pt_request_t))
		return !is_internal(o, addr, F_ompi_osc_pt2pt_request_t_internal);
	for (unsigned i = 0; i < sizeof(of_ucx) / sizeof(of_ucx[0]); i++)
		if (!rd_ompi_check(o, addr, of_ucx[i]))
			return true;
	return false;
}

static bool is_in_use(struct rd_ompi *o, uint64_t addr)
{
	const struct acc_field_at *row = &o->layout->fields[F_ompi_request_t_req_state];
	uint64_t state;

	return rd_ompi_reference_count(o, addr) && !acc_read_u(o->sp, addr + row->offset, row->width, &state) &&
	       (state == RD_OMPI_REQ_ACTIVE || state == RD_OMPI_REQ_INACTIVE);
}

void rd_ompi_window_requests(struct rd_ompi *o, struct rd_ompi_addrs *ret)
{
	static const struct {
		const char *component;
		unsigned row;
	} lists[] = {
		{ "mca_osc_pt2pt_component", F_ompi_osc_pt2pt_component_t_requests },
		{ "mca_osc_ucx_component", F_ompi_osc_ucx_component_t_requests },
		{ "mca_osc_ucx_component", F_ompi_osc_ucx_component_t_accumulate_requests },
	};
	struct acc_note note = o->sp->note;

	for (unsigned i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct rd_ompi_addrs in_use = { .n = 0 };
		uint64_t addr;

		if (!rd_ompi_has(o, lists[i].row) || acc_symbol(o->sp, lists[i].component, &addr))
			continue;
		addr += o->layout->fields[lists[i].row].offset;
		/* the list of a component that was never used is not constructed */
		rd_ompi_items_in_use(o, addr, &in_use);
		for (uint64_t k = 0; k < in_use.n; k++)
			if (is_window_request(o, in_use.v[k]) && is_in_use(o, in_use.v[k]))
				rd_ompi_addrs_add(o, ret, in_use.v[k]);
		acc_array_free(o->sp, in_use.v);
	}
	o->sp->note = note;
}

/* ---- requests that nothing lists ------------------------------------------------------------------------------- */

bool rd_ompi_is_lone_request(struct rd_ompi *o, uint64_t addr)
{
	static const enum rd_ompi_class classes[] = { C_ompi_grequest_t, C_mca_ompio_request_t, C_ompi_request_t };
	static const char *const shared[] = { "ompi_request_null", "ompi_request_empty", "ompi_request_empty_send" };
	struct acc_note note = o->sp->note;
	bool ok = false;

	for (unsigned i = 0; i < sizeof(shared) / sizeof(shared[0]); i++) {
		uint64_t found;

		if (!acc_symbol(o->sp, shared[i], &found) && found == addr)
			return false;
	}
	for (unsigned i = 0; !ok && i < sizeof(classes) / sizeof(classes[0]); i++)
		ok = !rd_ompi_check(o, addr, classes[i]);
	ok = (ok || is_window_request(o, addr)) && is_in_use(o, addr);
	o->sp->note = note;
	return ok;
}
