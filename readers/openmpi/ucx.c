/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pml/ucx (ompi/mca/pml/ucx, 4.0 to 5.0) leaves matching to UCX. Its only worker is ompi_pml_ucx.ucp_worker. A tag word
 * has the MPI tag in the upper 24 bits, including its sign, the sender's rank in the next 20, and the context id, which
 * is the slot in ompi_mpi_communicators, in the lower 20. The endpoint of a peer is in its ompi_proc_t.
 */
#include "openmpi.h"
#include "../../access/sort.h"

#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

#define CONTEXT_BITS 20
#define RANK_BITS    20
#define CONTEXT_MASK ((UINT64_C(1) << CONTEXT_BITS) - 1)
#define RANK_MASK    (((UINT64_C(1) << RANK_BITS) - 1) << CONTEXT_BITS)
#define SIGN_MASK    (UINT64_C(1) << 63) /* set in the mask for "any tag", which excludes internal messages */
#define TAG_MASK     (~(SIGN_MASK | RANK_MASK | CONTEXT_MASK))

enum { ENDPOINTS_MAX = 16, COMM_SLOT_RESERVED = 1 };

/* ---- where the queues are ------------------------------------------------------------------------------- */

static void refuse(struct rd_ompi *o, const char *text)
{
	snprintf(o->ucx_why, sizeof(o->ucx_why), "pml ucx hands messages to UCX, %.200s", text);
	o->pml_why = o->ucx_why;
}

void rd_ompi_ucx_find(struct rd_ompi *o)
{
	uint64_t module_addr, worker_addr;
	char text[ACC_NOTE_BYTES];

	o->by_ucx = false;
	if (!rd_ompi_has(o, F_mca_pml_ucx_module_t_ucp_worker)) {
		refuse(o, "and the layout of Open MPI does not say where; run mpidbg doctor");
		return;
	}
	if (rd_ompi_symbol(o, S_ompi_pml_ucx, &module_addr)) {
		refuse(o, "and the symbol ompi_pml_ucx, which leads there, is missing");
		return;
	}
	if (acc_read_ptr(o->sp, module_addr + o->layout->fields[F_mca_pml_ucx_module_t_ucp_worker].offset,
			 &worker_addr)) {
		refuse(o, "whose worker cannot be read");
		return;
	}
	o->ucx.own_bytes = acc_layout_bytes(o->layout, T_ompi_request_t);
	if (!o->ucx_ready || !rd_ucx_is_worker(&o->ucx, worker_addr)) {
		o->ucx_ready = false;
		rd_ucx_deinit(&o->ucx);
		enum acc_rc rc = rd_ucx_init(&o->ucx, o->sp, o->packs);
		if (rc) {
			snprintf(text, sizeof(text), "and %.200s", o->ucx.why);
			refuse(o, text);
			return;
		}
		o->ucx.own_bytes = acc_layout_bytes(o->layout, T_ompi_request_t);
		while (!rc && !rd_ucx_is_worker(&o->ucx, worker_addr))
			rc = rd_ucx_another(&o->ucx, o->packs);
		if (rc) {
			snprintf(
				text, sizeof(text),
				"whose worker does not look as the layout pack for UCX %.16s says: another release, or "
				"built with other options",
				o->ucx.layout.pack ? o->ucx.layout.pack->version : "");
			refuse(o, text);
			return;
		}
		o->ucx_ready = true;
	}
	rd_ucx_add_worker(&o->ucx, worker_addr);
	rd_ucx_pack_text(&o->ucx, o->p->library.layout, sizeof(o->p->library.layout));
	o->by_ucx = true;
}

void rd_ompi_set_stacks(void *state, const struct rd_stack *stacks, size_t n)
{
	struct rd_ompi *o = state;

	if (o->by_ucx)
		rd_ucx_set_stacks(&o->ucx, stacks, n);
}

/* ---- tag words ------------------------------------------------------------------------------------------- */

struct rd_ompi_ucx_tag rd_ompi_ucx_tag(uint64_t word)
{
	int64_t tag = (int64_t)(word >> (RANK_BITS + CONTEXT_BITS));

	return (struct rd_ompi_ucx_tag){
		.tag = tag >= 1 << 23 ? tag - (1 << 24) : tag,
		.rank = (word & RANK_MASK) >> CONTEXT_BITS,
		.context = word & CONTEXT_MASK,
	};
}

bool rd_ompi_ucx_mask(uint64_t mask, bool *any_tag, bool *any_source)
{
	uint64_t tag = mask & TAG_MASK, rank = mask & RANK_MASK;

	if ((mask & (SIGN_MASK | CONTEXT_MASK)) != (SIGN_MASK | CONTEXT_MASK) || (tag && tag != TAG_MASK) ||
	    (rank && rank != RANK_MASK))
		return false;
	*any_tag = !tag;
	*any_source = !rank;
	return true;
}

enum acc_rc rd_ompi_ucx_comm(struct rd_ompi *o, uint64_t context, struct rd_ompi_comm *ret)
{
	struct acc_slots slots;
	uint64_t addr;

	enum acc_rc rc = rd_ompi_comm_table(o, &slots);
	if (rc)
		return rc;
	if (context >= slots.n)
		return ACC_NONE;
	rc = acc_read_ptr(o->sp, slots.addr + context * o->sp->sizes.pointer_bytes, &addr);
	if (rc)
		return rc;
	return addr && addr != COMM_SLOT_RESERVED ? rd_ompi_comm_find(o, addr, ret) : ACC_NONE;
}

/* ---- endpoints ------------------------------------------------------------------------------------------- */

/*
 * The endpoint of pml/ucx among a process's endpoints, of which there is one for each kind of component. 0: none so far
 */
static uint64_t endpoint_of(struct rd_ompi *o, uint64_t proc_addr)
{
	unsigned width = o->sp->sizes.pointer_bytes;
	uint64_t offset = o->layout->fields[F_ompi_proc_t_proc_endpoints].offset, ep_addr;
	uint64_t n = (acc_layout_bytes(o->layout, T_ompi_proc_t) - offset) / width;

	for (uint64_t i = 0; i < n && i < ENDPOINTS_MAX; i++)
		if (!acc_read_ptr(o->sp, proc_addr + offset + i * width, &ep_addr) && rd_ucx_is_ep(&o->ucx, ep_addr))
			return ep_addr;
	return 0;
}

static void clear_endpoints(struct rd_ompi *o)
{
	acc_array_free(o->sp, o->endpoints.all);
	memset(&o->endpoints, 0, sizeof(o->endpoints));
}

/* processes without communication so far have no endpoint */
static void build_endpoints(struct rd_ompi *o, const struct rd_ompi_comm *c)
{
	struct rd_ompi_endpoints *e = &o->endpoints;
	unsigned width = o->sp->sizes.pointer_bytes;
	uint64_t proc_addr;

	clear_endpoints(o);
	e->comm_id = c->facts.id;
	if (!rd_ompi_has(o, F_ompi_proc_t_proc_endpoints) || !acc_plausible(o->sp, c->remote.procs_addr, width))
		return;
	e->all = acc_array(o->sp, c->remote.n, sizeof(*e->all));
	for (uint64_t i = 0; e->all && i < c->remote.n; i++) {
		if (acc_read_ptr(o->sp, c->remote.procs_addr + i * width, &proc_addr) ||
		    !acc_plausible(o->sp, proc_addr, width))
			continue;
		uint64_t ep_addr = endpoint_of(o, proc_addr);
		if (ep_addr)
			e->all[e->n++] = (struct rd_ompi_endpoint){ ep_addr, (int64_t)i };
	}
	if (e->all)
		acc_sort(e->all, e->n, sizeof(*e->all), acc_compare_u64);
}

int64_t rd_ompi_ucx_rank(struct rd_ompi *o, const struct rd_ompi_comm *c, uint64_t ep_addr)
{
	if (o->endpoints.comm_id != c->facts.id)
		build_endpoints(o, c);
	for (uint64_t lo = 0, hi = o->endpoints.n; lo < hi;) {
		const struct rd_ompi_endpoint *e = &o->endpoints.all[lo + (hi - lo) / 2];

		if (e->ep_addr == ep_addr)
			return e->rank;
		if (e->ep_addr < ep_addr)
			lo += (hi - lo) / 2 + 1;
		else
			hi = lo + (hi - lo) / 2;
	}
	return -1;
}

void rd_ompi_ucx_forget(struct rd_ompi *o)
{
	clear_endpoints(o);
	rd_ucx_forget(&o->ucx);
}
