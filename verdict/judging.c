/* SPDX-License-Identifier: BSD-3-Clause */
#include "judging.h"

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
			/* it may call MPI at any time while another thread waits */
			if (r->multiple && !t->helper)
				return VD_FREE;
			break;
		default:
			ret = VD_WAITING;
		}
	}
	return ret;
}
