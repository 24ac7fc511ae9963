/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file dot.h
 * The wait-for graph in the language of Graphviz.
 */
#ifndef RP_DOT_H
#define RP_DOT_H

#include "waits.h"

#include <stdio.h>

/** Characters that a text takes when it is quoted. NULL is "". */
size_t rp_columns(const char *text);

/** Columns and lines of a node's text, and of an edge's, as they are drawn; inches of one column and of one line. */
size_t rp_node_columns(const struct rp_node *node);
size_t rp_node_lines(const struct rp_node *node);
#define RP_COLUMN_INCHES 0.096
#define RP_LINE_INCHES   0.21

/** The text of an edge: "tag 5, 12 ranks"; "": none. @param ret is ended, and cut. */
void rp_edge_text(const struct rp_edge *edge, char *ret, size_t size);

/** For people, and for other tools: texts, colours. Texts of a target are quoted for a terminal and for dot. */
void rp_dot(FILE *out, const struct rp_waits *w);

/** Only for the layout: nodes n0, n1, ... with the size of their text. No text of a target is in it. */
void rp_dot_sizes(FILE *out, const struct rp_waits *w);

#endif /* RP_DOT_H */
