/* SPDX-License-Identifier: BSD-3-Clause */
#include "icicle.h"

#include "html.h"

#include "../verdict/calltree.h"

#include <stdlib.h>
#include <string.h>

enum {
	WIDTH = 1160,
	ROW = 20,
	ROWS_MAX = 40,
	BOXES_MAX = 3000,
	BOX_MIN = 26, /* a function of one rank among thousands */
	LETTER = 7,   /* approximate width */
	TEXT_BYTES = 512,
};

struct drawing {
	FILE *out;
	const struct rp_source *s;
	const struct vd_tree *tree;
	const bool *is_suspect; /* by rank */
	unsigned n_boxes, n_left_out, n_rows;
};

static bool all_suspects(const struct drawing *d, const struct vd_tree_node *node)
{
	for (size_t i = 0; i < node->n_ranks; i++)
		if (!d->is_suspect[node->ranks[i]])
			return false;
	return node->n_ranks > 0;
}

/* The text, shortened to the width of its box: whole characters, at most one column each. */
static void put_label(FILE *out, const char *text, double width)
{
	size_t room = width > LETTER ? (size_t)((width - LETTER) / LETTER) : 0, n = strlen(text);
	char shown[TEXT_BYTES];

	if (room < 3)
		return;
	if (n > room) {
		n = room - 1;
		while (n && ((unsigned char)text[n] & 0xc0) == 0x80)
			n--;
	}
	snprintf(shown, sizeof(shown), "%.*s", (int)n, text);
	rp_text(out, shown);
	if (text[n])
		fputs("&#8230;", out);
}

static void put_box(struct drawing *d, int32_t i, double left, double width, unsigned row)
{
	const struct vd_tree_node *node = &d->tree->nodes[i];
	char text[TEXT_BYTES];

	vd_tree_text(node, text, sizeof(text));
	fprintf(d->out, "<g class=\"frame%s%s\"><rect x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%d\"/>",
		all_suspects(d, node) ? " suspect" : "", node->is_mpi ? " mpi" : "", left, row * ROW, width - 1,
		ROW - 1);
	fprintf(d->out, "<text x=\"%.1f\" y=\"%u\">", left + 4, row * ROW + 14);
	put_label(d->out, text, width);
	fputs("</text><title>", d->out);
	rp_text(d->out, text);
	fputs(": ", d->out);
	rp_ranks(d->out, d->s->job, node->ranks, node->n_ranks);
	fputs("</title></g>\n", d->out);
	d->n_boxes++;
	if (row + 1 > d->n_rows)
		d->n_rows = row + 1;
}

/*
 * Divide the width of a function among its callees, and what is left for threads that are in itself. Those that would
 * be too narrow get the least width, as long as there is enough; the others share the rest.
 */
static void put_callees(struct drawing *d, int32_t i, double left, double width, unsigned row)
{
	const struct vd_tree_node *node = &d->tree->nodes[i];
	size_t weight = node->n_threads;
	double rest = width;

	if (row >= ROWS_MAX || width < 2)
		return;
	/* callees are sorted by ranks, not by threads: two passes */
	for (int32_t c = node->first; c >= 0; c = d->tree->nodes[c].next)
		if ((double)d->tree->nodes[c].n_threads / (double)node->n_threads * width < BOX_MIN &&
		    rest >= BOX_MIN) {
			rest -= BOX_MIN;
			weight -= d->tree->nodes[c].n_threads;
		}
	double rest_min = width;
	for (int32_t c = node->first; c >= 0; c = d->tree->nodes[c].next) {
		size_t n = d->tree->nodes[c].n_threads;
		bool least = (double)n / (double)node->n_threads * width < BOX_MIN && rest_min >= BOX_MIN;
		double its = least ? BOX_MIN : weight ? (double)n / (double)weight * rest : 0;

		if (least)
			rest_min -= BOX_MIN;
		if (d->n_boxes >= BOXES_MAX || its < 2) {
			d->n_left_out++;
			continue;
		}
		put_box(d, c, left, its, row);
		put_callees(d, c, left, its, row + 1);
		left += its;
	}
}

static unsigned depth_of(const struct vd_tree *t)
{
	unsigned most = 0;

	for (size_t i = 1; i < t->n; i++) {
		unsigned depth = 0;
		for (int32_t k = (int32_t)i; k > 0 && depth < ROWS_MAX; k = t->nodes[k].parent)
			depth++;
		if (depth > most)
			most = depth;
	}
	return most;
}

static void draw(FILE *out, const struct rp_source *s, const struct vd_tree *t, const bool *is_suspect)
{
	struct drawing d = { .out = out, .s = s, .tree = t, .is_suspect = is_suspect };
	unsigned height = depth_of(t) * ROW;

	fprintf(out,
		"<div class=\"picture\"><svg role=\"img\" aria-label=\"merged call tree\" viewBox=\"0 0 %d %u\" "
		"width=\"%d\" "
		"height=\"%u\">\n",
		WIDTH, height, WIDTH, height);
	put_callees(&d, 0, 0, WIDTH, 0);
	fputs("</svg></div>\n", out);
	if (d.n_left_out)
		fprintf(out,
			"<p class=\"soft\">%u functions are too narrow to be shown: mpidbg stacks lists them.</p>\n",
			d.n_left_out);
}

bool rp_icicle(FILE *out, const struct rp_source *s)
{
	bool *is_suspect = calloc(s->job->n_ranks + 1, sizeof(*is_suspect));
	struct vd_tree t = { .n = 0 };

	for (size_t i = 0; is_suspect && i < s->n_suspects; i++)
		is_suspect[s->suspects[i]] = true;
	for (size_t i = 0; is_suspect && i < s->job->n_ranks; i++)
		vd_tree_add(&t, (int32_t)i, json_object_get(s->processes[i], "calls"), false);
	vd_tree_sort(&t);
	bool any = is_suspect && !t.no_memory && t.n > 1;
	if (any)
		draw(out, s, &t, is_suspect);
	vd_tree_deinit(&t);
	free(is_suspect);
	return any;
}
