/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives: their participants, and the ranks they need. */
#include "judging.h"

#include "leaders.h"

#include <stdio.h>

static int32_t gathering(struct vd_judging *j, int32_t comm, const char *function, int64_t sequence)
{
	char key[160];

	snprintf(key, sizeof(key), "%d %.96s %lld", comm, function ? function : "#", (long long)sequence);
	int32_t i = vd_name(&j->names, key, (int32_t)j->n_gatherings);
	if (i == VD_UNKNOWN) {
		j->no_memory = true;
		return -1;
	}
	if ((size_t)i == j->n_gatherings) {
		struct vd_gathering *grown = vd_grow(j->gatherings, j->n_gatherings, 1, &j->cap_gatherings,
						     sizeof(*grown));
		if (!grown) {
			j->no_memory = true;
			return -1;
		}
		j->gatherings = grown;
		enum vd_node_kind kind = function && vd_synchronizes(function) ? VD_NODE_ALL : VD_NODE_SOME;
		grown[j->n_gatherings++] = (struct vd_gathering){ comm, vd_graph_node(&j->graph, kind), function, 0, 0,
								  false };
	}
	j->gatherings[i].n++;
	return i;
}

void vd_gather(struct vd_judging *j)
{
	const struct vd_job *job = j->job;

	for (size_t r = 0; r < job->n_ranks; r++) {
		for (size_t i = job->ranks[r].first_thread; i < job->ranks[r].first_thread + job->ranks[r].n_threads;
		     i++) {
			const struct vd_thread *t = &job->threads[i];
			int32_t g = t->call == VD_CALL_COLLECTIVE && t->comm != VD_UNKNOWN &&
						    !vd_comm_is_unsure(job, t->comm)
					    ? gathering(j, t->comm, t->function, 0)
					    : -1;
			j->gathering_of[i] = g;
			if (g >= 0 && t->root == (int32_t)r)
				j->gatherings[g].leader = i + 1;
		}
	}
	for (size_t i = 0; i < job->n_ops; i++) {
		const struct vd_op *op = &job->ops[i];
		j->gathering_of[job->n_threads + i] = op->kind == VD_COLLECTIVE && op->comm != VD_UNKNOWN &&
								      !op->internal && !op->matched && !op->inactive
							      ? gathering(j, op->comm, NULL, op->sequence)
							      : -1;
	}
}

static bool is_in(const struct vd_judging *j, int32_t rank, int32_t g)
{
	const struct vd_rank *r = &j->job->ranks[rank];
	bool blocking = j->gatherings[g].function != NULL;
	size_t first = blocking ? r->first_thread : j->job->n_threads + r->first_op;
	size_t n = blocking ? r->n_threads : r->n_ops;

	for (size_t i = first; i < first + n; i++)
		if (j->gathering_of[i] == g)
			return true;
	return false;
}

/*
 * Is a rank needed although it is in the collective? A rank that waits in MPI always takes part. A rank that has
 * started a nonblocking collective and does not wait takes part later, or never. A rank that may not be waiting
 * may complete any collective.
 */
static bool is_needed_within(const struct vd_gathering *x, enum vd_class class)
{
	if (!x->function)
		return class != VD_WAITING && class != VD_BUSY;
	return class == VD_MOVING || class == VD_POLLING || class == VD_OPAQUE || class == VD_STOPPED;
}

/*
 * A collective that no rank leaves before all have entered it needs all members that are not in it. Other
 * collectives can be left early by some ranks, such as the leaves of MPI_Reduce or the root of MPI_Bcast: these
 * need one of the ranks that are not in it.
 */
void vd_gather_needs(struct vd_judging *j)
{
	for (size_t g = 0; g < j->n_gatherings; g++) {
		const struct vd_gathering *x = &j->gatherings[g];
		const struct vd_comm *c = &j->job->comms[x->comm];
		bool idle = false;
		for (int32_t i = 0; x->needed && i < c->n; i++) {
			int32_t r = vd_member(c, i);
			if (r < 0 || (size_t)r >= j->job->n_ranks) /* not in the snapshot: counts as live */
				vd_graph_edge(&j->graph, x->node, vd_graph_node(&j->graph, VD_NODE_LIVE));
			else if (!is_in(j, r, (int32_t)g))
				vd_graph_edge(&j->graph, x->node, r);
			else if (is_needed_within(x, (enum vd_class)j->v->classes[r])) {
				vd_graph_edge(&j->graph, x->node, r);
				idle = true;
			}
		}
		if (x->needed)
			vd_leaders_need(j, (int32_t)g, is_in);
		if (x->needed && !idle && x->n >= (size_t)c->n) /* all members are in it: it will complete */
			vd_graph_edge(&j->graph, x->node, vd_graph_node(&j->graph, VD_NODE_LIVE));
	}
}
