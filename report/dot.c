/* SPDX-License-Identifier: BSD-3-Clause */
#include "dot.h"

#include "../access/quote.h"

#include <string.h>

enum { COLUMNS_MIN = 8, COLUMNS_MAX = 64, NODES_BESIDE = 6 };

size_t rp_columns(const char *text)
{
	char piece[ACC_QUOTE_BYTES];
	size_t n = 0;

	while (text && *text) {
		text += acc_quote_next(text, piece);
		for (const char *c = piece; *c; c++)
			n += ((unsigned char)*c & 0xc0) != 0x80;
	}
	return n;
}

size_t rp_node_columns(const struct rp_node *node)
{
	size_t most = COLUMNS_MIN;

	for (int i = 0; i < RP_LINES; i++) {
		size_t n = rp_columns(node->line[i]);
		n += i ? 0 : n / 8; /* the first line is bold */
		most = n > most ? n : most;
	}
	return most > COLUMNS_MAX ? COLUMNS_MAX : most;
}

size_t rp_node_lines(const struct rp_node *node)
{
	size_t n = 0;

	for (int i = 0; i < RP_LINES; i++)
		n += node->line[i] != NULL;
	return n;
}

void rp_edge_text(const struct rp_edge *edge, char *ret, size_t size)
{
	if (edge->label && edge->n > 1)
		snprintf(ret, size, "%s, %zu ranks", edge->label, edge->n);
	else if (edge->n > 1)
		snprintf(ret, size, "%zu ranks", edge->n);
	else
		snprintf(ret, size, "%s", edge->label ? edge->label : "");
}

/* In a quoted string of dot, a backslash starts an escape and & starts an entity. */
static void put_label(FILE *out, const char *text)
{
	char piece[ACC_QUOTE_BYTES];

	while (text && *text) {
		text += acc_quote_next(text, piece);
		for (const char *c = piece; *c; c++) {
			if (*c == '&')
				fputs("&amp;", out);
			else
				fprintf(out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
		}
	}
}

/* Below each other, many nodes fit the width of a page. */
static void put_direction(FILE *out, const struct rp_waits *w)
{
	if (w->n_nodes > NODES_BESIDE)
		fputs("\trankdir=LR;\n", out);
}

void rp_dot(FILE *out, const struct rp_waits *w)
{
	char label[128];

	fputs("digraph waits {\n"
	      "\tnode [shape=box, style=\"rounded,filled\", fillcolor=\"#f4f6f8\", fontname=\"sans-serif\", "
	      "fontsize=11];\n"
	      "\tedge [fontname=\"sans-serif\", fontsize=10];\n",
	      out);
	put_direction(out, w);
	for (size_t i = 0; i < w->n_nodes; i++) {
		const struct rp_node *x = &w->nodes[i];
		fprintf(out, "\tn%zu [label=\"", i);
		for (int k = 0; k < RP_LINES; k++) {
			if (!x->line[k])
				continue;
			put_label(out, x->line[k]);
			fputs("\\n", out);
		}
		fputc('"', out);
		if (x->kind != RP_NODE_RANKS)
			fputs(", shape=ellipse, style=filled", out);
		if (x->cycle || x->suspect)
			fputs(", color=\"#c62828\", fillcolor=\"#fdecea\", penwidth=2", out);
		fputs("];\n", out);
	}
	for (size_t i = 0; i < w->n_edges; i++) {
		const struct rp_edge *e = &w->edges[i];
		rp_edge_text(e, label, sizeof(label));
		fprintf(out, "\tn%d -> n%d [label=\"", e->from, e->to);
		put_label(out, label);
		fprintf(out, "\"%s];\n", e->cycle ? ", color=\"#c62828\", fontcolor=\"#c62828\", penwidth=2" : "");
	}
	fputs("}\n", out);
}

void rp_dot_sizes(FILE *out, const struct rp_waits *w)
{
	char label[128];

	fputs("digraph waits {\n"
	      "\tgraph [nodesep=0.35, ranksep=0.5];\n"
	      "\tnode [shape=box, fixedsize=true, label=\"\"];\n"
	      "\tedge [fontname=\"Courier\", fontsize=10];\n",
	      out);
	put_direction(out, w);
	for (size_t i = 0; i < w->n_nodes; i++)
		fprintf(out, "\tn%zu [width=%.3f, height=%.3f];\n", i,
			(double)(rp_node_columns(&w->nodes[i]) + 3) * RP_COLUMN_INCHES,
			(double)(rp_node_lines(&w->nodes[i]) + 1) * RP_LINE_INCHES);
	for (size_t i = 0; i < w->n_edges; i++) {
		rp_edge_text(&w->edges[i], label, sizeof(label));
		size_t n = rp_columns(label);
		fprintf(out, "\tn%d -> n%d", w->edges[i].from, w->edges[i].to);
		if (n)
			fprintf(out, " [label=\"%.*s\"]", (int)n,
				"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
		fputs(";\n", out);
	}
	fputs("}\n", out);
}
