/* SPDX-License-Identifier: BSD-3-Clause */
#include "leaders.h"

#include <string.h>

enum { INT_BYTES = 4 };

static bool is_creating(const struct vd_thread *t)
{
	return t->call == VD_CALL_COLLECTIVE && t->comm != VD_UNKNOWN &&
	       strcmp(t->function, "MPI_Intercomm_create") == 0;
}

/* A thread of the rank in MPI_Intercomm_create, if possible the one that is a leader; NULL: none */
static const struct vd_thread *creating(const struct vd_job *job, int32_t rank)
{
	const struct vd_thread *ret = NULL;

	for (size_t i = 0; rank >= 0 && i < job->ranks[rank].n_threads; i++) {
		const struct vd_thread *t = &job->threads[job->ranks[rank].first_thread + i];
		if (is_creating(t) && (!ret || ret->root != rank))
			ret = t;
	}
	return ret;
}

static bool is_leader_for(const struct vd_thread *t, int32_t rank, int32_t other)
{
	return t->root == rank && t->leader == other;
}

/* Do the two leaders wait for each other? */
static bool match(const struct vd_thread *a, int32_t a_rank, const struct vd_thread *b, int32_t b_rank)
{
	return is_leader_for(a, a_rank, b_rank) && is_leader_for(b, b_rank, a_rank) && a->peers == b->peers &&
	       a->tag == b->tag;
}

/* The gathering of the leader that matches; -1: it has not come */
static int32_t other_group(const struct vd_judging *j, const struct vd_thread *leader)
{
	const struct vd_rank *r = &j->job->ranks[leader->leader];

	for (size_t i = r->first_thread; i < r->first_thread + r->n_threads; i++)
		if (is_creating(&j->job->threads[i]) &&
		    match(leader, leader->root, &j->job->threads[i], leader->leader))
			return j->gathering_of[i];
	return -1;
}

void vd_leaders_need(struct vd_judging *j, int32_t gathering,
		     bool (*is_in)(const struct vd_judging *, int32_t rank, int32_t gathering))
{
	const struct vd_gathering *x = &j->gatherings[gathering];
	const struct vd_thread *leader = x->leader ? &j->job->threads[x->leader - 1] : NULL;

	if (!leader || !is_creating(leader)) /* the leader is a member that has not come */
		return;
	if (leader->leader < 0 || (size_t)leader->leader >= j->job->n_ranks) {
		vd_graph_edge(&j->graph, x->node, vd_graph_node(&j->graph, VD_NODE_LIVE));
		return;
	}
	int32_t other = other_group(j, leader);
	if (other < 0) {
		vd_graph_edge(&j->graph, x->node, leader->leader);
		return;
	}
	const struct vd_comm *c = &j->job->comms[j->gatherings[other].comm];
	for (int32_t i = 0; i < c->n; i++) {
		int32_t r = vd_member(c, i);
		if (r < 0 || (size_t)r >= j->job->n_ranks)
			vd_graph_edge(&j->graph, x->node, vd_graph_node(&j->graph, VD_NODE_LIVE));
		else if (!is_in(j, r, other))
			vd_graph_edge(&j->graph, x->node, r);
	}
}

/* The operations and messages of @p rank from or to @p peer that no recorded call of the program has started */
static void mark(struct vd_job *job, int32_t rank, int32_t peer, int32_t comm, int64_t tag)
{
	const struct vd_rank *r = &job->ranks[rank];

	for (size_t i = r->first_op; i < r->first_op + r->n_ops; i++) {
		struct vd_op *op = &job->ops[i];
		op->of_leaders |= !op->function && op->comm == comm && op->peer == peer && op->tag == tag;
	}
}

/* Is the rank in MPI_Intercomm_create with unknown arguments, in an
 * MPI that exchanges messages of the leaders with the program's tag? */
static bool is_unknown_leader(const struct vd_job *job, int32_t rank)
{
	const struct vd_rank *r = &job->ranks[rank];

	for (size_t i = r->first_thread; i < r->first_thread + r->n_threads; i++) {
		const struct vd_thread *t = &job->threads[i];
		if (t->function && t->peers == VD_UNKNOWN && strcmp(t->function, "MPI_Intercomm_create") == 0)
			return true;
	}
	return false;
}

/* The first messages of the leaders of Open MPI, an int, which may
 * be the program's own: nothing is concluded from what they have. */
static void mark_unknown(struct vd_job *job)
{
	for (size_t r = 0; r < job->n_ranks; r++) {
		bool own = is_unknown_leader(job, (int32_t)r);
		for (size_t i = job->ranks[r].first_op; i < job->ranks[r].first_op + job->ranks[r].n_ops; i++) {
			struct vd_op *op = &job->ops[i];
			bool arrived = op->kind == VD_MESSAGE && op->peer >= 0 && (size_t)op->peer < job->n_ranks &&
				       is_unknown_leader(job, op->peer);
			op->of_leaders |= !op->function && !op->internal && op->bytes == INT_BYTES &&
					  (arrived || (own && op->kind == VD_SEND));
		}
	}
}

void vd_mark_leaders(struct vd_job *job)
{
	mark_unknown(job);
	for (size_t r = 0; r < job->n_ranks; r++) {
		const struct vd_thread *t = creating(job, (int32_t)r);
		if (!t || t->root != (int32_t)r || t->peers == VD_UNKNOWN || t->leader < 0 ||
		    (size_t)t->leader >= job->n_ranks)
			continue;
		mark(job, (int32_t)r, t->leader, t->peers, t->tag);
		mark(job, t->leader, (int32_t)r, t->peers, t->tag);
	}
}

/* What differs between the arguments of a leader and those of the rank that it names as the other group's leader? */
static enum vd_field difference(const struct vd_job *job, const struct vd_thread *a, int32_t rank,
				const struct vd_thread *b)
{
	if (b->root != a->leader)
		return b->comm == a->comm ? VD_FIELD_NONE : VD_FIELD_LEADER; /* it is no leader */
	if (b->leader == rank)
		return a->peers == b->peers ? a->tag != b->tag ? VD_FIELD_TAG : VD_FIELD_NONE
		       : a->tag == b->tag   ? VD_FIELD_COMM
					    : VD_FIELD_NONE;
	/* several groups may wait for each other in a cycle: then each rank that is named is a leader */
	const struct vd_thread *named = creating(job, b->leader);
	return named && named->root == b->leader && b->leader != a->leader ? VD_FIELD_NONE : VD_FIELD_LEADER;
}

void vd_find_leaders(struct vd_judging *j)
{
	const struct vd_job *job = j->job;
	struct vd_verdict *v = j->v;

	for (size_t i = 0; i < v->n_dead && v->field == VD_FIELD_NONE; i++) {
		const struct vd_thread *a = creating(job, v->dead[i]);
		if (!a || a->root != v->dead[i] || a->leader < 0 || (size_t)a->leader >= job->n_ranks ||
		    a->peers == VD_UNKNOWN || v->classes[a->leader] != VD_WAITING)
			continue;
		const struct vd_thread *b = creating(job, a->leader);
		enum vd_field field = !b || b == a || b->peers == VD_UNKNOWN ? VD_FIELD_NONE
									     : difference(job, a, v->dead[i], b);
		if (field == VD_FIELD_NONE)
			continue;
		v->field = field;
		v->here = a;
		v->at_rank = v->dead[i];
		v->other = b;
		v->other_rank = a->leader;
	}
}
