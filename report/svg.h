/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file svg.h
 * The wait-for graph as SVG. The style sheet of the page defines its colours, for light, dark and print.
 */
#ifndef RP_SVG_H
#define RP_SVG_H

#include "layout.h"

#include <stdio.h>

/** The picture: an svg element. A node of one rank is a link to the rank's entry, one of more to their group's. */
void rp_svg(FILE *out, const struct rp_source *s, const struct rp_waits *w, const struct rp_layout *l);

/** The same as a list of sentences, as alternative text and for a page without the graph. */
void rp_waits_list(FILE *out, const struct rp_waits *w);

#endif /* RP_SVG_H */
