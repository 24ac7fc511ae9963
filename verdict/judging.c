/* SPDX-License-Identifier: BSD-3-Clause */
#include "judging.h"

#include <stdlib.h>

int32_t vd_any_of(struct vd_judging *j, int32_t comm)
{
	const struct vd_comm *c = &j->job->comms[comm];

	if (j->any[comm] >= 0)
		return j->any[comm];
	j->any[comm] = vd_graph_node(&j->graph, VD_NODE_SOME);
	for (int32_t i = 0; i < c->n; i++) {
		int32_t r = vd_member(c, i);
		vd_graph_edge(&j->graph, j->any[comm],
			      r >= 0 && (size_t)r < j->job->n_ranks ? r : vd_graph_node(&j->graph, VD_NODE_LIVE));
	}
	return j->any[comm];
}

/* Is a rank of the job missing from the snapshot? */
static bool has_strangers(const struct vd_job *job)
{
	for (size_t k = 0; k < job->n_comms; k++)
		for (int32_t i = 0; i < job->comms[k].n; i++)
			if (vd_member(&job->comms[k], i) < 0 || (size_t)vd_member(&job->comms[k], i) >= job->n_ranks)
				return true;
	return false;
}

static bool make_is_sent_to(struct vd_judging *j)
{
	const struct vd_job *job = j->job;

	j->is_sent_to = calloc(job->n_ranks + 1, sizeof(*j->is_sent_to));
	for (size_t i = 0; j->is_sent_to && i < job->n_ops; i++) {
		const struct vd_op *op = &job->ops[i];
		if (op->kind == VD_SEND && !op->matched && !op->inactive && op->peer >= 0 &&
		    (size_t)op->peer < job->n_ranks)
			j->is_sent_to[op->peer] = true;
	}
	return j->is_sent_to != NULL;
}

int32_t vd_anybody(struct vd_judging *j, int32_t rank)
{
	const struct vd_job *job = j->job;
	const struct vd_rank *r = &job->ranks[rank];

	if (!j->is_sent_to && !make_is_sent_to(j)) {
		j->no_memory = true;
		return -1;
	}
	if (j->is_sent_to[rank] || r->no_unexpected)
		return -1;
	for (size_t i = r->first_op; i < r->first_op + r->n_ops; i++)
		if (job->ops[i].kind == VD_MESSAGE && !job->ops[i].internal)
			return -1;
	if (j->anybody >= 0)
		return j->anybody;
	j->anybody = vd_graph_node(&j->graph, VD_NODE_SOME);
	for (size_t i = 0; i < job->n_ranks; i++)
		vd_graph_edge(&j->graph, j->anybody, (int32_t)i);
	if (has_strangers(job))
		vd_graph_edge(&j->graph, j->anybody, vd_graph_node(&j->graph, VD_NODE_LIVE));
	return j->anybody;
}

enum vd_class vd_class_of(const struct vd_job *job, const struct vd_rank *r)
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
