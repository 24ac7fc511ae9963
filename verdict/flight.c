/* SPDX-License-Identifier: BSD-3-Clause */
#include "flight.h"

#include "flows.h"

#include <stdlib.h>

bool vd_flight_init(struct vd_judging *j)
{
	const struct vd_job *job = j->job;

	j->is_sent_to = calloc(job->n_ranks + 1, sizeof(*j->is_sent_to));
	j->n_one_moment = 0;
	for (size_t i = 0; j->strict && i < job->n_ranks; i++)
		j->n_one_moment += job->ranks[i].one_moment;
	for (size_t i = 0; j->is_sent_to && i < job->n_transits; i++)
		if (job->transits[i].n && !job->transits[i].stayed)
			j->is_sent_to[job->transits[i].to] = true;
	return j->is_sent_to;
}

void vd_flight_deinit(struct vd_judging *j)
{
	free(j->is_sent_to);
	j->is_sent_to = NULL;
}

static bool is_one_moment(const struct vd_judging *j, int32_t rank)
{
	return j->strict && rank >= 0 && (size_t)rank < j->job->n_ranks && j->job->ranks[rank].one_moment;
}

bool vd_may_be_in_flight(const struct vd_judging *j, int32_t comm, int32_t from, int32_t to)
{
	const struct vd_job *job = j->job;

	if (from == VD_ANY)
		return j->is_sent_to[to] || (j->n_one_moment && !vd_flows_all_known(job, comm));
	const struct vd_transit *x = vd_transit_between(job, comm, from, to);
	if (x && !x->stayed && (x->n || is_one_moment(j, from) || is_one_moment(j, to)))
		return true;
	if (from == to || (!is_one_moment(j, from) && !is_one_moment(j, to)))
		return false;
	return !vd_flows_known(job, comm, from) || !vd_flows_known(job, comm, to);
}

bool vd_may_be_received(const struct vd_judging *j, int32_t rank, int32_t peer)
{
	if (!is_one_moment(j, rank) && !is_one_moment(j, peer))
		return false;
	return rank != peer && !vd_shows_arrivals(j->job, peer);
}

bool vd_may_complete(const struct vd_judging *j)
{
	return j->n_one_moment > 0;
}
