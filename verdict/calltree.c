/* SPDX-License-Identifier: BSD-3-Clause */
#include "calltree.h"

#include "job.h"
#include "place.h"
#include "stack.h"

#include "../access/grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static bool starts_with_one(const char *text, const char *const *names)
{
	for (; *names; names++)
		if (starts(text, *names))
			return true;
	return false;
}

/* ---- frames ---------------------------------------------------------------------------------------------- */

/* In these a process or a thread begins. */
static bool is_start(const char *frame)
{
	static const char *const names[] = { "_start", "__libc_start", "start_thread",
					     "clone",  "__clone",      "?? in ld-linux",
					     NULL };

	return starts_with_one(frame, names);
}

/* Functions of CPython and of Cython's bindings. */
static bool is_interpreter(const char *frame)
{
	static const char *const names[] = { "_Py",
					     "Py",
					     "pymain_",
					     "pyrun_",
					     "run_mod",
					     "run_eval_code_obj",
					     "vectorcall",
					     "method_vectorcall",
					     "object_vacall",
					     "cfunction_",
					     "builtin_exec",
					     "slot_",
					     "function_code_fastcall",
					     "do_call_core",
					     "type_call",
					     "__pyx_",
					     "?? in libpython",
					     "?? in python",
					     NULL };

	return starts_with_one(frame, names) && !strstr(frame, ".py:");
}

/* Is the frame this MPI function, in C, as PMPI_, or in Fortran ("mpi_recv_", "pmpi_recv_f08_")? */
static bool is_function(const char *frame, const char *function)
{
	size_t n = strlen(function);

	frame += *frame == 'p' || *frame == 'P';
	return strncasecmp(frame, function, n) == 0 &&
	       (!frame[n] || frame[n] == '_' || frame[n] == ' ' || frame[n] == '(');
}

/* The index of the outermost frame of the MPI library; @p n: none. */
static size_t mpi_frame(const json_t *backtrace, const char *function, size_t n)
{
	for (int exact = 1; exact >= 0; exact--)
		for (size_t i = n; i-- > 0;) {
			const char *frame = json_string_value(json_array_get(backtrace, i));

			if (frame && (exact ? is_function(frame, function) : vd_stack_is_mpi(frame)))
				return i;
		}
	return n;
}

/* ---- nodes ------------------------------------------------------------------------------------------------- */

/* A frame without a line is known by its whole text. */
static struct vd_place frame_of(const char *text)
{
	struct vd_place f = vd_place_of(text);

	if (!f.file)
		f.n_function = (int)strlen(text);
	return f;
}

static bool is_text(const char *text, const char *bytes, size_t n)
{
	return text ? strncmp(text, bytes ? bytes : "", n) == 0 && !text[n] : !n;
}

static int32_t *slot_of(const struct vd_tree *t, int32_t parent, const struct vd_place *f)
{
	uint64_t hash = vd_hash(vd_hash(VD_HASH_SEED, &parent, sizeof(parent)), f->function, (size_t)f->n_function);
	size_t i = vd_hash(hash, f->file, (size_t)f->n_file) & (t->n_slots - 1);

	for (; t->slots[i] >= 0; i = (i + 1) & (t->n_slots - 1)) {
		const struct vd_tree_node *node = &t->nodes[t->slots[i]];
		if (node->parent == parent && is_text(node->function, f->function, (size_t)f->n_function) &&
		    is_text(node->file, f->file, (size_t)f->n_file))
			break;
	}
	return &t->slots[i];
}

static struct vd_place frame_of_node(const struct vd_tree_node *node)
{
	return (struct vd_place){ .function = node->function,
				  .n_function = node->function ? (int)strlen(node->function) : 0,
				  .file = node->file,
				  .n_file = node->file ? (int)strlen(node->file) : 0 };
}

static bool widen(struct vd_tree *t)
{
	size_t n = t->n_slots ? 2 * t->n_slots : 256;
	int32_t *slots = malloc(n * sizeof(*slots));

	if (!slots)
		return false;
	memset(slots, 0xff, n * sizeof(*slots));
	free(t->slots);
	t->slots = slots;
	t->n_slots = n;
	for (size_t i = 1; i < t->n; i++) {
		struct vd_place f = frame_of_node(&t->nodes[i]);
		*slot_of(t, t->nodes[i].parent, &f) = (int32_t)i;
	}
	return true;
}

/* @return -1: out of memory */
static int32_t add_node(struct vd_tree *t, int32_t parent, const struct vd_place *f)
{
	if (t->n == INT32_MAX || !ACC_GROW(t->nodes, t->n))
		return -1;
	struct vd_tree_node *node = &t->nodes[t->n];
	*node = (struct vd_tree_node){ .parent = parent,
				       .first = -1,
				       .next = parent < 0 ? -1 : t->nodes[parent].first,
				       .function = f ? strndup(f->function, (size_t)f->n_function) : NULL,
				       .file = f && f->n_file ? strndup(f->file, (size_t)f->n_file) : NULL };
	if (f && (!node->function || (f->n_file && !node->file))) {
		free(node->function);
		free(node->file);
		return -1;
	}
	if (parent >= 0)
		t->nodes[parent].first = (int32_t)t->n;
	return (int32_t)t->n++;
}

/* Count a thread of the rank. */
static bool count_rank(struct vd_tree_node *node, int32_t rank)
{
	node->n_threads++;
	if (node->n_ranks && node->ranks[node->n_ranks - 1] == rank)
		return true;
	if (!ACC_GROW(node->ranks, node->n_ranks))
		return false;
	node->ranks[node->n_ranks++] = rank;
	return true;
}

static void add_line(struct vd_tree_node *node, long line)
{
	for (unsigned i = 0; i < node->n_lines && i < VD_TREE_LINES; i++)
		if (node->lines[i] == line)
			return;
	if (node->n_lines < VD_TREE_LINES)
		node->lines[node->n_lines] = line;
	if (node->n_lines <= VD_TREE_LINES)
		node->n_lines++;
}

/* The callee of a node, added if necessary. @return -1: out of memory */
static int32_t child_node(struct vd_tree *t, int32_t parent, int32_t rank, const char *text)
{
	struct vd_place f = frame_of(text);

	if (2 * (t->n + 1) > t->n_slots && !widen(t))
		return -1;
	int32_t *slot = slot_of(t, parent, &f), i = *slot;
	if (i < 0)
		i = *slot = add_node(t, parent, &f);
	if (i < 0 || !count_rank(&t->nodes[i], rank))
		return -1;
	if (f.n_file)
		add_line(&t->nodes[i], f.line);
	return i;
}

/* The number of frames without those in which the process or the thread begins, one of which may have no name. */
static size_t without_start(const json_t *backtrace, size_t n)
{
	enum { NEAR = 5 };
	size_t ret = n;

	for (size_t i = n; i-- > 0 && n - i <= NEAR;) {
		const char *frame = json_string_value(json_array_get(backtrace, i));

		if (frame && is_start(frame))
			ret = i;
	}
	return ret;
}

static bool add_thread(struct vd_tree *t, int32_t rank, const json_t *call)
{
	const json_t *backtrace = json_object_get(call, "backtrace");
	const char *function = json_string_value(json_object_get(call, "function")), *before = NULL;
	bool python = json_array_size(json_object_get(call, "python")) > 0;
	size_t n = json_array_size(backtrace), inner = function ? mpi_frame(backtrace, function, n) : n, depth = 0;
	int32_t at = 0;

	n = without_start(backtrace, n);
	/* without a frame of the MPI library all are the program's */
	size_t end = inner < n ? inner + 1 : 0;
	if (!count_rank(&t->nodes[0], rank))
		return false;
	for (size_t i = n; i-- > end && depth < VD_TREE_DEPTH;) {
		const char *frame = json_string_value(json_array_get(backtrace, i));

		if (!frame || (python && is_interpreter(frame)))
			continue;
		/* functions without name, one after the other */
		if (before && starts(frame, "?? ") && strcmp(frame, before) == 0 && !strstr(frame, "+0x"))
			continue;
		before = frame;
		at = child_node(t, at, rank, frame);
		if (at < 0)
			return false;
		depth++;
	}
	if (inner < n) {
		at = child_node(t, at, rank, function);
		if (at < 0)
			return false;
		t->nodes[at].is_mpi = true;
	}
	t->nodes[at].n_ends++;
	return true;
}

bool vd_tree_add(struct vd_tree *t, int32_t rank, const json_t *calls, bool all)
{
	const json_t *call;
	bool any = false;
	size_t i;

	if (!t->n && add_node(t, -1, NULL) < 0)
		t->no_memory = true;
	json_array_foreach(calls, i, call)
	{
		const json_t *backtrace = json_object_get(call, "backtrace");

		if (t->no_memory || !json_array_size(backtrace))
			continue;
		any = true;
		if (!all && !json_is_string(json_object_get(call, "function")) && vd_stack_is_helper(backtrace))
			t->n_helpers++;
		else if (!add_thread(t, rank, call))
			t->no_memory = true;
	}
	return any;
}

/* ---- order ------------------------------------------------------------------------------------------------- */

static const struct vd_tree_node *sorted_nodes;

static int by_ranks(const void *a, const void *b)
{
	const struct vd_tree_node *x = &sorted_nodes[*(const int32_t *)a], *y = &sorted_nodes[*(const int32_t *)b];

	if (x->n_ranks != y->n_ranks)
		return x->n_ranks < y->n_ranks ? -1 : 1;
	if (x->n_threads != y->n_threads)
		return x->n_threads < y->n_threads ? -1 : 1;
	int c = strcmp(x->function, y->function);
	return c ? c : strcmp(x->file ? x->file : "", y->file ? y->file : "");
}

void vd_tree_sort(struct vd_tree *t)
{
	int32_t *callees = malloc((t->n + 1) * sizeof(*callees));

	t->no_memory |= !callees;
	sorted_nodes = t->nodes;
	for (size_t i = 0; callees && i < t->n; i++) {
		size_t n = 0;

		for (int32_t c = t->nodes[i].first; c >= 0; c = t->nodes[c].next)
			callees[n++] = c;
		if (n < 2)
			continue;
		qsort(callees, n, sizeof(*callees), by_ranks);
		t->nodes[i].first = callees[0];
		for (size_t k = 0; k < n; k++)
			t->nodes[callees[k]].next = k + 1 < n ? callees[k + 1] : -1;
	}
	free(callees);
}

void vd_tree_text(const struct vd_tree_node *node, char *ret, size_t size)
{
	size_t n = (size_t)snprintf(ret, size, "%s", node->function ? node->function : "");

	if (node->file && n < size)
		n += (size_t)snprintf(ret + n, size - n, " at %s", node->file);
	for (unsigned i = 0; i < node->n_lines && n < size; i++)
		if (i < VD_TREE_LINES)
			n += (size_t)snprintf(ret + n, size - n, "%c%ld", i ? ',' : ':', node->lines[i]);
		else
			n += (size_t)snprintf(ret + n, size - n, ",...");
}

void vd_tree_deinit(struct vd_tree *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->nodes[i].function);
		free(t->nodes[i].file);
		free(t->nodes[i].ranks);
	}
	free(t->nodes);
	free(t->slots);
	*t = (struct vd_tree){ .n = 0 };
}
