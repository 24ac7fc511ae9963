/* SPDX-License-Identifier: BSD-3-Clause */
#include "waits.h"

#include "../access/grow.h"
#include "../verdict/job.h"
#include "../verdict/matching.h"
#include "../verdict/window_waits.h"
#include "../verdict/words.h"

#include <stdlib.h>
#include <string.h>

enum {
	SMALL_JOB = 24,  /* ranks that may each have a node */
	CYCLE_SHOWN = 8, /* ranks of a cycle with their own node; the others are in the nodes of their groups */
	NODES_MAX = 24,  /* nodes of ranks */
	AWAITS_MAX = 64, /* operations of a thread that are considered */
	COLLECTIVES_MAX = 12,
	SUSPECTS_SHOWN = 8,
	CANDIDATES_SHOWN = 8 /* of more ranks of a window of which one is needed, the node is "any rank" */
};

struct making {
	const struct rp_source *s;
	struct rp_waits *w;
	struct vd_matching matching;
	int32_t *node_of_rank;
	struct vd_names *collectives, *edges;
	int32_t others; /* the node shared by all groups without their own; -1: none */
	uint8_t *marks; /* of each rank; scratch space of one function at a time */
	struct vd_window_waits *windows;
	int32_t *needed; /* ranks; scratch space of one function at a time */
};

static int32_t add_node(struct making *m, enum rp_node_kind kind)
{
	struct rp_waits *w = m->w;

	if (!ACC_GROW(w->nodes, w->n_nodes)) {
		w->no_memory = true;
		return -1;
	}
	w->nodes[w->n_nodes] = (struct rp_node){ .kind = (uint8_t)kind };
	return (int32_t)w->n_nodes++;
}

static void add_rank(struct making *m, int32_t node, int32_t rank)
{
	struct rp_node *x = node < 0 ? NULL : &m->w->nodes[node];

	m->node_of_rank[rank] = node;
	if (!x || !ACC_GROW(x->ranks, x->n)) {
		m->w->no_memory = true;
		return;
	}
	x->ranks[x->n++] = rank;
}

/* ---- nodes of ranks ---------------------------------------------------------------------------------------- */

/* Does the rank have its own node? */
static bool is_alone(const struct making *m, int32_t rank)
{
	const struct rp_source *s = m->s;
	const struct vd_verdict *v = s->verdict;

	for (size_t i = 0; i < v->n_cycle && i < CYCLE_SHOWN; i++)
		if (v->cycle[i] == rank || (i + 1 == CYCLE_SHOWN && v->cycle[v->n_cycle - 1] == rank))
			return true;
	return s->job->n_ranks <= SMALL_JOB && s->groups->v[s->group_of[rank]].relative;
}

/* Do the groups have a node even if there are too many? Suspect ones do. */
static bool is_wanted(const struct making *m, const struct vd_fold *fold)
{
	const struct rp_source *s = m->s;

	for (size_t i = 0; i < s->n_suspects && i < SUSPECTS_SHOWN; i++)
		for (size_t k = 0; k < fold->n_groups; k++)
			if (s->group_of[s->suspects[i]] == (int32_t)fold->groups[k])
				return true;
	return false;
}

static void make_rank_nodes(struct making *m)
{
	const struct rp_source *s = m->s;
	int32_t others = -1;

	for (size_t f = 0; f < s->folds->n; f++) {
		const struct vd_fold *fold = &s->folds->v[f];
		bool shown = f < NODES_MAX || s->folds->n <= NODES_MAX + 1 || is_wanted(m, fold);
		int32_t node = -1;
		for (size_t i = 0; i < fold->n; i++) {
			int32_t rank = fold->ranks[i];
			if (is_alone(m, rank)) {
				add_rank(m, add_node(m, RP_NODE_RANKS), rank);
				continue;
			}
			if (node < 0 && (shown || others < 0))
				node = add_node(m, RP_NODE_RANKS);
			if (!shown)
				node = others = others < 0 ? node : others;
			else if (node >= 0)
				m->w->nodes[node].fold = fold;
			add_rank(m, node, rank);
		}
		m->w->n_left_out += !shown && node >= 0;
	}
	m->others = others;
}

static char *copy(struct making *m, const struct vd_text *t)
{
	char *ret = t->n ? strdup(t->bytes) : NULL;

	m->w->no_memory |= t->n && !ret;
	return ret;
}

static int by_number(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

static void describe_ranks(struct making *m, struct rp_node *x, bool others)
{
	const struct rp_source *s = m->s;
	struct vd_text line[RP_LINES] = { { .n = 0 } };

	if (!x->n)
		return;
	qsort(x->ranks, x->n, sizeof(*x->ranks), by_number);
	vd_append_ranks(&line[0], s->job, x->ranks, x->n);
	if (x->n > 1 && line[0].bytes[0] == 'r') /* many ranks begin with their number */
		vd_append(&line[0], " (%zu ranks)", x->n);
	if (others) {
		vd_append(&line[1], "in %zu more groups", m->w->n_left_out);
	} else {
		vd_append_activity(&line[1], s->job, s->verdict, x->ranks[0],
				   x->n > 1 && s->groups->v[s->group_of[x->ranks[0]]].relative);
		if (x->fold && x->fold->n_groups > 1)
			vd_append(&line[2], "%s", x->fold->place);
		else
			vd_append_place(&line[2], s->job, s->verdict, x->ranks[0]);
	}
	for (int i = 0; i < RP_LINES; i++)
		x->line[i] = copy(m, &line[i]);
	x->waits = s->verdict->classes[x->ranks[0]] == VD_WAITING;
}

/* ---- edges --------------------------------------------------------------------------------------------------- */

static struct rp_edge *edge_of(struct making *m, int32_t from, int32_t to)
{
	struct rp_waits *w = m->w;
	char key[40];

	if (from < 0 || to < 0)
		return NULL;
	snprintf(key, sizeof(key), "%d %d", from, to);
	int32_t i = vd_name(&m->edges, key, (int32_t)w->n_edges);
	if (i == VD_UNKNOWN)
		w->no_memory = true;
	if (i == VD_UNKNOWN || (size_t)i < w->n_edges)
		return i == VD_UNKNOWN ? NULL : &w->edges[i];
	if (!ACC_GROW(w->edges, w->n_edges)) {
		w->no_memory = true;
		return NULL;
	}
	w->edges[w->n_edges] = (struct rp_edge){ .from = from, .to = to };
	return &w->edges[w->n_edges++];
}

static void add_edge(struct making *m, int32_t from, int32_t to, const char *label)
{
	struct rp_edge *e = edge_of(m, from, to);

	if (!e)
		return;
	if (!e->n++ && label)
		e->label = strdup(label);
	if (e->label && label && strcmp(e->label, label) != 0) { /* merged edges with different labels have none */
		free(e->label);
		e->label = NULL;
	}
}

/* A node for a collective on a communicator, or for any rank of the communicator. */
static int32_t comm_node(struct making *m, enum rp_node_kind kind, int32_t comm, const char *function, int64_t sequence,
			 bool *is_new)
{
	const struct vd_job *job = m->s->job;
	char key[200];

	snprintf(key, sizeof(key), "%d %d %.96s %lld", kind, comm, function ? function : "", (long long)sequence);
	int32_t i = vd_name(&m->collectives, key, VD_UNKNOWN);
	*is_new = i == VD_UNKNOWN;
	if (i != VD_UNKNOWN || m->w->n_nodes >= 2 * NODES_MAX + COLLECTIVES_MAX)
		return i == VD_UNKNOWN ? -1 : i;
	i = add_node(m, kind);
	if (i < 0)
		return -1;
	vd_name(&m->collectives, key, i);
	struct vd_text line[2] = { { .n = 0 } };
	if (kind == RP_NODE_ANY)
		vd_append(&line[0], "any rank");
	else
		vd_append(&line[0], "%s", function ? function : "non-blocking collective");
	vd_append(&line[1], "on %s", vd_comm_name(job, comm));
	m->w->nodes[i].line[0] = copy(m, &line[0]);
	m->w->nodes[i].line[1] = copy(m, &line[1]);
	return i;
}

/* Adds edges from such a node to the members that are not in the collective. */
static void add_members(struct making *m, int32_t node, int32_t comm, const char *function, int64_t sequence, bool any)
{
	const struct vd_job *job = m->s->job;
	const struct vd_comm *c = &job->comms[comm];
	size_t n_in = 0;

	memset(m->marks, 0, job->n_ranks);
	for (size_t r = 0; !any && r < job->n_ranks; r++) {
		const struct vd_rank *x = &job->ranks[r];
		for (size_t t = x->first_thread; function && t < x->first_thread + x->n_threads; t++)
			m->marks[r] |= job->threads[t].function == function && job->threads[t].comm == comm;
		for (size_t o = x->first_op; !function && o < x->first_op + x->n_ops; o++)
			m->marks[r] |= job->ops[o].kind == VD_COLLECTIVE && job->ops[o].comm == comm &&
				       !job->ops[o].internal && job->ops[o].sequence == sequence;
	}
	for (int32_t i = 0; i < c->n; i++) {
		int32_t r = c->members ? c->members[i] : i;
		bool known = r >= 0 && (size_t)r < job->n_ranks;
		n_in += known && m->marks[r];
		if (known && !m->marks[r])
			add_edge(m, node, m->node_of_rank[r], any ? NULL : "not in it");
	}
	if (!any) {
		struct vd_text t = { .n = 0 };
		vd_append(&t, "%zu of %d ranks are in it", n_in, c->n);
		m->w->nodes[node].line[2] = copy(m, &t);
	}
}

static void wait_for_comm(struct making *m, int32_t rank, enum rp_node_kind kind, int32_t comm, const char *function,
			  int64_t sequence, const char *label)
{
	bool is_new;
	int32_t node = comm_node(m, kind, comm, function, sequence, &is_new);

	if (node < 0)
		return;
	add_edge(m, m->node_of_rank[rank], node, label);
	if (is_new)
		add_members(m, node, comm, function, sequence, kind == RP_NODE_ANY);
}

static void wait_for_op(struct making *m, int32_t rank, const struct vd_op *op)
{
	struct vd_text label = { .n = 0 };

	if (op->comm == VD_UNKNOWN || op->kind == VD_MESSAGE || vd_is_matched(&m->matching, rank, op))
		return;
	if (op->kind == VD_COLLECTIVE) {
		wait_for_comm(m, rank, RP_NODE_COLLECTIVE, op->comm, NULL, op->sequence, NULL);
		return;
	}
	if (op->tag == VD_ANY_TAG)
		vd_append(&label, "any tag");
	else if (!op->internal) /* tags of internal operations mean nothing to the user */
		vd_append(&label, "tag %lld", (long long)op->tag);
	if (op->peer == VD_ANY)
		wait_for_comm(m, rank, RP_NODE_ANY, op->comm, NULL, 0, label.bytes);
	else if (op->peer >= 0 && (size_t)op->peer < m->s->job->n_ranks)
		add_edge(m, m->node_of_rank[rank], m->node_of_rank[op->peer], label.bytes);
}

/* The action that the other rank has to take. */
static const char *window_label(const char *function)
{
	static const struct {
		const char *begins, *label;
	} labels[] = { { "MPI_Win_lock", "lock" },
		       { "MPI_Win_start", "post" },
		       { "MPI_Win_complete", "post" },
		       { "MPI_Win_wait", "complete" } };

	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		if (strncmp(function, labels[i].begins, strlen(labels[i].begins)) == 0)
			return labels[i].label;
	return "take part"; /* MPI_Win_unlock, _flush: the target */
}

static void wait_at_window(struct making *m, int32_t rank, const struct vd_thread *t)
{
	const char *label = window_label(t->function);
	bool some;
	size_t n = vd_window_waits_of(m->windows, rank, t, m->needed, &some);

	if (some && n > CANDIDATES_SHOWN) {
		wait_for_comm(m, rank, RP_NODE_ANY, t->comm, NULL, 0, label);
		return;
	}
	for (size_t i = 0; i < n; i++)
		add_edge(m, m->node_of_rank[rank], m->node_of_rank[m->needed[i]], label);
}

static void wait_of_rank(struct making *m, int32_t rank)
{
	const struct vd_job *job = m->s->job;
	const struct vd_rank *r = &job->ranks[rank];

	for (size_t i = r->first_thread; i < r->first_thread + r->n_threads; i++) {
		const struct vd_thread *t = &job->threads[i];
		if (t->call == VD_CALL_COLLECTIVE && t->comm != VD_UNKNOWN) {
			wait_for_comm(m, rank, RP_NODE_COLLECTIVE, t->comm, t->function, 0, NULL);
			continue;
		}
		if (t->call == VD_CALL_WINDOW) {
			wait_at_window(m, rank, t);
			continue;
		}
		for (size_t k = 0; k < t->n_awaits && k < AWAITS_MAX; k++)
			wait_for_op(m, rank, &job->ops[job->awaits[t->first_await + k]]);
	}
}

/* ---- suspects ------------------------------------------------------------------------------------------------- */

static int32_t find_edge(struct making *m, int32_t from, int32_t to)
{
	char key[40];

	snprintf(key, sizeof(key), "%d %d", from, to);
	return vd_name(&m->edges, key, VD_UNKNOWN);
}

/* Marks the edges from one rank of the cycle to the next, directly or through a node for a communicator. */
static void mark_step(struct making *m, int32_t from, int32_t to)
{
	struct rp_waits *w = m->w;
	int32_t direct = find_edge(m, from, to);
	bool found = direct >= 0;

	if (found)
		w->edges[direct].cycle = true;
	for (size_t i = 0; !found && i < w->n_nodes; i++) {
		int32_t a = w->nodes[i].kind != RP_NODE_RANKS ? find_edge(m, from, (int32_t)i) : -1;
		int32_t b = a >= 0 ? find_edge(m, (int32_t)i, to) : -1;
		if (b < 0)
			continue;
		w->edges[a].cycle = w->edges[b].cycle = w->nodes[i].cycle = true;
		found = true;
	}
	struct rp_edge *e = found ? NULL : edge_of(m, from, to);
	if (e)
		e->cycle = true;
}

static void mark(struct making *m)
{
	const struct vd_verdict *v = m->s->verdict;

	for (size_t i = 0; i < m->s->n_suspects && v->result == VD_MISSING_RANK; i++)
		if (m->node_of_rank[m->s->suspects[i]] >= 0)
			m->w->nodes[m->node_of_rank[m->s->suspects[i]]].suspect = true;
	for (size_t i = 0; i < v->n_cycle; i++) {
		int32_t from = m->node_of_rank[v->cycle[i]], to = m->node_of_rank[v->cycle[(i + 1) % v->n_cycle]];
		if (from < 0 || to < 0)
			continue;
		m->w->nodes[from].cycle = true;
		mark_step(m, from, to);
	}
}

/* ---- all ----------------------------------------------------------------------------------------------------- */

void rp_waits_make(struct rp_waits *ret, const struct rp_source *s)
{
	struct making m = { .s = s, .w = ret, .others = -1 };
	size_t n = s->job->n_ranks;

	m.node_of_rank = malloc((n + 1) * sizeof(*m.node_of_rank));
	m.marks = calloc(n + 1, 1);
	m.needed = malloc((n + 1) * sizeof(*m.needed));
	m.windows = vd_window_waits_create(s->job);
	bool ok = m.node_of_rank && m.marks && m.needed && m.windows && vd_matching_init(&m.matching, s->job);
	for (size_t i = 0; ok && i < n; i++)
		m.node_of_rank[i] = -1;
	if (ok) {
		make_rank_nodes(&m);
		size_t n_rank_nodes = ret->n_nodes;
		for (size_t i = 0; i < n; i++)
			if (s->verdict->classes[i] == VD_WAITING)
				wait_of_rank(&m, (int32_t)i);
		mark(&m);
		for (size_t i = 0; i < n_rank_nodes; i++)
			describe_ranks(&m, &ret->nodes[i], (int32_t)i == m.others);
	}
	ret->no_memory |= !ok;
	vd_matching_deinit(&m.matching);
	vd_names_destroy(m.collectives);
	vd_names_destroy(m.edges);
	free(m.node_of_rank);
	free(m.marks);
	free(m.needed);
	vd_window_waits_destroy(m.windows);
}

void rp_waits_deinit(struct rp_waits *w)
{
	for (size_t i = 0; i < w->n_nodes; i++) {
		free(w->nodes[i].ranks);
		for (int k = 0; k < RP_LINES; k++)
			free(w->nodes[i].line[k]);
	}
	for (size_t i = 0; i < w->n_edges; i++)
		free(w->edges[i].label);
	free(w->nodes);
	free(w->edges);
	memset(w, 0, sizeof(*w));
}
