/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file graph.h
 * The wait-for graph: nodes that need all of their children, or one of them, to be live; the nodes that are not live;
 * and a cycle among these. Time and memory are linear in nodes and edges.
 */
#ifndef VD_GRAPH_H
#define VD_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum vd_node_kind {
	VD_NODE_ALL,  /**< live when all its children are live; always if it has none */
	VD_NODE_SOME, /**< live when one of its children is live; never if it has none */
	VD_NODE_LIVE,
	VD_NODE_DEAD
};

struct vd_node {
	int32_t first_edge; /**< -1: none */
	int32_t n_missing;  /**< children that have to become live */
	uint8_t kind;
	bool live;
	bool is_guess; /**< it needs at least one of its children, but it is unknown which ones */
};

struct vd_edge {
	int32_t from, to;  /**< from needs to */
	int32_t next_from; /**< next edge of the same from, -1: the last */
};

/** Initialize with zero. */
struct vd_graph {
	struct vd_node *nodes;
	struct vd_edge *edges;
	size_t n_nodes, n_edges;
	bool no_memory;
};

/** @return the index of the new node; -1: out of memory. */
int32_t vd_graph_node(struct vd_graph *g, enum vd_node_kind kind);
void vd_graph_edge(struct vd_graph *g, int32_t from, int32_t to);

/** Compute the live nodes. @return false: out of memory. */
bool vd_graph_solve(struct vd_graph *g);

/**
 * Find a shortest cycle within the smallest strongly connected component of nodes that are not live. A cycle of one
 * rank that waits for one of several ranks, among them itself, is replaced by one of at least two if there is one.
 *
 * @param n_ranks the first nodes are ranks
 * @param certain only through nodes that need each of their nodes, besides ranks
 * @param[out] ret nodes, each of which needs the next one, and the last the first; release with free()
 * @return how many; 0: none, or out of memory (g->no_memory).
 */
size_t vd_graph_cycle(struct vd_graph *g, size_t n_ranks, bool certain, int32_t **ret);

void vd_graph_deinit(struct vd_graph *g);

#endif /* VD_GRAPH_H */
