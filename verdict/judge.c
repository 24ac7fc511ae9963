/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The analysis. Ranks, their threads and the operations they wait for form a graph (graph.h); a rank that is not
 * live in it waits forever.
 */
#include "enders.h"
#include "flight.h"
#include "locks.h"
#include "spinning.h"
#include "tied.h"
#include "windows.h"

#include "../access/grow.h"

#include <stdlib.h>
#include <string.h>

/* The node that a send or receive without a counterpart needs; -2: unknown. */
static int32_t needs_peer(struct vd_judging *j, int32_t rank, const struct vd_op *op)
{
	if (op->kind == VD_MESSAGE || op->comm == VD_UNKNOWN)
		return -2;
	if (op->absent >= 0)
		return vd_graph_node(&j->graph, VD_NODE_LIVE);
	if (op->peer != VD_ANY && (op->peer < 0 || (size_t)op->peer >= j->job->n_ranks))
		return -2;
	if (op->kind == VD_SEND ? vd_may_be_received(j, rank, op->peer)
				: vd_may_be_in_flight(j, op->comm, op->peer, rank))
		return vd_graph_node(&j->graph, VD_NODE_LIVE);
	return op->peer == VD_ANY ? vd_any_of(j, op->comm) : op->peer;
}

/* Is the operation one by which the library implements a
 * collective in this communicator, or in its parts? VD_ANY: in any */
static bool implements(const struct vd_job *job, const struct vd_op *op, int32_t comm)
{
	return op->internal && !op->matched && !op->inactive &&
	       (comm == VD_ANY || op->comm == comm || (op->comm >= 0 && job->comms[op->comm].part_of == comm));
}

/*
 * A collective at one moment: which ranks have left it is unknown, so what counts are the receives by which the library
 * implements it. At least one of them must complete, or a send after which there may be another one.
 *
 * @param comm where they are; VD_ANY: anywhere
 */
static int32_t needs_messages(struct vd_judging *j, int32_t rank, int32_t comm)
{
	const struct vd_rank *r = &j->job->ranks[rank];
	int32_t node = vd_graph_node(&j->graph, VD_NODE_SOME);
	size_t n = 0;

	for (size_t i = r->first_op; i < r->first_op + r->n_ops; i++) {
		const struct vd_op *op = &j->job->ops[i];
		if (!implements(j->job, op, comm) || (op->kind != VD_RECEIVE && op->kind != VD_SEND))
			continue;
		int32_t child = vd_is_matched(&j->matching, rank, op) ? -1 : needs_peer(j, rank, op);
		vd_graph_edge(&j->graph, node, child < 0 ? vd_graph_node(&j->graph, VD_NODE_LIVE) : child);
		n++;
	}
	return n ? node : vd_graph_node(&j->graph, VD_NODE_LIVE);
}

static int32_t add_pending(struct vd_judging *j, int32_t rank, int32_t gathering)
{
	if (!ACC_GROW(j->pending, j->n_pending)) {
		j->no_memory = true;
		return -2;
	}
	int32_t node = vd_graph_node(&j->graph, VD_NODE_ALL);
	j->pending[j->n_pending++] = (struct vd_pending){ rank, gathering, node };
	return node;
}

/* The node that an operation needs; -1: it needs nothing; -2: unknown. */
static int32_t needs(struct vd_judging *j, int32_t rank, size_t at)
{
	const struct vd_op *op = &j->job->ops[at];

	if (vd_is_matched(&j->matching, rank, op))
		return -1;
	if (op->kind != VD_COLLECTIVE)
		return needs_peer(j, rank, op);
	int32_t g = j->gathering_of[j->job->n_threads + at];
	if (g < 0)
		return -2;
	j->gatherings[g].needed = true;
	if (!vd_may_complete(j))
		return add_pending(j, rank, g);
	/*
	 * A rank passes on what it receives for a nonblocking collective, whatever it waits for: a member that has not
	 * come may still help.
	 */
	int32_t node = vd_graph_node(&j->graph, VD_NODE_SOME);
	vd_graph_edge(&j->graph, node, needs_messages(j, rank, op->comm));
	vd_graph_edge(&j->graph, node, j->gatherings[g].node);
	return node;
}

/* May internal operations of the rank belong to something else than to the collective of one thread? */
static bool has_other_collectives(const struct vd_job *job, const struct vd_rank *r, size_t thread)
{
	for (size_t i = r->first_thread; i < r->first_thread + r->n_threads; i++)
		if (i != thread && job->threads[i].call != VD_CALL_NONE)
			return true;
	for (size_t i = r->first_op; i < r->first_op + r->n_ops; i++)
		if (job->ops[i].kind == VD_COLLECTIVE && !job->ops[i].matched && !job->ops[i].inactive)
			return true;
	return false;
}

/* Collectives in progress of a rank: blocking ones, and nonblocking ones that are not complete. */
static size_t n_collectives(const struct vd_job *job, const struct vd_rank *r)
{
	size_t n = 0;

	for (size_t i = r->first_thread; i < r->first_thread + r->n_threads; i++)
		n += job->threads[i].call == VD_CALL_COLLECTIVE || job->threads[i].call == VD_CALL_NEIGHBORS ||
		     job->threads[i].call == VD_CALL_WINDOW;
	for (size_t i = r->first_op; i < r->first_op + r->n_ops; i++)
		n += job->ops[i].kind == VD_COLLECTIVE && !job->ops[i].matched && !job->ops[i].inactive;
	return n;
}

/*
 * A collective that all members have entered, or have started while they wait in MPI, where the library makes it
 * progress: it ends unless none of the messages for which the library waits has come, and their senders wait for ever.
 * Then the members have started different collectives, or with different arguments. Whose messages these are is known
 * if there is no other collective.
 */
static void connect_pending(struct vd_judging *j)
{
	for (size_t i = 0; i < j->n_pending; i++) {
		const struct vd_pending *p = &j->pending[i];
		const struct vd_gathering *g = &j->gatherings[p->gathering];
		bool is_only = n_collectives(j->job, &j->job->ranks[p->rank]) == 1;
		int32_t comm = g->function ? g->comm : VD_ANY;

		vd_graph_edge(&j->graph, p->node,
			      g->complete && is_only && !vd_connects(g->function) ? needs_messages(j, p->rank, comm)
										  : g->node);
	}
}

/* The node that a thread in a collective needs; -1: it is not known which collective it is. */
static int32_t collective_node(struct vd_judging *j, int32_t rank, size_t thread)
{
	int32_t g = j->gathering_of[thread];

	if (g < 0)
		return -1;
	if (vd_may_complete(j))
		return has_other_collectives(j->job, &j->job->ranks[rank], thread)
			       ? vd_graph_node(&j->graph, VD_NODE_LIVE)
			       : needs_messages(j, rank, VD_ANY);
	j->gatherings[g].needed = true;
	return add_pending(j, rank, g);
}

static bool is_in_init(const struct vd_job *job, const struct vd_rank *r)
{
	for (size_t i = r->first_thread; i < r->first_thread + r->n_threads; i++)
		if (job->threads[i].call == VD_CALL_INIT)
			return true;
	return false;
}

/* MPI_Init: it needs the ranks of its world that have not called it. If all have, it ends. */
static int32_t init_node(struct vd_judging *j, int32_t rank)
{
	int32_t node = vd_graph_node(&j->graph, VD_NODE_ALL);
	bool any = false;

	for (size_t i = 0; i < j->job->n_ranks; i++) {
		const struct vd_rank *r = &j->job->ranks[i];
		if (r->world != j->job->ranks[rank].world || is_in_init(j->job, r) ||
		    (r->state != VD_UNREAD && !r->before_init))
			continue;
		vd_graph_edge(&j->graph, node, (int32_t)i);
		any = true;
	}
	if (!any)
		vd_graph_edge(&j->graph, node, vd_graph_node(&j->graph, VD_NODE_LIVE));
	return node;
}

/*
 * A thread of which only the function is known. If it has stayed in the call, none of the messages that had arrived is
 * what it waits for: it needs another one, from any rank. @return -1: unknown
 */
static int32_t stay_node(struct vd_judging *j, int32_t rank, const struct vd_thread *t)
{
	if (!t->stays || !vd_only_waits(t->function) || j->job->ranks[rank].one_moment)
		return -1;
	return vd_any_may_come(&j->matching, rank) ? vd_graph_node(&j->graph, VD_NODE_LIVE) : vd_any_rank(j);
}

/*
 * Add a waiting thread. If several of its operations may have completed, it still waits for at least one of them,
 * but it is unknown which.
 *
 * @return its node; -1: it is not known what it waits for.
 */
static int32_t thread_node(struct vd_judging *j, int32_t rank, size_t i)
{
	const struct vd_thread *t = &j->job->threads[i];
	bool some = t->call == VD_CALL_SOME || t->possible;

	if (j->strict && j->job->ranks[rank].one_moment && !t->settled && t->call != VD_CALL_WINDOW)
		return vd_graph_node(&j->graph, VD_NODE_LIVE);
	if (t->call == VD_CALL_COLLECTIVE && !t->n_awaits)
		return collective_node(j, rank, i);
	if (t->may_return)
		return -1;
	if (t->call == VD_CALL_WINDOW)
		return vd_window_node(j, rank, t);
	if (t->call == VD_CALL_INIT)
		return init_node(j, rank);
	if (!t->n_awaits)
		return -1;
	if (t->call == VD_CALL_COLLECTIVE && j->gathering_of[i] >= 0 &&
	    vd_synchronizes(&j->job->comms[t->comm], t->function)) {
		j->gatherings[j->gathering_of[i]].needed = true;
		j->explains[rank] = j->gatherings[j->gathering_of[i]].node;
	}
	int32_t node = vd_graph_node(&j->graph, some ? VD_NODE_SOME : VD_NODE_ALL), unsure = -1;
	for (size_t k = t->first_await; k < t->first_await + t->n_awaits; k++) {
		size_t at = (size_t)j->job->awaits[k];
		const struct vd_op *op = &j->job->ops[at];
		bool is_unsure = !some && op->unsure;
		int32_t child = needs(j, rank, at);
		if (child == -2)
			return t->call == VD_CALL_COLLECTIVE ? collective_node(j, rank, i) : -1;
		if (child == -1 && (some || (is_unsure && !op->matched)))
			child = vd_graph_node(&j->graph, VD_NODE_LIVE);
		if (child < 0)
			continue;
		if (is_unsure && unsure < 0) {
			unsure = vd_graph_node(&j->graph, VD_NODE_SOME);
			vd_graph_edge(&j->graph, node, unsure);
		}
		vd_graph_edge(&j->graph, is_unsure ? unsure : node, child);
	}
	return node;
}

/* Adds the nodes of a rank's threads; the rank's node exists already. The rank is live if one of its threads is. */
static void connect(struct vd_judging *j, size_t rank)
{
	const struct vd_rank *r = &j->job->ranks[rank];
	enum vd_class class = vd_class_of(j->job, r, j->strict);

	/* a deadlock that is certain stays one when the ranks are continued; anything else depends on that */
	if (r->stopped && r->state == VD_READ && !(j->strict && class == VD_WAITING))
		class = VD_STOPPED;
	for (size_t i = r->first_thread; class == VD_WAITING && i < r->first_thread + r->n_threads; i++) {
		if (j->job->threads[i].call == VD_CALL_NONE)
			continue;
		int32_t node = thread_node(j, (int32_t)rank, i);
		if (node < 0)
			node = stay_node(j, (int32_t)rank, &j->job->threads[i]);
		if (node < 0)
			class = VD_OPAQUE;
		else
			vd_graph_edge(&j->graph, (int32_t)rank, node);
	}
	bool over = class == VD_OVER || (class == VD_POLLING && j->pollers_wait) ||
		    (class == VD_FREE && vd_is_locked(j->job, r, true));
	bool tied = class == VD_FREE && !over && vd_tied(j->job, r);
	if (tied)
		vd_connect_tied(j, rank);
	j->graph.nodes[rank].kind = (uint8_t)(class == VD_WAITING || tied ? VD_NODE_SOME
					      : over                      ? VD_NODE_DEAD
									  : VD_NODE_LIVE);
	j->v->classes[rank] = (uint8_t) class;
}

static bool build(struct vd_judging *j)
{
	const struct vd_job *job = j->job;

	j->gathering_of = malloc((job->n_threads + job->n_ops + 1) * sizeof(*j->gathering_of));
	j->any = malloc((job->n_comms + 1) * sizeof(*j->any));
	j->explains = malloc((job->n_ranks + 1) * sizeof(*j->explains));
	j->v->classes = calloc(job->n_ranks + 1, 1);
	if (!j->gathering_of || !j->explains || !j->any || !j->v->classes || !vd_matching_init(&j->matching, job) ||
	    !vd_windows_init(&j->windows, job) || !vd_flight_init(j))
		return false;
	for (size_t i = 0; i < job->n_comms; i++)
		j->any[i] = -1;
	j->any_rank = -1;
	for (size_t i = 0; i < job->n_ranks; i++) {
		vd_graph_node(&j->graph, VD_NODE_SOME);
		j->explains[i] = -1;
	}
	if (j->graph.no_memory)
		return false;
	vd_gather(j);
	for (size_t i = 0; i < job->n_ranks && !j->graph.no_memory; i++)
		connect(j, i);
	vd_gather_needs(j);
	connect_pending(j);
	return !j->graph.no_memory && !j->no_memory && vd_graph_solve(&j->graph);
}

static void release(struct vd_judging *j)
{
	vd_graph_deinit(&j->graph);
	vd_matching_deinit(&j->matching);
	vd_windows_deinit(&j->windows);
	vd_flight_deinit(j);
	vd_names_destroy(j->names);
	free(j->gatherings);
	free(j->pending);
	free(j->gathering_of);
	free(j->any);
	free(j->explains);
}

static bool judge(const struct vd_job *job, bool strict, struct vd_verdict *ret)
{
	struct vd_judging j = { .job = job, .strict = strict, .v = ret };

	*ret = (struct vd_verdict){ .at_rank = VD_UNKNOWN, .there_rank = VD_UNKNOWN, .other_rank = VD_UNKNOWN };
	bool ok = !job->no_memory && build(&j) && vd_conclude(&j);
	release(&j);
	if (!ok)
		vd_verdict_deinit(ret);
	return ok;
}

/* If the ranks that poll did nothing else, would all others wait for ever? @return false: out of memory */
static bool find_spinning(const struct vd_job *job, struct vd_verdict *v)
{
	struct vd_verdict other = { .at_rank = VD_UNKNOWN };
	struct vd_judging j = { .job = job, .pollers_wait = true, .v = &other };
	bool ok = build(&j), spins = ok && vd_may_spin(job, v, &j.matching);

	for (size_t i = 0; spins && i < job->n_ranks; i++)
		spins = !j.graph.nodes[i].live;
	if (spins) {
		v->result = VD_SPINS;
		vd_find_instead(job, &j.matching, v);
	}
	release(&j);
	vd_verdict_deinit(&other);
	return ok;
}

bool vd_judge(const struct vd_job *job, struct vd_verdict *ret)
{
	bool one_moment = false;

	for (size_t i = 0; i < job->n_ranks && !one_moment; i++)
		one_moment = job->ranks[i].one_moment;
	if (one_moment) {
		if (!judge(job, true, ret))
			return false;
		if (ret->n_dead)
			return true;
		vd_verdict_deinit(ret);
	}
	if (!judge(job, false, ret))
		return false;
	if (ret->result != VD_NO_DEADLOCK || find_spinning(job, ret))
		return true;
	vd_verdict_deinit(ret);
	return false;
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
