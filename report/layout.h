/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file layout.h
 * Positions of the nodes and edges of the wait-for graph. Graphviz's dot computes them; it gets sizes but no text,
 * and only numbers are used from its output.
 */
#ifndef RP_LAYOUT_H
#define RP_LAYOUT_H

#include "waits.h"

/** In units of 1/72 inch, y downwards. */
struct rp_point {
	float x, y;
};

struct rp_box {
	struct rp_point middle;
	float width, height;
};

struct rp_curve {
	struct rp_point *points; /**< cubic Bezier: the start, then three per segment; NULL: not drawn */
	size_t n;
	struct rp_point label; /**< middle of its text */
};

/** Start with all zero; rp_layout_deinit() frees. */
struct rp_layout {
	float width, height;
	struct rp_box *boxes;    /**< of each node */
	struct rp_curve *curves; /**< of each edge */
	size_t n_curves;
};

/**
 * Run dot, for at most LAYOUT_S seconds.
 *
 * @param program "dot"; searched in PATH
 * @return NULL: success; otherwise a static text that says why there is no layout
 */
const char *rp_layout_make(struct rp_layout *ret, const struct rp_waits *w, const char *program);
void rp_layout_deinit(struct rp_layout *l);

#endif /* RP_LAYOUT_H */
