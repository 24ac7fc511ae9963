/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives: their participants, and the ranks they need. */
#include "judging.h"

#include "leaders.h"

#include "../access/grow.h"

#include <stdio.h>
#include <stdlib.h>

/*
 * @param number  the ordinal of a blocking collective, or the sequence number of a nonblocking one
 * @param started the function that has started a nonblocking one; NULL: not known of all
 * @param rank    of a blocking one: who is in it, in one or several threads; otherwise VD_UNKNOWN
 */
static int32_t gathering_for(struct vd_judging *j, int32_t comm, const char *function, int64_t number,
			     const char *started, int32_t rank)
{
	char key[160];

	snprintf(key, sizeof(key), "%d %.96s %lld %.40s", comm, function ? function : "#", (long long)number,
		 started ? started : "");
	int32_t i = vd_name(&j->names, key, (int32_t)j->n_gatherings);
	if (i == VD_UNKNOWN) {
		j->no_memory = true;
		return -1;
	}
	if ((size_t)i == j->n_gatherings) {
		if (!ACC_GROW(j->gatherings, j->n_gatherings)) {
			j->no_memory = true;
			return -1;
		}
		/* what connects groups depends on both leaders, whom the others need */
		bool all = function && (vd_synchronizes(&j->job->comms[comm], function) || vd_connects(function));
		int32_t node = vd_graph_node(&j->graph, all ? VD_NODE_ALL : VD_NODE_SOME);
		j->gatherings[j->n_gatherings++] = (struct vd_gathering){ .comm = comm,
									  .node = node,
									  .function = function,
									  .ordinal = function ? number : 0,
									  .last = VD_UNKNOWN };
	}
	j->gatherings[i].n += rank == VD_UNKNOWN || j->gatherings[i].last != rank;
	j->gatherings[i].last = rank;
	return i;
}

/*
 * Of each communicator, whether it is known of all threads in its collectives which collective it is. Then two ranks in
 * the same function may be in different ones. At one moment a rank may not have left yet what the next one has left.
 */
static bool *find_counted(const struct vd_job *job)
{
	bool *ret = malloc(job->n_comms + 1);

	for (size_t i = 0; ret && i < job->n_comms; i++)
		ret[i] = true;
	for (size_t r = 0; ret && r < job->n_ranks; r++) {
		const struct vd_rank *x = &job->ranks[r];
		for (size_t i = x->first_thread; i < x->first_thread + x->n_threads; i++) {
			const struct vd_thread *t = &job->threads[i];
			if (t->call == VD_CALL_COLLECTIVE && t->comm != VD_UNKNOWN)
				ret[t->comm] &= !x->one_moment && vd_is_known_which(job, (int32_t)r, t);
		}
	}
	return ret;
}

void vd_gather(struct vd_judging *j)
{
	const struct vd_job *job = j->job;
	bool *is_counted = find_counted(job);

	j->no_memory |= !is_counted;
	for (size_t r = 0; is_counted && r < job->n_ranks; r++) {
		for (size_t i = job->ranks[r].first_thread; i < job->ranks[r].first_thread + job->ranks[r].n_threads;
		     i++) {
			const struct vd_thread *t = &job->threads[i];
			int32_t g = t->call == VD_CALL_COLLECTIVE && t->comm != VD_UNKNOWN &&
						    !vd_comm_is_unsure(job, t->comm)
					    ? gathering_for(j, t->comm, t->function,
							    is_counted[t->comm] ? t->ordinal : 0, NULL, (int32_t)r)
					    : -1;
			j->gathering_of[i] = g;
			if (g >= 0 && t->root == (int32_t)r)
				j->gatherings[g].leader = i + 1;
		}
	}
	free(is_counted);
	for (size_t i = 0; i < job->n_ops; i++) {
		const struct vd_op *op = &job->ops[i];
		j->gathering_of[job->n_threads + i] = op->kind == VD_COLLECTIVE && op->comm != VD_UNKNOWN &&
								      !op->internal && !op->matched && !op->inactive
							      ? gathering_for(j, op->comm, NULL, op->sequence,
									      vd_only_started(job, op->comm)
										      ? op->function
										      : NULL,
									      VD_UNKNOWN)
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

/* Has the rank left this collective, which it must have entered? It has done its part. */
static bool has_left(const struct vd_judging *j, int32_t rank, const struct vd_gathering *x)
{
	const struct vd_rank *r = &j->job->ranks[rank];

	for (size_t i = r->first_thread; x->ordinal && i < r->first_thread + r->n_threads; i++) {
		const struct vd_thread *t = &j->job->threads[i];
		if (t->call == VD_CALL_COLLECTIVE && t->comm == x->comm && t->ordinal > x->ordinal)
			return true;
	}
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
 * collectives can be left early by some ranks, such as the leaves of MPI_Reduce, the root of MPI_Bcast, ranks with
 * nothing to exchange in MPI_Alltoallv, or the own group of an intercommunicator: these need one of the ranks that are
 * not in it.
 */
void vd_gather_needs(struct vd_judging *j)
{
	for (size_t g = 0; g < j->n_gatherings; g++) {
		const struct vd_gathering *x = &j->gatherings[g];
		const struct vd_comm *c = &j->job->comms[x->comm];
		bool idle = false;
		size_t n_left = 0;
		for (int32_t i = 0; x->needed && i < c->n; i++) {
			int32_t r = vd_member(c, i);
			if (r < 0 || (size_t)r >= j->job->n_ranks) /* not in the snapshot: counts as live */
				vd_graph_edge(&j->graph, x->node, vd_graph_node(&j->graph, VD_NODE_LIVE));
			else if (has_left(j, r, x))
				n_left++;
			else if (!is_in(j, r, (int32_t)g))
				vd_graph_edge(&j->graph, x->node, r);
			else if (is_needed_within(x, (enum vd_class)j->v->classes[r])) {
				vd_graph_edge(&j->graph, x->node, r);
				idle = true;
			}
		}
		if (x->needed)
			vd_leaders_need(j, (int32_t)g, is_in);
		j->gatherings[g].complete = !idle && x->n + n_left >= (size_t)c->n;
		if (x->needed && j->gatherings[g].complete) /* it will complete */
			vd_graph_edge(&j->graph, x->node, vd_graph_node(&j->graph, VD_NODE_LIVE));
	}
}
