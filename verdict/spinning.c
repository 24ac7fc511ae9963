/* SPDX-License-Identifier: BSD-3-Clause */
#include "spinning.h"

/* Has the rank started this nonblocking collective, and is it not complete there? */
static bool has_started(const struct vd_job *job, int32_t rank, const struct vd_op *x)
{
	if (rank < 0 || (size_t)rank >= job->n_ranks)
		return true;
	const struct vd_rank *r = &job->ranks[rank];
	for (size_t i = r->first_op; i < r->first_op + r->n_ops; i++) {
		const struct vd_op *op = &job->ops[i];
		if (op->kind == VD_COLLECTIVE && op->comm == x->comm && op->sequence == x->sequence && !op->inactive)
			return true;
	}
	return false;
}

/* May an operation that the rank has started complete without any rank doing something else? */
static bool may_complete(const struct vd_job *job, const struct vd_matching *m, int32_t rank, const struct vd_op *op)
{
	if (op->inactive || op->kind == VD_MESSAGE)
		return false;
	if (op->kind == VD_PROBE) /* perhaps the message for which it asks has arrived just now */
		return op->comm != VD_UNKNOWN && vd_is_matched(m, rank, op);
	if (op->kind != VD_COLLECTIVE)
		return op->internal || vd_is_matched(m, rank, op);
	if (op->matched || op->comm == VD_UNKNOWN)
		return true;
	for (int32_t i = 0; i < job->comms[op->comm].n; i++)
		if (!has_started(job, vd_member(&job->comms[op->comm], i), op))
			return false;
	return true;
}

static bool any_may_complete(const struct vd_job *job, const struct vd_matching *m, int32_t rank)
{
	const struct vd_rank *r = &job->ranks[rank];

	for (size_t i = r->first_op; i < r->first_op + r->n_ops; i++)
		if (may_complete(job, m, rank, &job->ops[i]))
			return true;
	return r->no_operations || r->n_more_sends || r->n_more_receives;
}

bool vd_may_spin(const struct vd_job *job, const struct vd_verdict *v, const struct vd_matching *m)
{
	size_t n_polling = 0;

	if (job->unseen_sends)
		return false;
	for (size_t i = 0; i < job->n_transits; i++)
		if (job->transits[i].n && !job->transits[i].stayed)
			return false;
	for (int32_t i = 0; job->n_comms && i < job->comms[0].n; i++)
		if (vd_member(&job->comms[0], i) < 0)
			return false;
	for (size_t i = 0; i < job->n_ranks; i++) {
		bool polls = v->classes[i] == VD_POLLING;
		if (job->ranks[i].one_moment || job->ranks[i].stopped ||
		    (!polls && v->classes[i] != VD_WAITING && v->classes[i] != VD_OVER) ||
		    (polls && any_may_complete(job, m, (int32_t)i)))
			return false;
		n_polling += polls;
	}
	return n_polling > 0;
}

/* A message that has arrived at the rank and that no receive of it asked for; NULL: none. */
static const struct vd_op *arrived_at(const struct vd_job *job, int32_t rank)
{
	const struct vd_rank *r = &job->ranks[rank];

	for (size_t i = r->first_op; i < r->first_op + r->n_ops; i++) {
		const struct vd_op *op = &job->ops[i];
		if (op->kind == VD_MESSAGE && !op->internal && !op->of_leaders && op->comm != VD_UNKNOWN &&
		    !job->comms[op->comm].internal)
			return op;
	}
	return NULL;
}

static void find_instead_of(const struct vd_matching *m, int32_t rank, const struct vd_thread *t, struct vd_verdict *v)
{
	const struct vd_job *job = m->job;

	for (size_t k = t->first_polled; k < t->first_polled + t->n_polled; k++) {
		const struct vd_op *wanted = &job->ops[job->awaits[k]], *there;
		enum vd_field field = VD_FIELD_NONE;
		int32_t from = VD_UNKNOWN;
		if (wanted->inactive || wanted->matched || !(there = vd_near_match(m, rank, wanted, &field, &from)) ||
		    (v->wanted && field >= v->field))
			continue;
		v->field = field;
		v->wanted = wanted;
		v->there = there;
		v->at_rank = rank;
		v->there_rank = from;
	}
	if (!v->there && !t->n_polled && (v->there = arrived_at(job, rank)))
		v->at_rank = rank;
}

void vd_find_instead(const struct vd_job *job, const struct vd_matching *m, struct vd_verdict *v)
{
	for (size_t i = 0; i < job->n_ranks; i++) {
		const struct vd_rank *r = &job->ranks[i];
		for (size_t t = r->first_thread; t < r->first_thread + r->n_threads; t++)
			if (v->classes[i] == VD_POLLING && job->threads[t].call == VD_CALL_POLL)
				find_instead_of(m, (int32_t)i, &job->threads[t], v);
	}
}
