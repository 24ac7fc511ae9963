/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file spinning.h
 * Ranks that poll, with MPI_Test or MPI_Iprobe in a loop, while all others wait: nobody sends anything unless one of
 * them leaves its loop. That is no proof of a deadlock, because a rank may poll for some time only.
 */
#ifndef VD_SPINNING_H
#define VD_SPINNING_H

#include "judging.h"

/**
 * May the job spin? Each rank waits, polls or has ended; nothing is
 * in flight; no operation of a rank that polls has a counterpart.
 * False if messages may be sent that cannot be seen (vd_job.unseen_sends).
 *
 * @param v the verdict, VD_NO_DEADLOCK
 * @param m of the job
 */
bool vd_may_spin(const struct vd_job *job, const struct vd_verdict *v, const struct vd_matching *m);

/**
 * What is there instead of what the ranks poll for: vd_verdict.wanted, there and field, as for a mismatch; or, if it is
 * unknown what a rank polls for, a message that has arrived at it: there and at_rank only.
 *
 * @param v the verdict, VD_SPINS
 */
void vd_find_instead(const struct vd_job *job, const struct vd_matching *m, struct vd_verdict *v);

#endif /* VD_SPINNING_H */
