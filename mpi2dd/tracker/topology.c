/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology.h"

#include "arena.h"

/* Allocate the four lists. @return false: out of memory */
static bool reserve(struct trk_topology_facts *t)
{
	size_t n = 0;

	for (size_t i = 0; i < 4; i++)
		n += (size_t)t->n[i];
	/* an empty topology (MPI_Cart_create with zero dimensions) has empty lists */
	t->all = trk_scratch(n + 1, sizeof(int));
	return t->all;
}

static void query_cart(MPI_Comm comm, struct trk_topology_facts *t)
{
	if (m2d_pmpi.Cartdim_get(comm, &t->ndims) != MPI_SUCCESS || t->ndims < 0)
		return;
	t->n[0] = t->n[1] = t->n[2] = t->ndims;
	if (reserve(t))
		m2d_pmpi.Cart_get(comm, t->ndims, t->all, t->all + t->ndims, t->all + 2 * t->ndims);
}

static void query_graph(MPI_Comm comm, struct trk_topology_facts *t)
{
	if (m2d_pmpi.Graphdims_get(comm, &t->n[0], &t->n[1]) != MPI_SUCCESS || t->n[0] < 0 || t->n[1] < 0) {
		t->n[0] = t->n[1] = 0;
		return;
	}
	t->ndims = t->n[0];
	if (reserve(t))
		m2d_pmpi.Graph_get(comm, t->n[0], t->n[1], t->all, t->all + t->n[0]);
}

static void query_dist_graph(MPI_Comm comm, struct trk_topology_facts *t)
{
	int in, out, weighted;

	if (m2d_pmpi.Dist_graph_neighbors_count(comm, &in, &out, &weighted) != MPI_SUCCESS || in < 0 || out < 0)
		return;
	t->weighted = weighted;
	t->n[0] = in;
	t->n[1] = out;
	t->n[2] = weighted ? in : 0;
	t->n[3] = weighted ? out : 0;
	if (!reserve(t))
		return;
	/* weights are always queried: MPI_UNWEIGHTED is an object of the library */
	int *weights = weighted ? t->all + in + out : trk_scratch((size_t)in + (size_t)out + 1, sizeof(int));
	if (weights)
		m2d_pmpi.Dist_graph_neighbors(comm, in, t->all, weights, out, t->all + in, weights + in);
	if (!weighted)
		trk_scratch_free(weights);
}

void trk_topology_query(MPI_Comm comm, struct trk_topology_facts *t)
{
	int kind = MPI_UNDEFINED;

	*t = (struct trk_topology_facts){ .kind = TRK_TOPO_NONE };
	if (!m2d_pmpi.Topo_test || m2d_pmpi.Topo_test(comm, &kind) != MPI_SUCCESS)
		return;
	if (kind == MPI_CART) {
		t->kind = TRK_TOPO_CART;
		query_cart(comm, t);
	} else if (kind == MPI_GRAPH) {
		t->kind = TRK_TOPO_GRAPH;
		query_graph(comm, t);
	} else if (kind == MPI_DIST_GRAPH) {
		t->kind = TRK_TOPO_DIST_GRAPH;
		query_dist_graph(comm, t);
	}
}

void trk_topology_write(struct trk_topology_facts *t, struct trk_comm *r)
{
	if (r && t->kind != TRK_TOPO_NONE) {
		struct trk_span *to[4] = { &r->dims, &r->periods, &r->coords, &r->weights };
		const int *from = t->all;
		r->topology = t->kind;
		r->ndims = t->ndims;
		r->weighted = t->weighted;
		for (size_t i = 0; i < 4; i++) {
			size_t n = (size_t)t->n[i];
			*to[i] = from ? trk_span_copy(from, n, sizeof(int32_t)) : trk_span_unknown(n);
			from = from ? from + n : NULL;
		}
	}
	trk_scratch_free(t->all);
	t->all = NULL;
}
