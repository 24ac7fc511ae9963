/* SPDX-License-Identifier: BSD-3-Clause */
/* MPIR_Topology (src/include/mpir_topo.h) of a communicator, converted to the model. attributes.c finds its address. */
#include "objects.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

static enum acc_rc ints(struct rd_mpich *o, uint64_t addr, int64_t n, int32_t **ret)
{
	uint64_t raw;

	*ret = n ? acc_array(o->sp, (uint64_t)n, sizeof(**ret)) : NULL;
	if (n && !*ret)
		return ACC_ENOMEM;
	for (int64_t i = 0; i < n; i++) {
		if (acc_read_u(o->sp, addr + (uint64_t)i * 4, 4, &raw))
			return ACC_EREAD;
		(*ret)[i] = (int32_t)(uint32_t)raw;
	}
	return ACC_OK;
}

static enum acc_rc take_topology(struct rd_mpich *o, struct acc_obj *t, struct mdl_topology *ret)
{
	enum acc_rc rc;

	switch (ret->kind) {
	case MDL_TOPO_CART:
		ret->n_dims = acc_get_i(t, F_MPIR_Topology_ndims);
		rc = ints(o, acc_get_u(t, F_MPIR_Topology_dims), ret->n_dims, &ret->dims);
		rc = rc ? rc : ints(o, acc_get_u(t, F_MPIR_Topology_periodic), ret->n_dims, &ret->periods);
		return rc ? rc : ints(o, acc_get_u(t, F_MPIR_Topology_position), ret->n_dims, &ret->coords);
	case MDL_TOPO_GRAPH:
		ret->n_nodes = acc_get_i(t, F_MPIR_Topology_nnodes);
		ret->n_edges = acc_get_i(t, F_MPIR_Topology_nedges);
		rc = ints(o, acc_get_u(t, F_MPIR_Topology_index), ret->n_nodes, &ret->index);
		return rc ? rc : ints(o, acc_get_u(t, F_MPIR_Topology_edges), ret->n_edges, &ret->edges);
	default:
		ret->n_in = acc_get_i(t, F_MPIR_Topology_indegree);
		ret->n_out = acc_get_i(t, F_MPIR_Topology_outdegree);
		rc = ints(o, acc_get_u(t, F_MPIR_Topology_in), ret->n_in, &ret->in);
		rc = rc ? rc : ints(o, acc_get_u(t, F_MPIR_Topology_out), ret->n_out, &ret->out);
		if (rc || !acc_get_u(t, F_MPIR_Topology_is_weighted))
			return rc;
		rc = ints(o, acc_get_u(t, F_MPIR_Topology_in_weights), ret->n_in, &ret->in_weights);
		return rc ? rc : ints(o, acc_get_u(t, F_MPIR_Topology_out_weights), ret->n_out, &ret->out_weights);
	}
}

enum acc_rc rd_mpich_topology(void *state, const struct mdl_comm *comm, struct mdl_topology *ret)
{
	struct rd_mpich *o = state;
	const struct rd_mpich_comm *c = rd_mpich_comm_find(o, comm->handle);
	struct mdl_topology topology = { .kind = MDL_TOPO_NONE };
	struct acc_obj t;

	uint64_t addr = c ? rd_mpich_topology_addr(o, c, &topology.kind) : 0;
	if (!addr)
		return ACC_NONE;
	acc_obj_load(&t, o->sp, o->layout, T_MPIR_Topology, addr);
	enum acc_rc rc = t.rc ? t.rc : take_topology(o, &t, &topology);
	if (rc) {
		rd_comm_topology_free(o->p, &topology);
		return acc_note(&o->sp->note, rc, "topology of %.64s: %s", c->facts.name, acc_rc_text(rc));
	}
	*ret = topology;
	return ACC_OK;
}
