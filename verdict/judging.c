/* SPDX-License-Identifier: BSD-3-Clause */
#include "judging.h"

#include "enders.h"
#include "locks.h"

#include <string.h>

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

int32_t vd_any_rank(struct vd_judging *j)
{
	const struct vd_job *job = j->job;
	bool all_here = !job->any_memberless;

	if (j->any_rank >= 0)
		return j->any_rank;
	j->any_rank = vd_graph_node(&j->graph, VD_NODE_SOME);
	if (j->any_rank >= 0)
		j->graph.nodes[j->any_rank].is_guess = true;
	for (size_t i = 0; i < job->n_ranks; i++)
		vd_graph_edge(&j->graph, j->any_rank, (int32_t)i);
	for (size_t c = 0; all_here && c < job->n_comms; c++)
		for (int32_t i = 0; all_here && i < job->comms[c].n; i++) {
			int32_t member = vd_member(&job->comms[c], i);
			all_here = member >= 0 && (size_t)member < job->n_ranks;
		}
	if (!all_here)
		vd_graph_edge(&j->graph, j->any_rank, vd_graph_node(&j->graph, VD_NODE_LIVE));
	return j->any_rank;
}

/*
 * May a thread that is in no MPI function end a wait of its rank? One that waits for another thread of the rank cannot,
 * nor one that does not run, unless a library works for it. One whose wait another process may end can. One that wakes
 * up now and then has made no MPI call then, or the rank would have gone on.
 */
bool vd_may_act(const struct vd_job *job, const struct vd_rank *r, const struct vd_thread *t, bool strict)
{
	enum { COMPUTES_PERMILLE = 50, LONG_MS = 60000 };

	if (t->helper)
		return false;
	if (vd_is_foreign(job, r, t))
		return true;
	if (t->waits_for_own)
		return !vd_waits_for(job, r, t) && vd_has_worker(job, r);
	if (r->one_moment)
		return strict || t->doing == VD_RUNS || t->doing == VD_DOING_UNKNOWN;
	if (t->n_runs < 0)
		return true;
	if (t->n_runs > 0)
		return t->ran_permille >= COMPUTES_PERMILLE;
	return t->doing == VD_SLEEPS ? t->ends_ms < LONG_MS : t->doing != VD_WAITS;
}

enum vd_class vd_class_of(const struct vd_job *job, const struct vd_rank *r, bool strict)
{
	enum vd_class ret = VD_FREE;
	bool busy = false;

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
			return strcmp(t->function, "MPI_Abort") == 0 ? VD_OVER : VD_OPAQUE; /* it never returns */
		case VD_CALL_FINALIZE:
			return VD_OVER;
		case VD_CALL_NONE:
			busy |= r->multiple && vd_may_act(job, r, t, strict);
			break;
		default:
			ret = VD_WAITING;
		}
	}
	return ret == VD_WAITING && busy ? VD_BUSY : ret;
}
