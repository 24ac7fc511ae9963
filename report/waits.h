/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file waits.h
 * The wait-for graph as it is drawn: ranks that do the same are one node, so that it stays small. A rank of the
 * cycle, and in a small job each rank with another partner than its neighbour's, has a separate node.
 */
#ifndef RP_WAITS_H
#define RP_WAITS_H

#include "source.h"

enum rp_node_kind {
	RP_NODE_RANKS,
	RP_NODE_COLLECTIVE, /**< those that have entered it point to it, it points to those that have not */
	RP_NODE_ANY         /**< a communicator of which any rank would do */
};

enum { RP_LINES = 3 };

struct rp_node {
	uint8_t kind;   /**< enum rp_node_kind */
	bool cycle;     /**< in the cycle */
	bool suspect;   /**< missing: to be examined */
	bool waits;     /**< waits for something */
	int32_t *ranks; /**< of RP_NODE_RANKS: rising */
	size_t n, cap;
	char *line[RP_LINES]; /**< what it is, in words; NULL: no such line */
};

struct rp_edge {
	int32_t from, to; /**< nodes */
	size_t n;         /**< ranks that it represents */
	bool cycle;
	char *label; /**< "tag 5"; NULL: none */
};

/** Start with all zero; rp_waits_deinit() frees. */
struct rp_waits {
	struct rp_node *nodes;
	struct rp_edge *edges;
	size_t n_nodes, n_edges, cap_nodes, cap_edges;
	size_t n_left_out; /**< groups of ranks that are together in the last node of ranks */
	bool no_memory;
};

/** Make the graph. Its size does not depend on the number of ranks. */
void rp_waits_make(struct rp_waits *ret, const struct rp_source *s);
void rp_waits_deinit(struct rp_waits *w);

#endif /* RP_WAITS_H */
