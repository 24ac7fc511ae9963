/* SPDX-License-Identifier: BSD-3-Clause */
#include "tied.h"

#include "enders.h"
#include "locks.h"

/* Is all that the rank can do what its threads in MPI do? A thread beside them might write into a pipe, or close it. */
static bool acts_by_mpi(const struct vd_job *job, const struct vd_rank *r)
{
	if (r->one_moment || vd_has_worker(job, r))
		return false;
	for (size_t i = r->first_thread; i < r->first_thread + r->n_threads; i++) {
		const struct vd_thread *t = &job->threads[i];
		bool stands = t->call != VD_CALL_NONE || t->helper ||
			      (t->n_runs == 0 && t->doing == VD_WAITS && !t->ends && !vd_is_foreign(job, r, t));
		if (!stands)
			return false;
	}
	return true;
}

/* Does it end the wait of another rank only after it has gone on? One that has finished MPI may still do anything. */
static bool is_bound(const struct vd_judging *j, const struct vd_rank *r)
{
	switch (vd_class_of(j->job, r, j->strict)) {
	case VD_WAITING:
		return acts_by_mpi(j->job, r);
	case VD_FREE:
		return vd_tied(j->job, r);
	default:
		return false;
	}
}

void vd_connect_tied(struct vd_judging *j, size_t rank)
{
	const struct vd_rank *r = &j->job->ranks[rank];

	for (size_t i = r->first_thread; i < r->first_thread + r->n_threads; i++) {
		const struct vd_thread *t = &j->job->threads[i];
		if (t->helper || !t->enders_sure || !t->n_enders)
			continue;
		int32_t node = vd_graph_node(&j->graph, VD_NODE_SOME);
		vd_graph_edge(&j->graph, (int32_t)rank, node);
		for (size_t k = 0; k < t->n_enders; k++) {
			const struct vd_rank *by = vd_rank_of(j->job, r, j->job->enders[t->first_ender + k]);
			vd_graph_edge(&j->graph, node,
				      by && is_bound(j, by) ? (int32_t)(by - j->job->ranks)
							    : vd_graph_node(&j->graph, VD_NODE_LIVE));
		}
	}
}
