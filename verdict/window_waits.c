/* SPDX-License-Identifier: BSD-3-Clause */
#include "window_waits.h"

#include "windows.h"

#include <stdlib.h>

struct vd_window_waits {
	struct vd_judging j;
	uint8_t *marks; /* of each rank */
};

struct vd_window_waits *vd_window_waits_create(const struct vd_job *job)
{
	struct vd_window_waits *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->j.job = job;
	w->j.any = malloc((job->n_comms + 1) * sizeof(*w->j.any));
	w->marks = calloc(job->n_ranks + 1, 1);
	bool ok = w->j.any && w->marks && vd_windows_init(&w->j.windows, job);
	for (size_t i = 0; ok && i < job->n_comms; i++)
		w->j.any[i] = -1;
	for (size_t i = 0; ok && i < job->n_ranks; i++)
		vd_graph_node(&w->j.graph, VD_NODE_SOME);
	if (ok && !w->j.graph.no_memory)
		return w;
	vd_window_waits_destroy(w);
	return NULL;
}

/* At most two nodes lie between a rank and the ranks it needs: its own, and the one of the holders of a lock. */
static void mark(struct vd_window_waits *w, int32_t node, int depth)
{
	const struct vd_graph *g = &w->j.graph;

	for (int32_t e = g->nodes[node].first_edge; e >= 0; e = g->edges[e].next_from) {
		int32_t to = g->edges[e].to;
		if ((size_t)to < w->j.job->n_ranks)
			w->marks[to] = 1;
		else if (depth)
			mark(w, to, depth - 1);
	}
}

size_t vd_window_waits_of(struct vd_window_waits *w, int32_t rank, const struct vd_thread *t, int32_t *ret, bool *some)
{
	int32_t node = vd_window_node(&w->j, rank, t);
	size_t n = 0;

	*some = node >= 0 && w->j.graph.nodes[node].is_guess;
	if (node < 0 || w->j.graph.no_memory)
		return 0;
	mark(w, node, 1);
	for (size_t i = 0; i < w->j.job->n_ranks; i++) {
		if (w->marks[i] && (int32_t)i != rank)
			ret[n++] = (int32_t)i;
		w->marks[i] = 0;
	}
	return n;
}

void vd_window_waits_destroy(struct vd_window_waits *w)
{
	if (!w)
		return;
	vd_windows_deinit(&w->j.windows);
	vd_graph_deinit(&w->j.graph);
	vd_names_destroy(w->j.names);
	free(w->j.any);
	free(w->marks);
	free(w);
}
