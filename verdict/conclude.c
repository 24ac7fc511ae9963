/* SPDX-License-Identifier: BSD-3-Clause */
/* Conclusions from the graph: ranks that wait forever, a cycle, missing ranks, mismatches. */
#include "judging.h"
#include "leaders.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

/* Limit of ranks waiting forever whose receives are compared with messages. */
enum { COMPARED_MAX = 4096 };

/* List the marked ranks. @return how many; 0 also if out of memory. */
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

/* Do all threads of the rank wait for locks of each other? */
static bool is_locked(const struct vd_judging *j, size_t rank)
{
	return j->v->classes[rank] == VD_FREE && j->graph.nodes[rank].kind == VD_NODE_DEAD;
}

/* Does the rank wait for ever for something outside MPI that only other ranks can do? */
static bool is_tied(const struct vd_judging *j, size_t rank)
{
	const struct vd_node *x = &j->graph.nodes[rank];

	return j->v->classes[rank] == VD_FREE && x->kind == VD_NODE_SOME && !x->live;
}

/* May it be missing? One that a debugger has stopped is not. */
static bool is_idle(const struct vd_judging *j, size_t rank)
{
	return j->v->classes[rank] == VD_FREE || (j->v->classes[rank] == VD_STOPPED && !j->job->ranks[rank].debugged);
}

static bool collect_ranks(struct vd_judging *j)
{
	size_t n = j->job->n_ranks;
	struct vd_verdict *v = j->v;
	uint8_t *marks = calloc(n + 1, 1);

	if (!marks)
		return false;
	for (size_t i = 0; i < n; i++)
		marks[i] = v->classes[i] == VD_WAITING || v->classes[i] == VD_BUSY || is_tied(j, i);
	v->n_waiting = collect(marks, n, &v->waiting);
	for (size_t i = 0; i < n; i++)
		marks[i] = (v->classes[i] == VD_WAITING && !j->graph.nodes[i].live) || is_tied(j, i);
	v->n_dead = collect(marks, n, &v->dead);
	for (size_t i = 0; i < n; i++)
		marks[i] = v->classes[i] == VD_OPAQUE;
	v->n_unknown = collect(marks, n, &v->unknown);
	/*
	 * The missing ranks: those that others need directly. Among ranks that wait forever, only those that have
	 * ended count, or that have locked themselves out. A rank that may not be needed at all is not missing.
	 */
	size_t n_idle = 0;
	for (size_t i = 0; i < n; i++) {
		marks[i] = is_locked(j, i);
		n_idle += is_idle(j, i);
	}
	for (size_t i = 0; i < j->graph.n_nodes; i++)
		v->guessed |= j->graph.nodes[i].is_guess;
	for (size_t e = 0; e < j->graph.n_edges; e++) {
		const struct vd_edge *x = &j->graph.edges[e];
		bool over = (size_t)x->to < n && v->classes[x->to] == VD_OVER;
		bool needed = !j->graph.nodes[x->from].is_guess || (x->from == j->any_rank && n_idle == 1);
		bool idle = (size_t)x->to < n && is_idle(j, (size_t)x->to);
		if (over || (idle && !v->n_dead && needed))
			marks[x->to] = 1;
	}
	v->n_suspects = collect(marks, n, &v->suspects);
	free(marks);
	return v->waiting && v->dead && v->unknown && v->suspects;
}

/* Find the collective in which most ranks wait. */
static void find_collective(struct vd_judging *j)
{
	struct vd_verdict *v = j->v;

	v->comm = VD_UNKNOWN;
	for (size_t i = 0; i < j->n_gatherings; i++) {
		const struct vd_gathering *g = &j->gatherings[i];
		if (!g->function || g->n <= v->n_in_collective)
			continue;
		v->comm = g->comm;
		v->function = g->function;
		v->ordinal = g->ordinal;
		v->n_in_collective = g->n;
	}
}

/* Does the node need only one of several nodes? */
static bool waits_for_any(const struct vd_graph *g, int32_t node)
{
	int32_t first = g->nodes[node].first_edge;

	return g->nodes[node].kind == VD_NODE_SOME && first >= 0 && g->edges[first].next_from >= 0;
}

/*
 * Ranks that wait forever in a collective that nobody leaves before all have entered it wait for those that have not,
 * whatever the messages are by which the library implements it.
 */
static void explain(struct vd_judging *j)
{
	for (size_t r = 0; r < j->job->n_ranks; r++) {
		int32_t node = j->explains[r];
		if (node < 0 || j->graph.nodes[r].live || j->graph.nodes[node].live)
			continue;
		j->graph.nodes[r].first_edge = -1;
		vd_graph_edge(&j->graph, (int32_t)r, node);
	}
}

static bool find_cycle(struct vd_judging *j)
{
	int32_t *nodes = NULL;
	struct vd_verdict *v = j->v;
	size_t n_ranks = j->job->n_ranks;

	explain(j);
	size_t n = vd_graph_cycle(&j->graph, n_ranks, true, &nodes);
	if (!n)
		n = vd_graph_cycle(&j->graph, n_ranks, false, &nodes);
	v->cycle = malloc((n + 1) * sizeof(*v->cycle));
	for (size_t i = 0; v->cycle && i < n; i++) {
		if ((size_t)nodes[i] < j->job->n_ranks)
			v->cycle[v->n_cycle++] = nodes[i];
		else
			v->knot |= waits_for_any(&j->graph, nodes[i]);
	}
	free(nodes);
	return v->cycle && !j->graph.no_memory;
}

/* Compare what a thread waits for with messages that are there. @param narrow: only with those of the rank
 * it waits for */
static void compare_awaited(struct vd_judging *j, int32_t rank, const struct vd_thread *x, bool narrow)
{
	struct vd_verdict *v = j->v;

	for (size_t k = x->first_await; !x->possible && k < x->first_await + x->n_awaits; k++) {
		enum vd_field field = VD_FIELD_NONE;
		int32_t there_rank = VD_UNKNOWN;
		const struct vd_op *wanted = &j->job->ops[j->job->awaits[k]];
		const struct vd_op *there = vd_is_matched(&j->matching, rank, wanted)
						    ? NULL
						    : vd_near_match(&j->matching, rank, wanted, &field, &there_rank);
		if (!there || (v->there && field >= v->field) ||
		    (narrow && (there_rank < 0 || there_rank != wanted->peer || v->classes[there_rank] != VD_WAITING)))
			continue;
		v->field = field;
		v->wanted = wanted;
		v->there = there;
		v->at_rank = rank;
		v->there_rank = there_rank;
	}
}

static void find_message(struct vd_judging *j, const int32_t *ranks, size_t n, bool narrow)
{
	for (size_t i = 0; i < n && i < COMPARED_MAX; i++) {
		const struct vd_rank *r = &j->job->ranks[ranks[i]];
		for (size_t t = r->first_thread; t < r->first_thread + r->n_threads; t++)
			compare_awaited(j, ranks[i], &j->job->threads[t], narrow);
	}
}

/* Are there ranks of which nothing is known? */
static bool is_incomplete(const struct vd_job *job)
{
	for (size_t i = 0; i < job->n_ranks; i++)
		if (job->ranks[i].state == VD_UNREAD)
			return true;
	return vd_n_absent(job) > 0;
}

/* Does one moment leave open whether these ranks wait? */
static bool any_of_one_moment(const struct vd_job *job, const int32_t *ranks, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (job->ranks[ranks[i]].one_moment)
			return true;
	return false;
}

/*
 * Does a missing rank stand still? It does not if one of its threads runs, or will by itself within a minute; nor if it
 * is stopped by a signal: whoever has stopped it can let it go on, and a suspended job is no deadlock.
 */
static bool stands(const struct vd_judging *j, int32_t rank)
{
	const struct vd_rank *r = &j->job->ranks[rank];
	bool any = false;

	if (j->v->classes[rank] == VD_STOPPED)
		return false;
	if (r->state == VD_ENDED)
		return true;
	for (size_t i = r->first_thread; i < r->first_thread + r->n_threads; i++) {
		const struct vd_thread *t = &j->job->threads[i];
		if (t->n_runs < 0 || t->helper)
			continue;
		if (t->n_runs > 0 || vd_may_act(j->job, r, t, true))
			return false;
		any = true;
	}
	return any || (r->process_state && strcmp(r->process_state, "running") != 0);
}

static bool all_stand(const struct vd_judging *j)
{
	for (size_t i = 0; i < j->v->n_suspects; i++)
		if (!stands(j, j->v->suspects[i]))
			return false;
	for (size_t i = 0; i < j->job->n_ranks; i++)
		if (j->v->classes[i] == VD_MOVING || j->v->classes[i] == VD_POLLING || j->v->classes[i] == VD_OPAQUE ||
		    j->v->classes[i] == VD_BUSY)
			return false;
	return !any_of_one_moment(j->job, j->v->waiting, j->v->n_waiting);
}

/* A rank has locked itself out, and none waits for another in MPI. */
static bool find_locked(const struct vd_judging *j)
{
	size_t n_locked = 0, n_over = 0;

	for (size_t i = 0; i < j->job->n_ranks; i++) {
		n_locked += is_locked(j, i);
		n_over += j->v->classes[i] == VD_OVER;
	}
	if (!n_locked || j->v->n_waiting)
		return false;
	j->v->result = VD_MISSING_RANK;
	j->v->stands_still = n_locked + n_over == j->job->n_ranks;
	return true;
}

static bool is_finalizing(const struct vd_job *job, const struct vd_rank *r)
{
	for (size_t i = r->first_thread; i < r->first_thread + r->n_threads; i++)
		if (job->threads[i].call == VD_CALL_FINALIZE)
			return true;
	return false;
}

/*
 * Some ranks are in MPI_Finalize, which ends when all have called
 * it, and all others are in no MPI function: these are missing.
 *
 * @return false: out of memory
 */
static bool find_finalizing(struct vd_judging *j)
{
	struct vd_verdict *v = j->v;
	const struct vd_job *job = j->job;
	uint8_t *marks = calloc(job->n_ranks + 1, 1);
	size_t n = 0, n_free = 0;

	for (size_t i = 0; marks && i < job->n_ranks; i++) {
		bool is = v->classes[i] == VD_OVER && is_finalizing(job, &job->ranks[i]);
		marks[i] = v->classes[i] == VD_FREE && !job->ranks[i].before_init;
		n += is;
		n_free += marks[i];
		if (!is && !marks[i] && v->classes[i] != VD_OVER) { /* it may wait for something else, and go on */
			free(marks);
			return true;
		}
	}
	if (!marks)
		return false;
	if (n && n_free && job->n_worlds == 1) {
		free(v->suspects);
		v->n_suspects = collect(marks, job->n_ranks, &v->suspects);
		v->n_finalizing = n;
		v->result = VD_MISSING_RANK;
		v->stands_still = v->suspects && all_stand(j) && !any_of_one_moment(job, v->suspects, v->n_suspects);
	}
	free(marks);
	return v->suspects != NULL;
}

bool vd_conclude(struct vd_judging *j)
{
	struct vd_verdict *v = j->v;

	if (!collect_ranks(j))
		return false;
	find_collective(j);
	if (!vd_find_collectives(j, true))
		return false;
	if (v->field != VD_FIELD_NONE) {
		v->result = VD_MISMATCH;
		v->stands_still = (v->n_dead && (j->strict || !any_of_one_moment(j->job, v->dead, v->n_dead))) ||
				  all_stand(j);
		return find_cycle(j);
	}
	if (!v->n_dead) {
		if (find_locked(j))
			return true;
		v->result = v->n_waiting && v->n_suspects ? VD_MISSING_RANK : VD_NO_DEADLOCK;
		v->stands_still = v->result == VD_MISSING_RANK && all_stand(j);
		if (v->result == VD_NO_DEADLOCK && !find_finalizing(j))
			return false;
		if (v->result != VD_NO_DEADLOCK || !is_incomplete(j->job))
			return true;
		/* two ranks that were read may show what is wrong, even though a third one may still help */
		find_message(j, v->waiting, v->n_waiting, true);
		v->uncertain = v->field != VD_FIELD_NONE;
		v->result = v->uncertain ? VD_MISMATCH : VD_NO_DEADLOCK;
		return !v->uncertain || find_cycle(j);
	}
	v->uncertain = !j->strict && any_of_one_moment(j->job, v->dead, v->n_dead);
	v->stands_still = !v->uncertain;
	if (!find_cycle(j))
		return false;
	find_message(j, v->dead, v->n_dead, false);
	if (v->field == VD_FIELD_NONE && !v->uncertain && !vd_find_collectives(j, false))
		return false;
	if (v->field == VD_FIELD_NONE && !v->uncertain)
		vd_find_leaders(j);
	if (v->field == VD_FIELD_NONE && !v->uncertain)
		vd_find_left(j);
	if (v->field == VD_FIELD_NONE && !v->uncertain)
		vd_find_started(j);
	v->result = v->field != VD_FIELD_NONE ? VD_MISMATCH
		    : v->n_cycle              ? VD_DEADLOCK
		    : v->n_suspects           ? VD_MISSING_RANK
					      : VD_NO_DEADLOCK;
	if (v->result == VD_NO_DEADLOCK) { /* invalid input: a communicator lists a member twice */
		v->n_dead = 0;
		v->stands_still = false;
	}
	return true;
}

const char *vd_result_text(const struct vd_verdict *v)
{
	static const char *const texts[] = { "no deadlock", "missing rank", "mismatch", "deadlock", "spinning" };

	if (v->uncertain && v->result == VD_DEADLOCK)
		return "possible deadlock";
	return v->uncertain && v->result == VD_MISMATCH ? "possible mismatch" : texts[v->result];
}

const char *vd_field_text(enum vd_field field)
{
	static const char *const texts[] = { "none",        "tag",       "communicator",  "source",
					     "destination", "function",  "root",          "count",
					     "datatype",    "operation", "remote leader", "count or datatype" };

	return texts[field];
}
