/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mca_topo_base_module_t (ompi/mca/topo/topo.h): `mtc` points to the arguments of one of the three kinds; all arrays
 * are of int.
 */
#include "openmpi.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { TOPOLOGY_INTS_MAX = 1 << 22 }; /* 16 MiB: a graph of a million ranks with four edges each */

/* Read @p n ints. @param[out] ret NULL if n is 0, or if the pointer is NULL and may be. */
static enum acc_rc ints(struct rd_ompi *o, uint64_t addr, int64_t n, int32_t **ret)
{
	unsigned width = o->sp->sizes.int_bytes;

	if (n < 0 || n > TOPOLOGY_INTS_MAX || width != 4)
		return ACC_ECORRUPT;
	if (n == 0)
		return ACC_OK;
	if (!acc_plausible(o->sp, addr, 4))
		return ACC_ECORRUPT;
	int32_t *values = acc_array(o->sp, (uint64_t)n, sizeof(*values));
	if (!values)
		return ACC_ENOMEM;
	enum acc_rc rc = acc_read(o->sp, addr, (size_t)n * sizeof(*values), values);
	if (rc) {
		acc_array_free(o->sp, values);
		return rc;
	}
	for (int64_t i = 0; i < n; i++)
		values[i] = (int32_t)acc_decode_i(o->sp, &values[i], 4);
	*ret = values;
	return ACC_OK;
}

static enum acc_rc read_cart(struct rd_ompi *o, uint64_t addr, struct mdl_topology *t)
{
	struct acc_obj c;

	acc_obj_load(&c, o->sp, o->layout, T_mca_topo_base_comm_cart_2_2_0_t, addr);
	t->n_dims = acc_get_i(&c, F_mca_topo_base_comm_cart_2_2_0_t_ndims);
	uint64_t dims_addr = acc_get_u(&c, F_mca_topo_base_comm_cart_2_2_0_t_dims);
	uint64_t periods_addr = acc_get_u(&c, F_mca_topo_base_comm_cart_2_2_0_t_periods);
	uint64_t coords_addr = acc_get_u(&c, F_mca_topo_base_comm_cart_2_2_0_t_coords);
	if (c.rc)
		return c.rc;
	enum acc_rc rc = ints(o, dims_addr, t->n_dims, &t->dims);
	if (rc == ACC_OK)
		rc = ints(o, periods_addr, t->n_dims, &t->periods);
	if (rc == ACC_OK)
		rc = ints(o, coords_addr, t->n_dims, &t->coords);
	return rc;
}

static enum acc_rc read_graph(struct rd_ompi *o, uint64_t addr, struct mdl_topology *t)
{
	struct acc_obj g;

	acc_obj_load(&g, o->sp, o->layout, T_mca_topo_base_comm_graph_2_2_0_t, addr);
	t->n_nodes = acc_get_i(&g, F_mca_topo_base_comm_graph_2_2_0_t_nnodes);
	uint64_t index_addr = acc_get_u(&g, F_mca_topo_base_comm_graph_2_2_0_t_index);
	uint64_t edges_addr = acc_get_u(&g, F_mca_topo_base_comm_graph_2_2_0_t_edges);
	if (g.rc)
		return g.rc;
	enum acc_rc rc = ints(o, index_addr, t->n_nodes, &t->index);
	if (rc)
		return rc;
	t->n_edges = t->n_nodes ? t->index[t->n_nodes - 1] : 0;
	return ints(o, edges_addr, t->n_edges, &t->edges);
}

static enum acc_rc read_dist_graph(struct rd_ompi *o, uint64_t addr, struct mdl_topology *t)
{
	struct acc_obj g;

	acc_obj_load(&g, o->sp, o->layout, T_mca_topo_base_comm_dist_graph_2_2_0_t, addr);
	t->n_in = acc_get_i(&g, F_mca_topo_base_comm_dist_graph_2_2_0_t_indegree);
	t->n_out = acc_get_i(&g, F_mca_topo_base_comm_dist_graph_2_2_0_t_outdegree);
	uint64_t in_addr = acc_get_u(&g, F_mca_topo_base_comm_dist_graph_2_2_0_t_in);
	uint64_t out_addr = acc_get_u(&g, F_mca_topo_base_comm_dist_graph_2_2_0_t_out);
	uint64_t inw_addr = acc_get_u(&g, F_mca_topo_base_comm_dist_graph_2_2_0_t_inw);
	uint64_t outw_addr = acc_get_u(&g, F_mca_topo_base_comm_dist_graph_2_2_0_t_outw);
	bool weighted = acc_get_u(&g, F_mca_topo_base_comm_dist_graph_2_2_0_t_weighted);
	if (g.rc)
		return g.rc;
	enum acc_rc rc = ints(o, in_addr, t->n_in, &t->in);
	if (rc == ACC_OK)
		rc = ints(o, out_addr, t->n_out, &t->out);
	if (rc == ACC_OK && weighted)
		rc = ints(o, inw_addr, t->n_in, &t->in_weights);
	if (rc == ACC_OK && weighted)
		rc = ints(o, outw_addr, t->n_out, &t->out_weights);
	return rc;
}

enum acc_rc rd_ompi_topology(void *state, const struct mdl_comm *comm, struct mdl_topology *ret)
{
	struct rd_ompi *o = state;
	struct rd_ompi_comm c;
	struct acc_obj module;

	enum acc_rc rc = rd_ompi_comm_find(o, comm->id, &c);
	if (rc)
		return rc;
	if (c.facts.topology == MDL_TOPO_NONE)
		return ACC_NONE;
	struct mdl_topology t = { .kind = c.facts.topology };
	acc_obj_load(&module, o->sp, o->layout, T_mca_topo_base_module_t, c.topo_addr);
	t.reorder = acc_get_u(&module, F_mca_topo_base_module_t_reorder);
	uint64_t mtc_addr = acc_get_u(&module, F_mca_topo_base_module_t_mtc);
	if (module.rc)
		return module.rc;
	rc = t.kind == MDL_TOPO_CART    ? read_cart(o, mtc_addr, &t)
	     : t.kind == MDL_TOPO_GRAPH ? read_graph(o, mtc_addr, &t)
					: read_dist_graph(o, mtc_addr, &t);
	if (rc) {
		rd_comm_topology_free(o->p, &t);
		return rd_ompi_bad(o, rc, T_mca_topo_base_module_t, c.topo_addr);
	}
	*ret = t;
	return ACC_OK;
}
