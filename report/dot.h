/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file dot.h
 * The wait-for graph in the language of Graphviz.
 */
#ifndef RP_DOT_H
#define RP_DOT_H

#include "waits.h"

#include <stdio.h>

/** Number of characters of a text after quoting. NULL counts as "". */
size_t rp_columns(const char *text);

/** Size of a node's text as drawn, in columns and lines; and the size of a column and of a line in inches. */
size_t rp_node_columns(const struct rp_node *node);
size_t rp_node_lines(const struct rp_node *node);
#define RP_COLUMN_INCHES 0.096
#define RP_LINE_INCHES   0.21

/** The text of an edge: "tag 5, 12 ranks"; "": none. @param ret is NUL-terminated and truncated to @p size. */
void rp_edge_text(const struct rp_edge *edge, char *ret, size_t size);

/** Write the complete graph, with texts and colours. Texts of a target are quoted for a terminal and for dot. */
void rp_dot(FILE *out, const struct rp_waits *w);

/** Write the input for the layout: nodes n0, n1, ... with the sizes of their texts, but no text of a target. */
void rp_dot_sizes(FILE *out, const struct rp_waits *w);

#endif /* RP_DOT_H */
