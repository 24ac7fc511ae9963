/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file matching.h
 * Which operations of a job match: found by communicator, sender and receiver, without looking at all of them.
 */
#ifndef VD_MATCHING_H
#define VD_MATCHING_H

#include "verdict.h"

struct vd_matching {
	const struct vd_job *job;
	int32_t *owner; /**< rank of each operation */
	int32_t *heads, *next, *next_wild;
	size_t n_heads;
};

/** @return false without memory. vd_matching_deinit() frees. */
bool vd_matching_init(struct vd_matching *m, const struct vd_job *job);
void vd_matching_deinit(struct vd_matching *m);

/** Would a message that was sent to the rank and not received be seen in its queue, had it arrived? */
bool vd_shows_arrivals(const struct vd_job *job, int32_t rank);

/** Has what the operation of @p rank waits for been done already: is a message or a send, or a receive for it, there? */
bool vd_is_matched(const struct vd_matching *m, int32_t rank, const struct vd_op *op);

/**
 * What would match a receive or a probe but for one field.
 *
 * @param[out] there_rank whose operation it is
 * @return the operation, and @p field; NULL: none.
 */
const struct vd_op *vd_near_match(const struct vd_matching *m, int32_t rank, const struct vd_op *wanted,
				  enum vd_field *field, int32_t *there_rank);

#endif /* VD_MATCHING_H */
