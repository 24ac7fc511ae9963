/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph.h"

#include "verdict.h"

#include "../access/grow.h"

#include <stdlib.h>
#include <string.h>

/*
 * Limit of nodes of a component from which a shortest cycle is searched; each search visits the whole component.
 */
enum { STARTS_MAX = 16 };

int32_t vd_graph_node(struct vd_graph *g, enum vd_node_kind kind)
{
	if (g->n_nodes == INT32_MAX || !ACC_GROW(g->nodes, g->n_nodes)) {
		g->no_memory = true;
		return -1;
	}
	g->nodes[g->n_nodes] = (struct vd_node){ .first_edge = -1, .kind = (uint8_t)kind };
	return (int32_t)g->n_nodes++;
}

void vd_graph_edge(struct vd_graph *g, int32_t from, int32_t to)
{
	if (from < 0 || to < 0)
		return;
	if (g->n_edges == INT32_MAX || !ACC_GROW(g->edges, g->n_edges)) {
		g->no_memory = true;
		return;
	}
	g->edges[g->n_edges] = (struct vd_edge){ from, to, g->nodes[from].first_edge };
	g->nodes[from].first_edge = (int32_t)g->n_edges++;
	g->nodes[from].n_missing++;
}

bool vd_graph_solve(struct vd_graph *g)
{
	int32_t *queue = malloc((g->n_nodes + 1) * sizeof(*queue));
	int32_t *first = malloc((g->n_nodes + 1) * sizeof(*first)), *next = malloc((g->n_edges + 1) * sizeof(*next));
	size_t n = 0;

	g->no_memory |= !queue || !first || !next;
	for (size_t i = 0; !g->no_memory && i < g->n_nodes; i++) {
		struct vd_node *v = &g->nodes[i];
		first[i] = -1;
		v->live = v->kind == VD_NODE_LIVE || (v->kind == VD_NODE_ALL && !v->n_missing);
		if (v->live)
			queue[n++] = (int32_t)i;
	}
	/* index the edges by the node that is needed */
	for (size_t e = 0; !g->no_memory && e < g->n_edges; e++) {
		next[e] = first[g->edges[e].to];
		first[g->edges[e].to] = (int32_t)e;
	}
	for (size_t at = 0; !g->no_memory && at < n; at++) {
		for (int32_t e = first[queue[at]]; e >= 0; e = next[e]) {
			struct vd_node *v = &g->nodes[g->edges[e].from];
			v->n_missing--;
			if (v->live || v->kind == VD_NODE_DEAD || (v->kind == VD_NODE_ALL && v->n_missing))
				continue;
			v->live = true;
			queue[n++] = g->edges[e].from;
		}
	}
	free(queue);
	free(first);
	free(next);
	return !g->no_memory;
}

/* ---- cycles ----------------------------------------------------------------------------------------------- */

/* Tarjan's algorithm for components, without recursion. */
struct components {
	size_t n_ranks;
	bool certain; /* nodes that are no ranks and need one of several are left out */
	int32_t *number, *low, *component, *stack, *path, *edge;
	size_t n_stack, n_path;
	int32_t n_numbers, n_components;
};

/* Does it need one of several? */
static bool is_choice(const struct components *c, const struct vd_graph *g, int32_t v)
{
	const struct vd_node *x = &g->nodes[v];

	return (size_t)v >= c->n_ranks && x->kind == VD_NODE_SOME && x->first_edge >= 0 &&
	       g->edges[x->first_edge].next_from >= 0;
}

static bool is_left_out(const struct components *c, const struct vd_graph *g, int32_t v)
{
	return g->nodes[v].live || (c->certain && is_choice(c, g, v));
}

static void push(struct components *c, const struct vd_graph *g, int32_t v)
{
	c->number[v] = c->low[v] = ++c->n_numbers;
	c->stack[c->n_stack++] = v;
	c->edge[v] = g->nodes[v].first_edge;
	c->path[c->n_path++] = v;
}

static void leave(struct components *c, int32_t v)
{
	c->n_path--;
	if (c->n_path && c->low[v] < c->low[c->path[c->n_path - 1]])
		c->low[c->path[c->n_path - 1]] = c->low[v];
	if (c->low[v] != c->number[v])
		return;
	for (int32_t w = -1; w != v;) {
		w = c->stack[--c->n_stack];
		c->component[w] = c->n_components;
	}
	c->n_components++;
}

static void visit(struct components *c, const struct vd_graph *g, int32_t start)
{
	push(c, g, start);
	while (c->n_path) {
		int32_t v = c->path[c->n_path - 1], e = c->edge[v];
		if (e < 0) {
			leave(c, v);
			continue;
		}
		c->edge[v] = g->edges[e].next_from;
		int32_t w = g->edges[e].to;
		if (is_left_out(c, g, w))
			continue;
		if (!c->number[w])
			push(c, g, w);
		else if (c->component[w] < 0 && c->number[w] < c->low[v])
			c->low[v] = c->number[w];
	}
}

static bool needs_itself(const struct vd_graph *g, int32_t v)
{
	for (int32_t e = g->nodes[v].first_edge; e >= 0; e = g->edges[e].next_from)
		if (g->edges[e].to == v)
			return true;
	return false;
}

/* The smallest component that contains a cycle; -1: none. */
static int32_t smallest(const struct vd_graph *g, const struct components *c, int32_t *sizes)
{
	int32_t best = -1;

	for (size_t i = 0; i < g->n_nodes; i++)
		if (c->component[i] >= 0)
			sizes[c->component[i]]++;
	for (size_t i = 0; i < g->n_nodes; i++) {
		int32_t k = c->component[i];
		if (k < 0 || (sizes[k] == 1 && !needs_itself(g, (int32_t)i)))
			continue;
		if (best < 0 || sizes[k] < sizes[best])
			best = k;
	}
	return best;
}

/*
 * Breadth-first search from a node back to itself. @return length;
 * *ret is set if it is shorter than @p limit (0: none so far)
 */
static size_t search(const struct vd_graph *g, const struct components *c, int32_t start, int32_t *from, int32_t *queue,
		     size_t limit, int32_t **ret)
{
	size_t n = 0;

	queue[n++] = start;
	for (size_t i = 0; i < g->n_nodes; i++)
		from[i] = -1;
	for (size_t at = 0; at < n; at++) {
		int32_t v = queue[at];
		for (int32_t e = g->nodes[v].first_edge; e >= 0; e = g->edges[e].next_from) {
			int32_t w = g->edges[e].to;
			if (c->component[w] != c->component[start] || is_left_out(c, g, w))
				continue;
			if (w == start) {
				size_t length = 1;
				for (int32_t u = v; u != start; u = from[u])
					length++;
				if (limit && length >= limit)
					return limit;
				int32_t *path = malloc(length * sizeof(*path));
				if (!path)
					return limit;
				for (size_t i = length; i-- > 0; v = from[v])
					path[i] = v;
				free(*ret);
				*ret = path;
				return length;
			}
			if (from[w] >= 0)
				continue;
			from[w] = v;
			queue[n++] = w;
		}
	}
	return limit;
}

/* Breadth-first search from a node to another one; VD_ANY: to another rank. @return where it ended; -1: nowhere */
static int32_t walk(const struct vd_graph *g, const struct components *c, int32_t start, int32_t to, int32_t *from,
		    int32_t *queue)
{
	size_t n = 0;

	queue[n++] = start;
	for (size_t i = 0; i < g->n_nodes; i++)
		from[i] = -1;
	for (size_t at = 0; at < n; at++) {
		for (int32_t e = g->nodes[queue[at]].first_edge; e >= 0; e = g->edges[e].next_from) {
			int32_t w = g->edges[e].to;
			if (c->component[w] != c->component[start] || is_left_out(c, g, w) || w == start ||
			    from[w] >= 0)
				continue;
			from[w] = queue[at];
			if (to == VD_ANY ? (size_t)w < c->n_ranks : w == to)
				return w;
			queue[n++] = w;
		}
	}
	return -1;
}

/* A rank that waits for one of several ranks, itself among them: the way to another one, and back. */
static size_t widen(const struct vd_graph *g, const struct components *c, int32_t *from, int32_t *queue, size_t length,
		    int32_t **ret)
{
	int32_t start = -1, *wider = NULL;
	size_t n = 0, n_choices = 0, n_seen = 0;

	for (size_t i = 0; i < length; i++) {
		n_choices += is_choice(c, g, (*ret)[i]);
		n_seen += (size_t)(*ret)[i] < c->n_ranks;
		start = (size_t)(*ret)[i] < c->n_ranks ? (*ret)[i] : start;
	}
	if (n_seen != 1 || !n_choices)
		return length;
	int32_t other = walk(g, c, start, VD_ANY, from, queue);
	for (int half = 0; other >= 0 && half < 2; half++) {
		int32_t begin = half ? other : start, end = half ? start : other;
		size_t n_before = n;
		if (walk(g, c, begin, end, from, queue) < 0)
			break;
		for (int32_t v = end; v != begin; v = from[v])
			n++;
		int32_t *grown = realloc(wider, n * sizeof(*grown));
		if (!grown)
			break;
		wider = grown;
		size_t at = n;
		for (int32_t v = from[end]; at > n_before; v = from[v])
			wider[--at] = v;
		if (half) {
			free(*ret);
			*ret = wider;
			return n;
		}
	}
	free(wider);
	return length;
}

size_t vd_graph_cycle(struct vd_graph *g, size_t n_ranks, bool certain, int32_t **ret)
{
	int32_t *room = calloc(6 * (g->n_nodes + 1), sizeof(*room));
	size_t n = g->n_nodes, length = 0, n_starts = 0;

	*ret = NULL;
	if (!room) {
		g->no_memory = true;
		return 0;
	}
	struct components c = { .n_ranks = n_ranks,
				.certain = certain,
				.number = room,
				.low = room + n,
				.component = room + 2 * n,
				.stack = room + 3 * n,
				.path = room + 4 * n,
				.edge = room + 5 * n };
	for (size_t i = 0; i < n; i++)
		c.component[i] = -1;
	for (size_t i = 0; i < n; i++)
		if (!is_left_out(&c, g, (int32_t)i) && !c.number[i])
			visit(&c, g, (int32_t)i);
	memset(c.number, 0, n * sizeof(*c.number));
	int32_t best = smallest(g, &c, c.number);
	for (size_t i = 0; best >= 0 && i < n && n_starts < STARTS_MAX; i++) {
		if (c.component[i] != best)
			continue;
		n_starts++;
		length = search(g, &c, (int32_t)i, c.low, c.stack, length, ret);
	}
	if (length)
		length = widen(g, &c, c.low, c.stack, length, ret);
	free(room);
	return length;
}

void vd_graph_deinit(struct vd_graph *g)
{
	free(g->nodes);
	free(g->edges);
	memset(g, 0, sizeof(*g));
}
