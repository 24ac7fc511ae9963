/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file judging.h
 * A judgement while it is made: what the files that make it share.
 */
#ifndef VD_JUDGING_H
#define VD_JUDGING_H

#include "graph.h"
#include "job.h"
#include "matching.h"

/** A collective that threads are in, or a non-blocking one that they wait for. */
struct vd_gathering {
	int32_t comm, node;
	const char *function; /**< NULL: non-blocking */
	size_t n;             /**< ranks in it */
	bool needed;          /**< a rank waits for all that are not in it */
};

/** What ranks have begun at windows, by window. */
struct vd_windows {
	int32_t *heads, *next; /**< of each communicator the first epoch, of each epoch the next one; -1: none */
	int32_t *owner;        /**< rank of each epoch */
};

struct vd_judging {
	const struct vd_job *job;
	struct vd_graph graph; /**< the first nodes are the ranks */
	struct vd_matching matching;
	struct vd_windows windows;
	struct vd_names *names;
	struct vd_gathering *gatherings;
	size_t n_gatherings, cap_gatherings;
	int32_t *gathering_of; /**< of each thread, and behind these of each operation; -1: none */
	int32_t *any;          /**< of each communicator the node of "one of its members"; -1: not made */
	struct vd_verdict *v;
	bool no_memory;
};

/** The i-th member of a communicator; negative: not in the snapshot. */
static inline int32_t vd_member(const struct vd_comm *c, int32_t i)
{
	return c->members ? c->members[i] : i;
}

/** The activity of a rank, derived from its threads: VD_WAITING also if it is unknown what for. */
enum vd_class vd_class_of(const struct vd_job *job, const struct vd_rank *r);

/** The node of "one of its members", made when it is asked for first. */
int32_t vd_any_of(struct vd_judging *j, int32_t comm);

/** Find the participants of each collective: vd_judging.gatherings. */
void vd_gather(struct vd_judging *j);

/** Add the ranks that the collectives need, if it is known which collectives are waited for. */
void vd_gather_needs(struct vd_judging *j);

/**
 * Find two ranks in collectives of one communicator that do not match: vd_verdict.field, here, other.
 *
 * @param exact only ranks of which it is known that both are in the same collective of the communicator, the k-th of each.
 *              Otherwise of ranks that wait forever, as far as their functions and arguments tell.
 * @return false without memory
 */
bool vd_find_collectives(struct vd_judging *j, bool exact);

/** From a graph that is solved to the verdict. @return false without memory. */
bool vd_conclude(struct vd_judging *j);

#endif /* VD_JUDGING_H */
