/* SPDX-License-Identifier: BSD-3-Clause */
#include "svg.h"

#include "dot.h"
#include "html.h"

enum { LINE = 15, MARGIN = 8 };
#define LEAST_SCALE 0.6 /* a graph that does not fit is drawn smaller, but not below this */

static void put_node(FILE *out, const struct rp_source *s, const struct rp_node *x, const struct rp_box *box)
{
	double left = box->middle.x - box->width / 2, top = box->middle.y - box->height / 2;
	double y = box->middle.y - (double)(rp_node_lines(x) - 1) * LINE / 2.0 + 4;

	if (x->kind == RP_NODE_RANKS && x->n) {
		fputs("<a href=\"#", out);
		if (x->n == 1)
			rp_rank_id(out, s->job, x->ranks[0]);
		else
			fprintf(out, "g%d", s->group_of[x->ranks[0]] + 1);
		fputs("\">", out);
	}
	fprintf(out, "<g class=\"node%s%s%s\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"%d\"/>",
		x->cycle ? " cycle" : "", x->suspect ? " suspect" : "", x->kind == RP_NODE_RANKS ? "" : " comm", left,
		top, box->width, box->height, x->kind == RP_NODE_RANKS ? 4 : 18);
	for (int i = 0; i < RP_LINES; i++) {
		if (!x->line[i])
			continue;
		fprintf(out, "<text x=\"%.1f\" y=\"%.1f\"%s", box->middle.x, y, i ? "" : " class=\"who\"");
		/* a line longer than the box is squeezed */
		if (rp_columns(x->line[i]) > rp_node_columns(x))
			fprintf(out, " textLength=\"%.1f\" lengthAdjust=\"spacingAndGlyphs\"", box->width - 12);
		fputc('>', out);
		rp_text(out, x->line[i]);
		fputs("</text>", out);
		y += LINE;
	}
	fputs("</g>", out);
	fputs(x->kind == RP_NODE_RANKS && x->n ? "</a>\n" : "\n", out);
}

static void put_edge(FILE *out, const struct rp_edge *e, const struct rp_curve *c)
{
	char label[128];

	if (!c->points)
		return;
	fprintf(out, "<path class=\"edge%s\" marker-end=\"url(#%s)\" d=\"M%.1f %.1f", e->cycle ? " cycle" : "",
		e->cycle ? "tipc" : "tip", c->points[0].x, c->points[0].y);
	for (size_t i = 1; i + 2 < c->n; i += 3)
		fprintf(out, "C%.1f %.1f %.1f %.1f %.1f %.1f", c->points[i].x, c->points[i].y, c->points[i + 1].x,
			c->points[i + 1].y, c->points[i + 2].x, c->points[i + 2].y);
	fputs("\"/>\n", out);
	rp_edge_text(e, label, sizeof(label));
	if (!*label)
		return;
	fprintf(out, "<text class=\"label%s\" x=\"%.1f\" y=\"%.1f\">", e->cycle ? " cycle" : "", c->label.x,
		c->label.y + 3);
	rp_text(out, label);
	fputs("</text>\n", out);
}

static void put_tip(FILE *out, const char *id)
{
	fprintf(out,
		"<marker id=\"%s\" viewBox=\"0 0 10 10\" refX=\"1\" refY=\"5\" markerWidth=\"10\" markerHeight=\"8\" "
		"markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0L10 5L0 10z\"/></marker>",
		id);
}

/* Are the ranks to look at, or the cycle, in the right half only? */
static bool matters_at_right(const struct rp_waits *w, const struct rp_layout *l)
{
	bool left = false, right = false;

	for (size_t i = 0; i < w->n_nodes; i++) {
		bool is_right = l->boxes[i].middle.x > l->width / 2;
		if (!w->nodes[i].cycle && !w->nodes[i].suspect)
			continue;
		left |= !is_right;
		right |= is_right;
	}
	return right && !left;
}

void rp_svg(FILE *out, const struct rp_source *s, const struct rp_waits *w, const struct rp_layout *l)
{
	double width = l->width + 2.0 * MARGIN, height = l->height + 2.0 * MARGIN;

	fprintf(out,
		"<div class=\"picture%s\"><svg role=\"img\" aria-label=\"wait-for graph\" viewBox=\"%d %d %.0f "
		"%.0f\" "
		"width=\"%.0f\" height=\"%.0f\" style=\"--least:%.0fpx\">\n<defs>",
		matters_at_right(w, l) ? " right" : "", -MARGIN, -MARGIN, width, height, width, height,
		width * LEAST_SCALE);
	put_tip(out, "tip");
	put_tip(out, "tipc");
	fputs("</defs>\n", out);
	for (size_t i = 0; i < w->n_edges; i++)
		put_edge(out, &w->edges[i], &l->curves[i]);
	for (size_t i = 0; i < w->n_nodes; i++)
		put_node(out, s, &w->nodes[i], &l->boxes[i]);
	fputs("</svg></div>\n", out);
}

static void put_name(FILE *out, const struct rp_node *x)
{
	rp_text(out, x->line[0]);
	if (x->kind != RP_NODE_RANKS && x->line[1]) {
		fputc(' ', out);
		rp_text(out, x->line[1]);
	}
}

void rp_waits_list(FILE *out, const struct rp_waits *w)
{
	char label[128];

	fputs("<ul class=\"waits\">\n", out);
	for (size_t i = 0; i < w->n_edges; i++) {
		const struct rp_edge *e = &w->edges[i];
		fprintf(out, "<li%s>", e->cycle ? " class=\"cycle\"" : "");
		put_name(out, &w->nodes[e->from]);
		fputs(" &#8594; ", out);
		put_name(out, &w->nodes[e->to]);
		rp_edge_text(e, label, sizeof(label));
		if (*label) {
			fputs(" <small>(", out);
			rp_text(out, label);
			fputs(")</small>", out);
		}
		fputs("</li>\n", out);
	}
	fputs("</ul>\n", out);
}
