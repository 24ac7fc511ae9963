/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file polls.h
 * Ranks that poll, with MPI_Test or MPI_Iprobe in a loop, and were seen between two calls at some moments.
 */
#ifndef VD_POLLS_H
#define VD_POLLS_H

#include "verdict.h"

/**
 * Treat ranks as polling that were in their polling function at one of the moments only, and at the other one in no MPI
 * function, in a function of the program from which they poll; their operations are the same. Their threads are then as
 * if they were in the call (vd_thread.call, function, place and what it polls for), and vd_rank.n_outside counts. Ranks
 * that were in no MPI function at all moments so far, in the same function of the program and with the same operations,
 * are marked (vd_rank.may_poll), and counted, too: a later moment may show that they poll.
 *
 * @param earlier the moment before, itself changed by this function if it has one before
 * @param later   after vd_compare(): vd_rank.went_on is changed
 */
void vd_fold_polls(const struct vd_job *earlier, struct vd_job *later);

/**
 * Ranks that were outside at most of the moments may work there: they count as going on (vd_rank.went_on).
 *
 * @return how many
 */
size_t vd_limit_polls(struct vd_job *job, int n_moments);

/** Was any rank that polls outside its call at one of the moments? */
bool vd_any_outside(const struct vd_job *job);

#endif /* VD_POLLS_H */
