/* SPDX-License-Identifier: BSD-3-Clause */
#include "windows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMBERS_ASKED = 4096 };

bool vd_windows_init(struct vd_windows *w, const struct vd_job *job)
{
	w->heads = malloc((job->n_comms + 1) * sizeof(*w->heads));
	w->next = malloc((job->n_epochs + 1) * sizeof(*w->next));
	w->owner = malloc((job->n_epochs + 1) * sizeof(*w->owner));
	if (!w->heads || !w->next || !w->owner)
		return false;
	for (size_t i = 0; i < job->n_comms; i++)
		w->heads[i] = -1;
	for (size_t r = 0; r < job->n_ranks; r++) {
		const struct vd_rank *x = &job->ranks[r];
		for (size_t i = x->first_epoch; i < x->first_epoch + x->n_epochs; i++) {
			int32_t comm = job->epochs[i].comm;
			w->owner[i] = (int32_t)r;
			w->next[i] = comm >= 0 ? w->heads[comm] : -1;
			if (comm >= 0)
				w->heads[comm] = (int32_t)i;
		}
	}
	return true;
}

void vd_windows_deinit(struct vd_windows *w)
{
	free(w->heads);
	free(w->next);
	free(w->owner);
	memset(w, 0, sizeof(*w));
}

static bool is_lock(const struct vd_epoch *e)
{
	return e->kind == VD_LOCKED_SHARED || e->kind == VD_LOCKED_EXCLUSIVE;
}

static bool overlap(int32_t a, int32_t b)
{
	return a == b || a == VD_ANY || b == VD_ANY;
}

/* Is a thread of the rank in a call, other than a lock, that waits for the target? */
static bool uses(const struct vd_job *job, int32_t rank, int32_t comm, int32_t target)
{
	const struct vd_rank *r = &job->ranks[rank];

	for (size_t i = r->first_thread; i < r->first_thread + r->n_threads; i++) {
		const struct vd_thread *t = &job->threads[i];
		if (t->call == VD_CALL_WINDOW && t->comm == comm && strncmp(t->function, "MPI_Win_lock", 12) != 0 &&
		    overlap(t->target, target))
			return true;
	}
	return false;
}

/* Does a lock that a rank has requested exclude one of this target? */
static bool excludes(const struct vd_epoch *e, int32_t target, bool exclusive)
{
	return is_lock(e) && overlap(e->peer, target) && (exclusive || e->kind == VD_LOCKED_EXCLUSIVE);
}

/* Is it known that MPI has granted the lock, and does no call of its rank access the target at the moment? */
static bool is_held(const struct vd_job *job, int32_t rank, const struct vd_epoch *e, int32_t target)
{
	return target >= 0 && e->held == target && !uses(job, rank, e->comm, target);
}

/*
 * The node needed by threads that wait for a lock, shared by all of them. MPI may grant a
 * lock after MPI_Win_lock has returned, at the first access. If the holders are known: all of
 * them. Otherwise one of the ranks that have requested a lock that excludes it, unless one of
 * them is in a call that accesses the target: it may hold the lock, or wait for it itself.
 */
static int32_t holders(struct vd_judging *j, int32_t comm, int32_t target, bool exclusive)
{
	const struct vd_job *job = j->job;
	bool unsure = false, known = false, any = false;
	char key[64];

	snprintf(key, sizeof(key), "lock %d %d %d", comm, target, exclusive);
	int32_t node = vd_name(&j->names, key, VD_UNKNOWN);
	if (node != VD_UNKNOWN)
		return node;
	for (int32_t i = j->windows.heads[comm]; i >= 0; i = j->windows.next[i]) {
		const struct vd_epoch *e = &job->epochs[i];
		if (!excludes(e, target, exclusive))
			continue;
		any = true;
		known |= is_held(job, j->windows.owner[i], e, target);
		unsure |= uses(job, j->windows.owner[i], comm, e->peer);
	}
	node = vd_graph_node(&j->graph, known || !any || unsure ? VD_NODE_ALL : VD_NODE_SOME);
	if (node < 0)
		return -1;
	vd_name(&j->names, key, node);
	for (int32_t i = j->windows.heads[comm]; i >= 0 && (known || !unsure); i = j->windows.next[i]) {
		const struct vd_epoch *e = &job->epochs[i];
		if (excludes(e, target, exclusive) && (!known || is_held(job, j->windows.owner[i], e, target)))
			vd_graph_edge(&j->graph, node, j->windows.owner[i]);
	}
	return node;
}

/* Is it unknown whether this rank, which has requested a lock of the target, or another one holds it? */
static bool holder_unknown(const struct vd_judging *j, int32_t rank, int32_t comm, int32_t target, bool exclusive)
{
	const struct vd_job *job = j->job;
	bool others = false;

	for (int32_t i = j->windows.heads[comm]; i >= 0; i = j->windows.next[i]) {
		const struct vd_epoch *e = &job->epochs[i];
		if (!excludes(e, target, exclusive))
			continue;
		if (target >= 0 && e->held == target)
			return false;
		others |= j->windows.owner[i] != rank;
	}
	return others;
}

/* Does the rank have such an open epoch at the window for the peer? */
static bool has_begun(const struct vd_job *job, int32_t rank, int32_t comm, enum vd_epoch_kind kind, int32_t peer)
{
	const struct vd_rank *r = &job->ranks[rank];

	for (size_t i = r->first_epoch; i < r->first_epoch + r->n_epochs; i++) {
		const struct vd_epoch *e = &job->epochs[i];
		if (e->comm == comm && e->kind == kind && e->peer == peer)
			return true;
	}
	return false;
}

static bool is_there(const struct vd_job *job, int32_t rank)
{
	return rank >= 0 && (size_t)rank < job->n_ranks && job->ranks[rank].state == VD_READ;
}

static int32_t live(struct vd_judging *j)
{
	return vd_graph_node(&j->graph, VD_NODE_LIVE);
}

/* An operation at a target needs the target if that is in no MPI function. */
static void need_target(struct vd_judging *j, int32_t node, int32_t target)
{
	if (is_there(j->job, target) && vd_class_of(j->job, &j->job->ranks[target], j->strict) == VD_FREE)
		vd_graph_edge(&j->graph, node, target);
}

/* MPI_Win_lock, _unlock, _flush and their like */
static int32_t passive(struct vd_judging *j, int32_t rank, const struct vd_thread *t)
{
	const struct vd_job *job = j->job;
	const struct vd_rank *r = &job->ranks[rank];
	bool exclusive = false;

	if (t->target == VD_UNKNOWN)
		return -1;
	/* if the type of the lock is unknown, only an exclusive holder blocks it */
	for (size_t i = r->first_epoch; i < r->first_epoch + r->n_epochs; i++) {
		const struct vd_epoch *e = &job->epochs[i];
		exclusive |= e->comm == t->comm && e->kind == VD_LOCKED_EXCLUSIVE && overlap(e->peer, t->target);
	}
	bool locks = strncmp(t->function, "MPI_Win_lock", 12) == 0;
	if (!locks && holder_unknown(j, rank, t->comm, t->target, exclusive))
		return -1;
	int32_t node = vd_graph_node(&j->graph, VD_NODE_ALL);
	vd_graph_edge(&j->graph, node, holders(j, t->comm, t->target, locks ? t->lock == 2 : exclusive));
	if (t->target >= 0 && t->target != rank)
		need_target(j, node, t->target);
	return node;
}

/* All ranks of its group that have not posted for it must do so. */
static int32_t start_group(struct vd_judging *j, int32_t rank, const struct vd_thread *t)
{
	int32_t node = vd_graph_node(&j->graph, VD_NODE_ALL);

	for (int32_t i = 0; i < t->n_targets; i++) {
		int32_t r = t->targets[i];
		if (!is_there(j->job, r))
			vd_graph_edge(&j->graph, node, live(j));
		else if (!has_begun(j->job, r, t->comm, VD_POSTED, rank))
			vd_graph_edge(&j->graph, node, r);
		else
			need_target(j, node, r);
	}
	return node;
}

/* Mark a node that needs some of its children, unknown which, unless there is only one candidate. */
static int32_t guess(struct vd_judging *j, int32_t node, int32_t n_candidates)
{
	if (node >= 0 && n_candidates > 1)
		j->graph.nodes[node].is_guess = true;
	return node;
}

/* If the group is unknown, at least one member of the window has not posted for it. */
static int32_t wait_of_win_start(struct vd_judging *j, int32_t rank, const struct vd_thread *t)
{
	const struct vd_job *job = j->job;
	const struct vd_comm *c = &job->comms[t->comm];
	bool any_posted = false;

	if (t->n_targets)
		return start_group(j, rank, t);
	for (int32_t i = j->windows.heads[t->comm]; i >= 0 && !any_posted; i = j->windows.next[i])
		any_posted = job->epochs[i].kind == VD_POSTED;
	if (!any_posted || c->n > MEMBERS_ASKED)
		return guess(j, vd_any_of(j, t->comm), c->n - 1);
	int32_t node = vd_graph_node(&j->graph, VD_NODE_SOME), n_candidates = 0;
	for (int32_t i = 0; i < c->n; i++) {
		int32_t r = vd_member(c, i);
		if (r == rank || (is_there(job, r) && has_begun(job, r, t->comm, VD_POSTED, rank)))
			continue;
		n_candidates++;
		vd_graph_edge(&j->graph, node, is_there(job, r) ? r : live(j));
	}
	if (!n_candidates)
		vd_graph_edge(&j->graph, node, live(j));
	return guess(j, node, n_candidates);
}

/* All ranks that it has started to access must have posted. */
static int32_t complete(struct vd_judging *j, int32_t rank, const struct vd_thread *t)
{
	const struct vd_job *job = j->job;
	const struct vd_rank *r = &job->ranks[rank];
	int32_t node = vd_graph_node(&j->graph, VD_NODE_ALL);
	bool any = false;

	for (size_t i = r->first_epoch; i < r->first_epoch + r->n_epochs; i++) {
		const struct vd_epoch *e = &job->epochs[i];
		if (e->comm != t->comm || e->kind != VD_STARTED)
			continue;
		if (!is_there(job, e->peer))
			return -1;
		any = true;
		if (has_begun(job, e->peer, t->comm, VD_POSTED, rank))
			need_target(j, node, e->peer);
		else
			vd_graph_edge(&j->graph, node, e->peer);
	}
	return any ? node : -1;
}

/*
 * All ranks for which it has posted must complete. Ranks that have started and not completed are known; of the
 * others it is unknown whether they have completed or have not started yet. If all are of the second sort, at
 * least one has not started.
 */
static int32_t wait(struct vd_judging *j, int32_t rank, const struct vd_thread *t)
{
	const struct vd_job *job = j->job;
	const struct vd_rank *r = &job->ranks[rank];
	int32_t all = vd_graph_node(&j->graph, VD_NODE_ALL), some = vd_graph_node(&j->graph, VD_NODE_SOME);
	int32_t n_started = 0, n_candidates = 0;

	for (size_t i = r->first_epoch; i < r->first_epoch + r->n_epochs; i++) {
		const struct vd_epoch *e = &job->epochs[i];
		if (e->comm != t->comm || e->kind != VD_POSTED)
			continue;
		if (!is_there(job, e->peer))
			return -1;
		bool started = has_begun(job, e->peer, t->comm, VD_STARTED, rank);
		n_started += started;
		n_candidates += !started;
		vd_graph_edge(&j->graph, started ? all : some, e->peer);
	}
	if (n_started)
		return all;
	return n_candidates ? guess(j, some, n_candidates) : -1;
}

int32_t vd_window_node(struct vd_judging *j, int32_t rank, const struct vd_thread *t)
{
	if (t->comm == VD_UNKNOWN || vd_comm_is_unsure(j->job, t->comm))
		return -1;
	if (strcmp(t->function, "MPI_Win_start") == 0)
		return wait_of_win_start(j, rank, t);
	if (strcmp(t->function, "MPI_Win_complete") == 0)
		return complete(j, rank, t);
	if (strcmp(t->function, "MPI_Win_wait") == 0)
		return wait(j, rank, t);
	return passive(j, rank, t);
}
