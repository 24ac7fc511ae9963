/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file svg.h
 * The wait-for graph as a picture of the page. Its colours are those of the page's style sheet, on a dark screen as on paper.
 */
#ifndef RP_SVG_H
#define RP_SVG_H

#include "layout.h"

#include <stdio.h>

/** The picture: an svg element. A node of one rank is a link to the rank's entry, one of more to their group's. */
void rp_svg(FILE *out, const struct rp_source *s, const struct rp_waits *w, const struct rp_layout *l);

/** The same in words, a list: what the picture is for who cannot see it, and for a page without it. */
void rp_waits_list(FILE *out, const struct rp_waits *w);

#endif /* RP_SVG_H */
