/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file judging.h
 * State of the analysis, shared by the files that implement vd_judge().
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
	int64_t ordinal; /**< of a blocking one: its number in the communicator; 0: not known of all that are in it */
	size_t n;        /**< ranks in it; of a non-blocking one: their operations, as a rank may have several */
	int32_t last;    /**< the rank counted last; VD_UNKNOWN: none, or non-blocking */
	size_t leader; /**< 1 + index of the thread whose rank is the root or leader of its call; 0: it has not come */
	bool needed;   /**< a rank waits for the members that are not in it */
	bool complete; /**< all members have come, and are in MPI */
};

/** Open epochs of all ranks, as a list per window. */
struct vd_windows {
	int32_t *heads, *next; /**< heads[communicator]: first epoch; next[epoch]; -1: none */
	int32_t *owner;        /**< rank of each epoch */
};

/** A rank that waits for a non-blocking collective: what it needs is known when the classes of all members are. */
struct vd_pending {
	int32_t rank, gathering;
	int32_t node; /**< without edges yet */
};

struct vd_judging {
	const struct vd_job *job;
	struct vd_graph graph; /**< the first nodes are the ranks */
	struct vd_matching matching;
	struct vd_windows windows;
	struct vd_names *names;
	struct vd_gathering *gatherings;
	size_t n_gatherings;
	struct vd_pending *pending;
	size_t n_pending;
	int32_t *gathering_of; /**< of each thread, then of each operation; -1: none */
	int32_t *explains;     /**< of each rank: the node of its collective, which says better what it waits for; -1 */
	int32_t *any;          /**< any[communicator]: the node "one of its members"; -1: not created yet */
	int32_t any_rank;      /**< the node "one of all ranks"; -1: not created yet */
	struct vd_verdict *v;
	bool pollers_wait;   /**< ranks that poll are taken as waiting for ever */
	bool strict;         /**< what may be in flight counts as able to arrive */
	size_t n_one_moment; /**< ranks known of one moment only; 0 if not strict */
	bool *is_sent_to;    /**< of each rank, whether messages to it are known to be in flight */
	bool no_memory;
};

/** The activity of a rank, derived from its threads; VD_WAITING even if it is unknown what it waits for. */
enum vd_class vd_class_of(const struct vd_job *job, const struct vd_rank *r, bool strict);

/** The node "one of the members of the communicator", created at first use. */
int32_t vd_any_of(struct vd_judging *j, int32_t comm);

/** The node "one of all ranks", created at first use. It is live if there may be others that are not
 * in the snapshot. */
int32_t vd_any_rank(struct vd_judging *j);

/** Find the participants of each collective: vd_judging.gatherings. */
void vd_gather(struct vd_judging *j);

/** Add edges to the ranks that the collectives need; vd_gather() must have run. */
void vd_gather_needs(struct vd_judging *j);

/**
 * Find two ranks in collectives of one communicator that do not match: vd_verdict.field, here, other.
 *
 * @param exact true: compare only ranks known to be in the same (k-th) collective of the communicator; false: compare
 *              ranks that wait forever by their functions and arguments.
 * @return false: out of memory
 */
bool vd_find_collectives(struct vd_judging *j, bool exact);

/** Has each member of the communicator started at most one
 * nonblocking collective, by a known function, that is not complete? */
bool vd_only_started(const struct vd_job *job, int32_t comm);

/** Find members that wait forever for nonblocking collectives with different functions: vd_verdict.wanted, there. */
void vd_find_started(struct vd_judging *j);

/** Find a collective in which a rank waits forever although all
 * members have entered it and some have left it: VD_FIELD_DATA. */
void vd_find_left(struct vd_judging *j);

/** Is it known which collective of its communicator the thread is in? */
bool vd_is_known_which(const struct vd_job *job, int32_t rank, const struct vd_thread *t);

/** Derive the verdict from the solved graph. @return false: out of memory. */
bool vd_conclude(struct vd_judging *j);

#endif /* VD_JUDGING_H */
