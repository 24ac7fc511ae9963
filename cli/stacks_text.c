/* SPDX-License-Identifier: BSD-3-Clause */
#include "stacks_text.h"

#include "../access/quote.h"
#include "../verdict/words.h"

#include <string.h>

enum { TEXT_BYTES = 1024, INDENT = 2 };

/* "rank 3", "ranks [2-15] (14 ranks)", and the number of threads if it is another one. */
static struct vd_text ranks_of(const struct vd_job *job, const struct vd_tree_node *node)
{
	struct vd_text t = { .n = 0 };

	vd_append_ranks(&t, job, node->ranks, node->n_ranks);
	/* a list that is shortened begins with the number of ranks */
	bool threads = node->n_threads > node->n_ranks,
	     counted = node->n_ranks < 2 || (t.bytes[0] >= '0' && t.bytes[0] <= '9');
	if (!counted)
		vd_append(&t, " (%zu ranks%s", node->n_ranks, threads ? "" : ")");
	if (threads)
		vd_append(&t, "%s%zu threads)", counted ? " (" : ", ", node->n_threads);
	return t;
}

/* ---- text ---------------------------------------------------------------------------------------------------- */

static void put_line(FILE *out, unsigned depth, const char *text)
{
	fprintf(out, "%*s", (int)(depth * INDENT), "");
	vd_print(out, text);
	putc('\n', out);
}

/*
 * The callees of a node. A callee of all of its threads follows it at the same depth; otherwise each group of ranks
 * has a line of its own.
 */
static void put_callees(FILE *out, const struct vd_job *job, const struct vd_tree *t, int32_t i, unsigned depth)
{
	char text[TEXT_BYTES];

	for (int32_t c = t->nodes[i].first; c >= 0; c = t->nodes[c].next) {
		const struct vd_tree_node *node = &t->nodes[c];
		bool same = node->n_ranks == t->nodes[i].n_ranks && node->n_threads == t->nodes[i].n_threads;

		if (!same)
			put_line(out, depth, ranks_of(job, node).bytes);
		vd_tree_text(node, text, sizeof(text));
		put_line(out, depth + !same, text);
		put_callees(out, job, t, c, depth + !same);
	}
}

void cmd_stacks_text(FILE *out, const struct vd_job *job, const struct vd_tree *t)
{
	if (!t->n || !t->nodes[0].n_ranks)
		return;
	put_line(out, 0, ranks_of(job, &t->nodes[0]).bytes);
	put_callees(out, job, t, 0, 1);
}

/* ---- folded ------------------------------------------------------------------------------------------------- */

/* Semicolons separate functions, and a blank precedes the number. */
static void put_function(FILE *out, const char *function)
{
	char quoted[TEXT_BYTES];

	acc_quote(quoted, sizeof(quoted), function);
	for (char *c = quoted; *c; c++)
		putc(*c == ';' ? ':' : *c, out);
}

static void put_path(FILE *out, const struct vd_tree *t, int32_t i)
{
	int32_t path[VD_TREE_DEPTH + 1];
	size_t n = 0;

	for (; i > 0 && n < sizeof(path) / sizeof(path[0]); i = t->nodes[i].parent)
		path[n++] = i;
	while (n-- > 0) {
		put_function(out, t->nodes[path[n]].function);
		if (n)
			putc(';', out);
	}
}

void cmd_stacks_folded(FILE *out, const struct vd_tree *t)
{
	for (size_t i = 1; i < t->n; i++) {
		if (!t->nodes[i].n_ends)
			continue;
		put_path(out, t, (int32_t)i);
		fprintf(out, " %zu\n", t->nodes[i].n_ends);
	}
}

/* ---- dot ---------------------------------------------------------------------------------------------------- */

static void put_label(FILE *out, const char *text)
{
	char quoted[TEXT_BYTES];

	acc_quote(quoted, sizeof(quoted), text);
	for (const char *c = quoted; *c; c++) {
		if (*c == '"' || *c == '\\')
			putc('\\', out);
		putc(*c, out);
	}
}

void cmd_stacks_dot(FILE *out, const struct vd_job *job, const struct vd_tree *t)
{
	char text[TEXT_BYTES];

	fputs("digraph stacks {\n\tnode [shape=box fontname=\"sans-serif\"];\n", out);
	for (size_t i = 0; i < t->n; i++) {
		vd_tree_text(&t->nodes[i], text, sizeof(text));
		fprintf(out, "\tf%zu [label=\"", i);
		put_label(out, text);
		fputs(i ? "\\n" : "", out);
		put_label(out, ranks_of(job, &t->nodes[i]).bytes);
		fputs("\"];\n", out);
		if (i)
			fprintf(out, "\tf%d -> f%zu;\n", (int)t->nodes[i].parent, i);
	}
	fputs("}\n", out);
}

/* ---- JSON --------------------------------------------------------------------------------------------------- */

static json_t *node_json(const struct vd_job *job, const struct vd_tree *t, int32_t i)
{
	const struct vd_tree_node *node = &t->nodes[i];
	json_t *ret = json_object(), *ranks = json_array(), *lines = json_array(), *callees = json_array();

	json_object_set_new(ret, "function", node->function ? json_string(node->function) : json_null());
	if (node->file) {
		json_object_set_new(ret, "file", json_string(node->file));
		for (unsigned k = 0; k < node->n_lines && k < VD_TREE_LINES; k++)
			json_array_append_new(lines, json_integer(node->lines[k]));
		json_object_set(ret, "lines", lines);
	}
	if (node->is_mpi)
		json_object_set_new(ret, "mpi", json_true());
	for (size_t k = 0; k < node->n_ranks; k++)
		json_array_append_new(ranks, json_integer(job->ranks[node->ranks[k]].rank));
	json_object_set_new(ret, "n_ranks", json_integer((json_int_t)node->n_ranks));
	json_object_set_new(ret, "n_threads", json_integer((json_int_t)node->n_threads));
	json_object_set_new(ret, "innermost", json_integer((json_int_t)node->n_ends));
	json_object_set_new(ret, "ranks", ranks);
	for (int32_t c = node->first; c >= 0; c = t->nodes[c].next)
		json_array_append_new(callees, node_json(job, t, c));
	json_object_set_new(ret, "callees", callees);
	json_decref(lines);
	return ret;
}

json_t *cmd_stacks_json(const struct vd_job *job, const struct vd_tree *t)
{
	return t->n ? node_json(job, t, 0) : json_null();
}
