/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file matching.h
 * Matching operations of a job, found through an index by communicator, sender and receiver.
 */
#ifndef VD_MATCHING_H
#define VD_MATCHING_H

#include "verdict.h"

struct vd_matching {
	const struct vd_job *job;
	int32_t *owner; /**< rank of each operation */
	int32_t *heads, *next, *next_wild;
	size_t n_heads;
	bool more_sends; /**< a rank has sends that the snapshot has only counted */
	bool *coming;    /**< of vd_any_may_come(): ranks to which messages are on their way; NULL: not searched yet */
	bool any_coming; /**< likewise: one may be on its way to any rank */
};

/** @return false: out of memory. vd_matching_deinit() frees. */
bool vd_matching_init(struct vd_matching *m, const struct vd_job *job);
void vd_matching_deinit(struct vd_matching *m);

/** Does the snapshot show messages that have arrived at this rank and are not received? */
bool vd_shows_arrivals(const struct vd_job *job, int32_t rank);

/** Does the operation of @p rank have a counterpart: a message or send for a receive, or a receive for a send? */
bool vd_is_matched(const struct vd_matching *m, int32_t rank, const struct vd_op *op);

/** May a message that a rank has begun to send to this one still arrive? Also true if that is unknown. */
bool vd_any_may_come(struct vd_matching *m, int32_t rank);

/**
 * Find an operation that differs from one matching a receive or a probe in one field only.
 *
 * @param[out] there_rank the rank of that operation
 * @return the operation, and @p field; NULL: none.
 */
const struct vd_op *vd_near_match(const struct vd_matching *m, int32_t rank, const struct vd_op *wanted,
				  enum vd_field *field, int32_t *there_rank);

#endif /* VD_MATCHING_H */
