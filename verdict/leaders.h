/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file leaders.h
 * MPI_Intercomm_create: two groups, each with a leader, that wait
 * for each other. Only the in-target library knows the arguments.
 */
#ifndef VD_LEADERS_H
#define VD_LEADERS_H

#include "judging.h"

/**
 * Add what a collective MPI_Intercomm_create needs besides the members of its own
 * communicator: the leader of the other group, or, if that has come with arguments
 * that match, the members of that group that have not. Nothing for other functions.
 *
 * @param is_in whether a rank is in a gathering
 */
void vd_leaders_need(struct vd_judging *j, int32_t gathering,
		     bool (*is_in)(const struct vd_judging *, int32_t rank, int32_t gathering));

/**
 * Mark the messages between leaders (vd_op.of_leaders), which have the tag that the program has given. To be called
 * when all ranks are loaded.
 */
void vd_mark_leaders(struct vd_job *job);

/** Find two leaders that wait forever because their arguments do not match: vd_verdict.field, here, other. */
void vd_find_leaders(struct vd_judging *j);

#endif /* VD_LEADERS_H */
