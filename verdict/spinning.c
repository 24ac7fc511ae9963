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
	if (op->inactive || op->kind == VD_MESSAGE || op->kind == VD_PROBE)
		return false;
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
