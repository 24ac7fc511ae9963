/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file waits.h
 * The wait-for graph as it is drawn: ranks with the same activity share a node, so that it stays small. A rank of
 * the cycle has its own node, and in a small job so does each rank whose peer differs from its neighbour's.
 */
#ifndef RP_WAITS_H
#define RP_WAITS_H

#include "source.h"

enum rp_node_kind {
	RP_NODE_RANKS,
	RP_NODE_COLLECTIVE, /**< edges lead from the ranks that have entered it, and to those that have not */
	RP_NODE_ANY         /**< any rank of a communicator is needed */
};

enum { RP_LINES = 3 };

struct rp_node {
	uint8_t kind;   /**< enum rp_node_kind */
	bool cycle;     /**< in the cycle */
	bool suspect;   /**< a missing rank, to be examined */
	bool waits;     /**< waits for something */
	int32_t *ranks; /**< of RP_NODE_RANKS, in increasing order */
	size_t n;
	const struct vd_fold
		*fold;        /**< of RP_NODE_RANKS: whose ranks these are; NULL: of one rank, or of several folds */
	char *line[RP_LINES]; /**< description; NULL: no such line */
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
	size_t n_nodes, n_edges;
	size_t n_left_out; /**< number of groups that share the last node of ranks */
	bool no_memory;
};

/** Build the graph. Its size is limited whatever the number of ranks. */
void rp_waits_make(struct rp_waits *ret, const struct rp_source *s);
void rp_waits_deinit(struct rp_waits *w);

#endif /* RP_WAITS_H */
