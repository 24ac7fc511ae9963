/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file svg.h
 * The wait-for graph as SVG. The style sheet of the page defines its colours, for light, dark and print.
 */
#ifndef RP_SVG_H
#define RP_SVG_H

#include "layout.h"

#include <stdio.h>

/** The graph as an svg element. A node of one rank links to the
 * entry of the rank, other nodes to the entry of the group. */
void rp_svg(FILE *out, const struct rp_source *s, const struct rp_waits *w, const struct rp_layout *l);

/** The graph as a list of sentences: alternative text, and for a page without the graph. */
void rp_waits_list(FILE *out, const struct rp_waits *w);

#endif /* RP_SVG_H */
