/* SPDX-License-Identifier: BSD-3-Clause */
/* verdict/graph.c: which nodes are live, and the cycle that is named. */
#include "../../verdict/graph.h"
#include "../support/suite.h"

#include <check.h>
#include <stdlib.h>

enum { N_MAX = 6, ALL = VD_NODE_ALL, SOME = VD_NODE_SOME, LIVE = VD_NODE_LIVE, DEAD = VD_NODE_DEAD, END = -1 };

/* Nodes, edges "from needs to", and the expected result. */
static const struct {
	int kinds[N_MAX], edges[2 * N_MAX][2];
	int live[N_MAX]; /* which ones */
	size_t n_cycle;
	int cycle_has; /* a node of it */
} graphs[] = {
	/* a node that needs itself is a cycle of one, also where others wait for it */
	{ { ALL, END }, { { 0, 0 }, { END } }, { END }, 1, 0 },
	{ { ALL, ALL, ALL, END }, { { 0, 1 }, { 1, 2 }, { 2, 2 }, { END } }, { END }, 1, 2 },
	/* and a shorter one than a cycle of two */
	{ { ALL, ALL, SOME, END }, { { 0, 1 }, { 1, 0 }, { 2, 2 }, { END } }, { END }, 1, 2 },
	/* waiting for a dead node is no cycle */
	{ { ALL, ALL, DEAD, END }, { { 0, 1 }, { 1, 2 }, { END } }, { END }, 0, END },
	/* a live node that needs itself is none either */
	{ { SOME, LIVE, END }, { { 0, 0 }, { 0, 1 }, { END } }, { 0, 1, END }, 0, END },
	/* all, or one, of the children; none */
	{ { ALL, SOME, LIVE, DEAD, END }, { { 0, 2 }, { 0, 3 }, { 1, 2 }, { 1, 3 }, { END } }, { 1, 2, END }, 0, END },
	{ { ALL, SOME, END }, { { END } }, { 0, END }, 0, END },
	/* of two cycles of one component the shorter one */
	{ { ALL, ALL, ALL, ALL, END }, { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 0 }, { 3, 2 }, { END } }, { END }, 2, 3 },
};

START_TEST(test_graph)
{
	struct vd_graph g = { 0 };
	int32_t *cycle;
	bool has = false;

	for (int i = 0; graphs[_i].kinds[i] != END; i++)
		ck_assert_int_eq(vd_graph_node(&g, (enum vd_node_kind)graphs[_i].kinds[i]), i);
	for (int i = 0; graphs[_i].edges[i][0] != END; i++)
		vd_graph_edge(&g, graphs[_i].edges[i][0], graphs[_i].edges[i][1]);
	ck_assert(vd_graph_solve(&g));
	for (int i = 0, at = 0; i < (int)g.n_nodes; i++) {
		bool live = graphs[_i].live[at] == i;

		ck_assert_msg(g.nodes[i].live == live, "node %d", i);
		at += live;
	}

	size_t n = vd_graph_cycle(&g, g.n_nodes, false, &cycle);
	ck_assert_uint_eq(n, graphs[_i].n_cycle);
	for (size_t i = 0; i < n; i++) {
		bool is_edge = false;

		for (size_t e = 0; e < g.n_edges; e++)
			is_edge |= g.edges[e].from == cycle[i] && g.edges[e].to == cycle[(i + 1) % n];
		ck_assert_msg(is_edge, "%d does not need the next one", (int)cycle[i]);
		has |= cycle[i] == graphs[_i].cycle_has;
	}
	ck_assert(!n || has);
	free(cycle);
	vd_graph_deinit(&g);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("graph");
	TCase *tc = tcase_create("graphs");

	tcase_add_loop_test(tc, test_graph, 0, sizeof(graphs) / sizeof(*graphs));
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
