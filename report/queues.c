/* SPDX-License-Identifier: BSD-3-Clause */
#include "queues.h"

#include "html.h"

#include "../access/grow.h"
#include "../access/quote.h"
#include "../verdict/job.h"
#include "../verdict/words.h"

#include <stdlib.h>
#include <string.h>

enum {
	PATTERNS_MAX = 400000, /* limit of patterns that are compared */
	ROWS_OF_COMM = 200,    /* limit of rows shown for a communicator */
	ROWS_MAX = 2000,
	COMMS_NAMED = 40,
	ALIKE_MIN = 3,
	CELL_BYTES = 160,
	SEPARATOR = 0x1f /* between cells; cannot occur in quoted text */
};

enum column { KIND, FUNCTION, PEER, TAG, BYTES, DATA, STATE, N_COLUMNS };

/* Operations that look the same. */
struct pattern {
	char *cells;
	int32_t comm;
	uint8_t order;
	int32_t *ranks;
	size_t n, n_ops;
};

struct patterns {
	struct pattern *v;
	size_t n;
	struct vd_names *names;
};

struct item {
	const json_t *json;
	int32_t rank, op, pattern;
};

struct queues {
	const struct rp_source *s;
	struct patterns same, alike, shown;
	struct item *items;
	size_t n_items;
	size_t n_left_out, n_internal;
};

/* ---- cells of an operation -------------------------------------------------------------------------------------- */

static void add_cell(char *cells, size_t size, const char *text)
{
	char quoted[CELL_BYTES];
	size_t n = strlen(cells);

	acc_quote(quoted, sizeof(quoted), text ? text : "");
	snprintf(cells + n, size - n, "%s%c", quoted, SEPARATOR);
}

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static const char *number_text(const json_t *object, const char *key, char ret[32])
{
	const json_t *v = json_object_get(object, key);

	ret[0] = '\0';
	if (json_is_integer(v))
		snprintf(ret, 32, "%lld", (long long)json_integer_value(v));
	return ret;
}

static const char *kind_word(const struct vd_op *op)
{
	static const char *const words[] = { [VD_SEND] = "send",
					     [VD_RECEIVE] = "receive",
					     [VD_PROBE] = "probe",
					     [VD_MESSAGE] = "unexpected",
					     [VD_COLLECTIVE] = "collective" };

	return words[op->kind];
}

static void append_state(struct vd_text *t, const json_t *op)
{
	static const char *const keys[] = { "mode", "protocol", "status" };
	static const char *const plain[] = { "standard", "", "pending" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *word = text_of(op, keys[i]);
		if (word && strcmp(word, plain[i]) != 0)
			vd_append(t, "%s%s", t->n ? ", " : "", word);
	}
	if (json_is_true(json_object_get(op, "persistent")))
		vd_append(t, "%spersistent", t->n ? ", " : "");
	if (json_is_true(json_object_get(op, "blocking")))
		vd_append(t, "%sblocked in it", t->n ? ", " : "");
}

static void make_cells(const struct queues *q, const struct item *x, bool relative, char *ret, size_t size)
{
	const struct vd_op *op = &q->s->job->ops[x->op];
	struct vd_text peer = { .n = 0 }, data = { .n = 0 }, state = { .n = 0 };
	const char *tag_why = text_of(x->json, "tag_why"), *datatype = text_of(x->json, "datatype");
	char number[32];

	*ret = '\0';
	if (op->kind != VD_COLLECTIVE) {
		vd_append(&peer, op->kind == VD_SEND ? "to " : "from ");
		if (op->peer == VD_UNKNOWN)
			vd_append(&peer, "a rank that is not known");
		else
			vd_append_peer(&peer, q->s->job, x->rank, op->comm, op->peer, relative);
	}
	if (*number_text(x->json, "count", number))
		vd_append(&data, "%s %s", number, datatype ? datatype : "");
	append_state(&state, x->json);
	add_cell(ret, size, kind_word(op));
	add_cell(ret, size, text_of(x->json, "function"));
	add_cell(ret, size, peer.bytes);
	add_cell(ret, size, tag_why && strcmp(tag_why, "any") == 0 ? "any" : number_text(x->json, "tag", number));
	add_cell(ret, size, number_text(x->json, "bytes", number));
	add_cell(ret, size, data.bytes);
	add_cell(ret, size, state.bytes);
}

/* ---- patterns ---------------------------------------------------------------------------------------- */

/* @return the pattern's index; -1: there are too many, or no memory */
static int32_t put_pattern(struct queues *q, struct patterns *p, const struct item *x, bool relative)
{
	const struct vd_op *op = &q->s->job->ops[x->op];
	int32_t world = relative ? q->s->job->ranks[x->rank].world : 0;
	char key[N_COLUMNS * CELL_BYTES + 64];
	int n = snprintf(key, sizeof(key), "%d %d %d%c", op->comm, world, relative, SEPARATOR);

	make_cells(q, x, relative, key + n, sizeof(key) - (size_t)n);
	int32_t i = vd_name(&p->names, key, p->n < PATTERNS_MAX ? (int32_t)p->n : VD_UNKNOWN);
	if (i == VD_UNKNOWN)
		return -1;
	if ((size_t)i == p->n) {
		if (!ACC_GROW(p->v, p->n))
			return -1;
		p->v[p->n++] = (struct pattern){ .cells = strdup(key + n),
						 .comm = op->comm,
						 .order = (uint8_t)(op->kind == VD_PROBE ? VD_RECEIVE : op->kind) };
	}
	struct pattern *to = &p->v[i];
	if (!ACC_GROW(to->ranks, to->n))
		return -1;
	to->n_ops++;
	if (!to->n || to->ranks[to->n - 1] != x->rank)
		to->ranks[to->n++] = x->rank;
	return i;
}

static void patterns_deinit(struct patterns *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->v[i].cells);
		free(p->v[i].ranks);
	}
	free(p->v);
	vd_names_destroy(p->names);
}

static void add_item(struct queues *q, const json_t *json, int32_t rank, int32_t op)
{
	if (!ACC_GROW(q->items, q->n_items)) {
		q->n_left_out++;
		return;
	}
	struct item *x = &q->items[q->n_items++];
	*x = (struct item){ json, rank, op, -1 };
	x->pattern = put_pattern(q, &q->same, x, false);
}

static void take_rank(struct queues *q, int32_t rank)
{
	const struct vd_job *job = q->s->job;
	const struct vd_rank *r = &job->ranks[rank];
	const json_t *comms = json_object_get(q->s->processes[rank], "communicators");

	for (size_t i = r->first_op; i < r->first_op + r->n_ops; i++) {
		const struct vd_op *op = &job->ops[i];
		const json_t *comm = json_array_get(comms, op->view);
		if (op->internal || op->comm == VD_UNKNOWN || json_is_true(json_object_get(comm, "internal")))
			q->n_internal++;
		else if (!op->inactive)
			add_item(q, json_array_get(json_object_get(comm, vd_op_list(op->list)), op->index), rank,
				 (int32_t)i);
	}
}

/* Groups by text first; ranks with a unique text are then compared by their text relative to their own number. */
static void group(struct queues *q)
{
	for (size_t i = 0; i < q->n_items; i++) {
		struct item *x = &q->items[i];
		if (x->pattern < 0 || q->same.v[x->pattern].n > 1)
			continue;
		int32_t alike = put_pattern(q, &q->alike, x, true);
		x->pattern = alike < 0 ? -1 : -2 - alike;
	}
	for (size_t i = 0; i < q->n_items; i++) {
		struct item *x = &q->items[i];
		if (x->pattern == -1)
			q->n_left_out++;
		else
			put_pattern(q, &q->shown, x, x->pattern < -1 && q->alike.v[-2 - x->pattern].n >= ALIKE_MIN);
	}
}

static int by_comm(const void *a, const void *b)
{
	const struct pattern *x = a, *y = b;

	if (x->comm != y->comm)
		return x->comm < y->comm ? -1 : 1;
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return (x->ranks[0] > y->ranks[0]) - (x->ranks[0] < y->ranks[0]);
}

/* ---- tables ------------------------------------------------------------------------------------------ */

static void put_row(FILE *out, const struct queues *q, const struct pattern *x)
{
	static const char *const classes[] = { [VD_SEND] = "send",
					       [VD_RECEIVE] = "receive",
					       [VD_PROBE] = "receive",
					       [VD_MESSAGE] = "unexpected",
					       [VD_COLLECTIVE] = "collective" };
	const char *cell = x->cells;

	fprintf(out, "<tr class=\"%s\"><td><a href=\"#", classes[x->order]);
	rp_rank_id(out, q->s->job, x->ranks[0]);
	fputs("\">", out);
	rp_ranks(out, q->s->job, x->ranks, x->n);
	fputs("</a></td>", out);
	for (int i = 0; i < N_COLUMNS && cell && *cell; i++) {
		char text[CELL_BYTES];
		size_t n = strcspn(cell, (char[]){ SEPARATOR, '\0' });
		snprintf(text, sizeof(text), "%.*s", (int)n, cell);
		fputs(i == TAG || i == BYTES ? "<td class=\"n\">" : "<td>", out);
		rp_text(out, text);
		if (i == KIND && x->n_ops != x->n)
			fprintf(out, " <small>(%zu)</small>", x->n_ops);
		fputs("</td>", out);
		cell += n + (cell[n] != '\0');
	}
	fputs("</tr>\n", out);
}

static void put_comm(FILE *out, const struct queues *q, const struct pattern *first, size_t n, size_t *n_rows)
{
	const struct vd_comm *c = &q->s->job->comms[first->comm];
	size_t i = 0;

	fputs("<h3>", out);
	rp_text(out, c->name);
	fprintf(out, " <small>%d ranks%s</small></h3>\n", c->n, c->inter ? ", two groups" : "");
	fputs("<table class=\"queues\"><thead><tr><th>ranks</th><th>what</th><th>call</th><th>partner</th><th>tag</th>"
	      "<th>bytes</th><th>data</th><th>state</th></tr></thead><tbody>\n",
	      out);
	for (; i < n && i < ROWS_OF_COMM && *n_rows < ROWS_MAX; i++, ++*n_rows)
		put_row(out, q, &first[i]);
	if (i < n)
		fprintf(out, "<tr><td colspan=8>and %zu more lines</td></tr>\n", n - i);
	fputs("</tbody></table>\n", out);
}

/* Names of the communicators with no pending operations. */
static void put_quiet(FILE *out, const struct queues *q, const uint8_t *is_busy)
{
	const struct vd_job *job = q->s->job;
	struct vd_names *names = NULL;
	size_t *n = calloc(job->n_comms + 1, sizeof(*n)), n_names = 0;
	int32_t *first = calloc(job->n_comms + 1, sizeof(*first));

	for (size_t i = 0; n && first && i < job->n_comms; i++) {
		if (is_busy[i])
			continue;
		int32_t k = vd_name(&names, job->comms[i].name, (int32_t)n_names);
		if (k == VD_UNKNOWN)
			continue;
		if ((size_t)k == n_names)
			first[n_names++] = (int32_t)i;
		n[k]++;
	}
	if (n_names)
		fputs("<p>Nothing is pending on: ", out);
	for (size_t k = 0; k < n_names && k < COMMS_NAMED; k++) {
		const struct vd_comm *c = &job->comms[first[k]];
		fputs(k ? ", " : "", out);
		rp_text(out, c->name);
		if (n[k] > 1)
			fprintf(out, " <small>(%zu communicators)</small>", n[k]);
		else
			fprintf(out, " <small>(%d rank%s)</small>", c->n, c->n == 1 ? "" : "s");
	}
	if (n_names > COMMS_NAMED)
		fprintf(out, " and %zu more", n_names - COMMS_NAMED);
	if (n_names)
		fputs(".</p>\n", out);
	vd_names_destroy(names);
	free(n);
	free(first);
}

void rp_queues(FILE *out, const struct rp_source *s)
{
	struct queues q = { .s = s };
	uint8_t *is_busy = calloc(s->job->n_comms + 1, 1);
	size_t n_rows = 0;

	for (size_t i = 0; i < s->job->n_ranks; i++)
		take_rank(&q, (int32_t)i);
	group(&q);
	if (q.shown.n)
		qsort(q.shown.v, q.shown.n, sizeof(*q.shown.v), by_comm);
	for (size_t i = 0, k; is_busy && i < q.shown.n; i = k) {
		for (k = i + 1; k < q.shown.n && q.shown.v[k].comm == q.shown.v[i].comm; k++)
			;
		is_busy[q.shown.v[i].comm] = 1;
		put_comm(out, &q, &q.shown.v[i], k - i, &n_rows);
	}
	if (is_busy)
		put_quiet(out, &q, is_busy);
	if (q.n_left_out)
		fprintf(out, "<p>%zu operations are left out: there are too many different ones.</p>\n", q.n_left_out);
	if (q.n_internal)
		fprintf(out, "<p>%zu operations of the MPI library's own are not shown.</p>\n", q.n_internal);
	patterns_deinit(&q.same);
	patterns_deinit(&q.alike);
	patterns_deinit(&q.shown);
	free(q.items);
	free(is_busy);
}
