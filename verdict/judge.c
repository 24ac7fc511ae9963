/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The judgement. Ranks, their threads and what these wait for become a graph (graph.h); who is not live in it waits for
 * ever.
 */
#include "graph.h"
#include "job.h"
#include "matching.h"

#include <stdlib.h>
#include <string.h>

/* Ranks that wait for ever whose receives are compared with what is there. */
enum { COMPARED_MAX = 4096 };

/* A collective that threads are in, or a non-blocking one that they wait for. */
struct gathering {
	int32_t comm, node;
	const char *function; /* NULL: non-blocking */
	size_t n;             /* ranks in it */
	bool needed;          /* somebody waits for all that are not in it */
};

struct judging {
	const struct vd_job *job;
	struct vd_graph graph;
	struct vd_matching matching;
	struct vd_names *names;
	struct gathering *gatherings;
	size_t n_gatherings, cap_gatherings;
	int32_t *gathering_of; /* of each thread, and behind these of each operation; -1: none */
	int32_t *any;          /* of each communicator the node of "one of its members"; -1: not made */
	struct vd_verdict *v;
	bool no_memory;
};

static int32_t member(const struct vd_comm *c, int32_t i)
{
	return c->members ? c->members[i] : i;
}

/* ---- collectives ---------------------------------------------------------------------------------------------- */

static int32_t gathering(struct judging *j, int32_t comm, const char *function, int64_t sequence)
{
	char key[160];

	snprintf(key, sizeof(key), "%d %.96s %lld", comm, function ? function : "#", (long long)sequence);
	int32_t i = vd_name(&j->names, key, (int32_t)j->n_gatherings);
	if (i == VD_UNKNOWN) {
		j->no_memory = true;
		return -1;
	}
	if ((size_t)i == j->n_gatherings) {
		struct gathering *grown = vd_grow(j->gatherings, j->n_gatherings, 1, &j->cap_gatherings,
						  sizeof(*grown));
		if (!grown) {
			j->no_memory = true;
			return -1;
		}
		j->gatherings = grown;
		enum vd_node_kind kind = function && vd_synchronizes(function) ? VD_NODE_ALL : VD_NODE_SOME;
		grown[j->n_gatherings++] = (struct gathering){ comm, vd_graph_node(&j->graph, kind), function, 0,
							       false };
	}
	j->gatherings[i].n++;
	return i;
}

static void gather(struct judging *j)
{
	const struct vd_job *job = j->job;

	for (size_t i = 0; i < job->n_threads; i++) {
		const struct vd_thread *t = &job->threads[i];
		j->gathering_of[i] = t->call == VD_CALL_COLLECTIVE && t->comm != VD_UNKNOWN
					     ? gathering(j, t->comm, t->function, 0)
					     : -1;
	}
	for (size_t i = 0; i < job->n_ops; i++) {
		const struct vd_op *op = &job->ops[i];
		j->gathering_of[job->n_threads + i] = op->kind == VD_COLLECTIVE && op->comm != VD_UNKNOWN &&
								      !op->internal && !op->matched && !op->inactive
							      ? gathering(j, op->comm, NULL, op->sequence)
							      : -1;
	}
}

static bool is_in(const struct judging *j, int32_t rank, int32_t g)
{
	const struct vd_rank *r = &j->job->ranks[rank];
	bool blocking = j->gatherings[g].function != NULL;
	size_t first = blocking ? r->first_thread : j->job->n_threads + r->first_op;
	size_t n = blocking ? r->n_threads : r->n_ops;

	for (size_t i = first; i < first + n; i++)
		if (j->gathering_of[i] == g)
			return true;
	return false;
}

/*
 * A collective that nobody leaves before all have entered needs all members that are not in it. From another one some may
 * have gone on already, MPI_Reduce's leaves or MPI_Bcast's root: it is still in need of one of those that are not in it.
 */
static void finish_gatherings(struct judging *j)
{
	for (size_t g = 0; g < j->n_gatherings; g++) {
		const struct gathering *x = &j->gatherings[g];
		const struct vd_comm *c = &j->job->comms[x->comm];
		for (int32_t i = 0; x->needed && i < c->n; i++) {
			int32_t r = member(c, i);
			if (r < 0 || (size_t)r >= j->job->n_ranks) /* not in the snapshot: it may do anything */
				vd_graph_edge(&j->graph, x->node, vd_graph_node(&j->graph, VD_NODE_LIVE));
			else if (!is_in(j, r, (int32_t)g))
				vd_graph_edge(&j->graph, x->node, r);
		}
		if (x->needed && x->n >= (size_t)c->n) /* all are in it: it will end */
			vd_graph_edge(&j->graph, x->node, vd_graph_node(&j->graph, VD_NODE_LIVE));
	}
}

/* ---- ranks and threads ------------------------------------------------------------------------------------------ */

static int32_t any_of(struct judging *j, int32_t comm)
{
	const struct vd_comm *c = &j->job->comms[comm];

	if (j->any[comm] >= 0)
		return j->any[comm];
	j->any[comm] = vd_graph_node(&j->graph, VD_NODE_SOME);
	for (int32_t i = 0; i < c->n; i++) {
		int32_t r = member(c, i);
		vd_graph_edge(&j->graph, j->any[comm],
			      r >= 0 && (size_t)r < j->job->n_ranks ? r : vd_graph_node(&j->graph, VD_NODE_LIVE));
	}
	return j->any[comm];
}

/* The node that an operation needs; -1: nobody has to do anything for it; -2: it is not known what it needs. */
static int32_t needs(struct judging *j, int32_t rank, size_t at)
{
	const struct vd_op *op = &j->job->ops[at];

	if (vd_is_matched(&j->matching, rank, op))
		return -1;
	if (op->kind == VD_COLLECTIVE) {
		int32_t g = j->gathering_of[j->job->n_threads + at];
		if (g < 0)
			return -2;
		j->gatherings[g].needed = true;
		return j->gatherings[g].node;
	}
	if (op->kind == VD_MESSAGE || op->comm == VD_UNKNOWN)
		return -2;
	if (op->peer == VD_ANY)
		return any_of(j, op->comm);
	return op->peer >= 0 && (size_t)op->peer < j->job->n_ranks ? op->peer : -2;
}

/* A thread that waits. @return its node; -1: it is not known what it waits for. */
static int32_t thread_node(struct judging *j, int32_t rank, size_t i)
{
	const struct vd_thread *t = &j->job->threads[i];
	bool some = t->call == VD_CALL_SOME, can_go_on = false;

	if (t->call == VD_CALL_COLLECTIVE && !t->n_awaits) {
		int32_t g = j->gathering_of[i];
		if (g < 0)
			return -1;
		j->gatherings[g].needed = true;
		return j->gatherings[g].node;
	}
	if (!t->n_awaits)
		return -1;
	int32_t node = vd_graph_node(&j->graph, some ? VD_NODE_SOME : VD_NODE_ALL);
	for (size_t k = t->first_await; k < t->first_await + t->n_awaits; k++) {
		int32_t child = needs(j, rank, (size_t)j->job->awaits[k]);
		if (child == -2)
			return -1;
		can_go_on |= child == -1;
		if (child >= 0)
			vd_graph_edge(&j->graph, node, child);
	}
	if (some && can_go_on)
		vd_graph_edge(&j->graph, node, vd_graph_node(&j->graph, VD_NODE_LIVE));
	return node;
}

static enum vd_class class_of(const struct vd_job *job, const struct vd_rank *r)
{
	enum vd_class ret = VD_FREE;

	if (r->state == VD_ENDED)
		return VD_OVER;
	if (r->state == VD_UNREAD)
		return VD_OPAQUE;
	if (r->went_on)
		return VD_MOVING;
	for (size_t i = r->first_thread; i < r->first_thread + r->n_threads; i++) {
		const struct vd_thread *t = &job->threads[i];
		switch (t->call) {
		case VD_CALL_POLL:
			return VD_POLLING;
		case VD_CALL_OTHER:
			return VD_OPAQUE;
		case VD_CALL_FINALIZE:
			return VD_OVER;
		case VD_CALL_NONE:
			/* It may call MPI at any time, while another thread waits. */
			if (r->multiple && !t->helper)
				return VD_FREE;
			break;
		default:
			ret = VD_WAITING;
		}
	}
	return ret;
}

/* The rank's node is there already; its threads' nodes are added. It is live when one of them is. */
static void connect(struct judging *j, size_t rank)
{
	const struct vd_rank *r = &j->job->ranks[rank];
	enum vd_class class = class_of(j->job, r);

	for (size_t i = r->first_thread; class == VD_WAITING && i < r->first_thread + r->n_threads; i++) {
		if (j->job->threads[i].call == VD_CALL_NONE)
			continue;
		int32_t node = thread_node(j, (int32_t)rank, i);
		if (node < 0)
			class = VD_OPAQUE;
		else
			vd_graph_edge(&j->graph, (int32_t)rank, node);
	}
	j->graph.nodes[rank].kind = (uint8_t)(class == VD_WAITING ? VD_NODE_SOME
					      : class == VD_OVER  ? VD_NODE_DEAD
								  : VD_NODE_LIVE);
	j->v->classes[rank] = (uint8_t) class;
}

static bool build(struct judging *j)
{
	const struct vd_job *job = j->job;

	j->gathering_of = malloc((job->n_threads + job->n_ops + 1) * sizeof(*j->gathering_of));
	j->any = malloc((job->n_comms + 1) * sizeof(*j->any));
	j->v->classes = calloc(job->n_ranks + 1, 1);
	if (!j->gathering_of || !j->any || !j->v->classes || !vd_matching_init(&j->matching, job))
		return false;
	for (size_t i = 0; i < job->n_comms; i++)
		j->any[i] = -1;
	for (size_t i = 0; i < job->n_ranks; i++)
		vd_graph_node(&j->graph, VD_NODE_SOME);
	if (j->graph.no_memory)
		return false;
	gather(j);
	for (size_t i = 0; i < job->n_ranks && !j->graph.no_memory; i++)
		connect(j, i);
	finish_gatherings(j);
	return !j->graph.no_memory && !j->no_memory && vd_graph_solve(&j->graph);
}

/* ---- conclusions ---------------------------------------------------------------------------------------------------- */

/* The ranks that are marked. @return how many; 0 also without memory. */
static size_t collect(const uint8_t *marks, size_t n, int32_t **ret)
{
	size_t n_marked = 0;

	for (size_t i = 0; i < n; i++)
		n_marked += marks[i];
	*ret = malloc((n_marked + 1) * sizeof(**ret));
	n_marked = 0;
	for (size_t i = 0; *ret && i < n; i++)
		if (marks[i])
			(*ret)[n_marked++] = (int32_t)i;
	return n_marked;
}

static bool collect_ranks(struct judging *j)
{
	size_t n = j->job->n_ranks;
	struct vd_verdict *v = j->v;
	uint8_t *marks = calloc(n + 1, 1);

	if (!marks)
		return false;
	for (size_t i = 0; i < n; i++)
		marks[i] = v->classes[i] == VD_WAITING;
	v->n_waiting = collect(marks, n, &v->waiting);
	for (size_t i = 0; i < n; i++)
		marks[i] = v->classes[i] == VD_WAITING && !j->graph.nodes[i].live;
	v->n_dead = collect(marks, n, &v->dead);
	for (size_t i = 0; i < n; i++)
		marks[i] = v->classes[i] == VD_OPAQUE;
	v->n_unknown = collect(marks, n, &v->unknown);
	/* Whom somebody needs directly who is not there: of those that wait for ever the ones that have ended. */
	memset(marks, 0, n);
	for (size_t e = 0; e < j->graph.n_edges; e++) {
		const struct vd_edge *x = &j->graph.edges[e];
		bool over = (size_t)x->to < n && v->classes[x->to] == VD_OVER;
		if (over || ((size_t)x->to < n && !v->n_dead && v->classes[x->to] == VD_FREE))
			marks[x->to] = 1;
	}
	v->n_suspects = collect(marks, n, &v->suspects);
	free(marks);
	return v->waiting && v->dead && v->unknown && v->suspects;
}

/* The collective that most ranks wait in. */
static void find_collective(struct judging *j)
{
	struct vd_verdict *v = j->v;

	v->comm = VD_UNKNOWN;
	for (size_t i = 0; i < j->n_gatherings; i++) {
		const struct gathering *g = &j->gatherings[i];
		if (!g->function || g->n <= v->n_in_collective)
			continue;
		v->comm = g->comm;
		v->function = g->function;
		v->n_in_collective = g->n;
	}
}

static bool find_cycle(struct judging *j)
{
	int32_t *nodes = NULL;
	struct vd_verdict *v = j->v;
	size_t n = vd_graph_cycle(&j->graph, &nodes);

	v->cycle = malloc((n + 1) * sizeof(*v->cycle));
	for (size_t i = 0; v->cycle && i < n; i++) {
		if ((size_t)nodes[i] < j->job->n_ranks)
			v->cycle[v->n_cycle++] = nodes[i];
		else
			v->knot |= j->graph.nodes[nodes[i]].kind == VD_NODE_SOME;
	}
	free(nodes);
	return v->cycle && !j->graph.no_memory;
}

static void find_message(struct judging *j)
{
	const struct vd_job *job = j->job;
	struct vd_verdict *v = j->v;

	for (size_t i = 0; i < v->n_dead && i < COMPARED_MAX; i++) {
		const struct vd_rank *r = &job->ranks[v->dead[i]];
		for (size_t t = r->first_thread; t < r->first_thread + r->n_threads; t++) {
			const struct vd_thread *x = &job->threads[t];
			for (size_t k = x->first_await; k < x->first_await + x->n_awaits; k++) {
				enum vd_field field = VD_FIELD_NONE;
				int32_t there_rank = VD_UNKNOWN;
				const struct vd_op *wanted = &job->ops[job->awaits[k]];
				const struct vd_op *there = vd_is_matched(&j->matching, v->dead[i], wanted)
								    ? NULL
								    : vd_near_match(&j->matching, v->dead[i], wanted,
										    &field, &there_rank);
				if (!there || (v->there && field >= v->field))
					continue;
				v->field = field;
				v->wanted = wanted;
				v->there = there;
				v->at_rank = v->dead[i];
				v->there_rank = there_rank;
			}
		}
	}
}

/*
 * Two that are in collectives of one communicator which do not go together. Who is in MPI_Barrier may have left MPI_Reduce,
 * in which another one still is: only where nobody leaves early are two different ones a mistake.
 */
static enum vd_field collectives_differ(const struct vd_thread *a, const struct vd_thread *b)
{
	if (a->function != b->function)
		return vd_synchronizes(a->function) && vd_synchronizes(b->function) ? VD_FIELD_FUNCTION : VD_FIELD_NONE;
	if (a->root != VD_UNKNOWN && b->root != VD_UNKNOWN && a->root != b->root)
		return VD_FIELD_ROOT;
	if (a->count >= 0 && b->count >= 0 && a->count != b->count && a->datatype == b->datatype &&
	    (vd_synchronizes(a->function) || strcmp(a->function, "MPI_Bcast") == 0))
		return strstr(a->function, "v") || strstr(a->function, "scatter") ? VD_FIELD_NONE : VD_FIELD_COUNT;
	return VD_FIELD_NONE;
}

static bool find_collectives(struct judging *j)
{
	const struct vd_job *job = j->job;
	struct vd_verdict *v = j->v;
	size_t *first = calloc(job->n_comms + 1, sizeof(*first)); /* of each communicator: thread + 1 */
	int32_t *whose = calloc(job->n_comms + 1, sizeof(*whose));

	for (size_t i = 0; first && whose && v->field == VD_FIELD_NONE && i < v->n_dead; i++) {
		const struct vd_rank *r = &job->ranks[v->dead[i]];
		for (size_t t = r->first_thread; t < r->first_thread + r->n_threads; t++) {
			const struct vd_thread *x = &job->threads[t];
			if (x->call != VD_CALL_COLLECTIVE || x->comm == VD_UNKNOWN)
				continue;
			if (!first[x->comm]) {
				first[x->comm] = t + 1;
				whose[x->comm] = v->dead[i];
				continue;
			}
			v->field = collectives_differ(&job->threads[first[x->comm] - 1], x);
			if (v->field == VD_FIELD_NONE)
				continue;
			v->here = &job->threads[first[x->comm] - 1];
			v->at_rank = whose[x->comm];
			v->other = x;
			v->other_rank = v->dead[i];
			break;
		}
	}
	bool ok = first && whose;
	free(first);
	free(whose);
	return ok;
}

static bool all_stand(const struct judging *j)
{
	for (size_t i = 0; i < j->v->n_suspects; i++) {
		const struct vd_rank *r = &j->job->ranks[j->v->suspects[i]];
		if (r->state != VD_ENDED && (!r->process_state || strcmp(r->process_state, "running") == 0))
			return false;
	}
	for (size_t i = 0; i < j->job->n_ranks; i++)
		if (j->v->classes[i] == VD_MOVING || j->v->classes[i] == VD_POLLING)
			return false;
	return true;
}

static bool conclude(struct judging *j)
{
	struct vd_verdict *v = j->v;

	if (!collect_ranks(j))
		return false;
	find_collective(j);
	if (!v->n_dead) {
		v->result = v->n_waiting && v->n_suspects ? VD_MISSING_RANK : VD_NO_DEADLOCK;
		v->stands_still = v->result == VD_MISSING_RANK && all_stand(j);
		return true;
	}
	v->stands_still = true;
	if (!find_cycle(j))
		return false;
	find_message(j);
	if (v->field == VD_FIELD_NONE && !find_collectives(j))
		return false;
	v->result = v->field != VD_FIELD_NONE ? VD_MISMATCH : v->n_cycle ? VD_DEADLOCK : VD_MISSING_RANK;
	return true;
}

bool vd_judge(const struct vd_job *job, struct vd_verdict *ret)
{
	struct judging j = { .job = job, .v = ret };

	*ret = (struct vd_verdict){ .at_rank = VD_UNKNOWN, .there_rank = VD_UNKNOWN, .other_rank = VD_UNKNOWN };
	bool ok = !job->no_memory && build(&j) && conclude(&j);
	vd_graph_deinit(&j.graph);
	vd_matching_deinit(&j.matching);
	vd_names_destroy(j.names);
	free(j.gatherings);
	free(j.gathering_of);
	free(j.any);
	if (!ok)
		vd_verdict_deinit(ret);
	return ok;
}

void vd_verdict_deinit(struct vd_verdict *v)
{
	free(v->waiting);
	free(v->dead);
	free(v->suspects);
	free(v->cycle);
	free(v->unknown);
	free(v->classes);
	memset(v, 0, sizeof(*v));
}

const char *vd_result_text(enum vd_result result)
{
	static const char *const texts[] = { "no deadlock", "missing rank", "mismatch", "deadlock" };

	return texts[result];
}

const char *vd_field_text(enum vd_field field)
{
	static const char *const texts[] = { "none", "tag", "communicator", "source", "function", "root", "count" };

	return texts[field];
}
