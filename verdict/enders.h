/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file enders.h
 * Waits for pipes and children that only certain processes can end, and ranks that wait in this way for other ranks.
 */
#ifndef VD_ENDERS_H
#define VD_ENDERS_H

#include "verdict.h"

#include <jansson.h>

/** Load the member "ended_by" of "waits_for" (docs/json.md). NULL: it has none. */
void vd_load_enders(struct vd_job *job, struct vd_thread *t, const json_t *ended_by);

/** Mark those of the threads of a rank that were the same at an earlier moment: vd_thread.enders_sure. */
void vd_compare_enders(const struct vd_job *earlier, const struct vd_rank *before, struct vd_job *later,
		       const struct vd_rank *r);

/** May another process, whatever it is, end the wait of the thread? */
bool vd_is_foreign(const struct vd_job *job, const struct vd_rank *r, const struct vd_thread *t);

/** Is it certain that only threads of the rank itself can end the wait of the thread for a pipe or child? */
bool vd_ends_here(const struct vd_job *job, const struct vd_rank *r, const struct vd_thread *t);

/**
 * The thread of a rank in no MPI function whose wait only other ranks of the job
 * can end, while all its other threads wait, too, and only they or these ranks can
 * end it; NULL: there is none, or it is not certain. Of several, the main thread.
 */
const struct vd_thread *vd_tied(const struct vd_job *job, const struct vd_rank *r);

/** The rank that a process on the machine of another rank is; NULL: none */
const struct vd_rank *vd_rank_of(const struct vd_job *job, const struct vd_rank *from, int64_t pid);

#endif /* VD_ENDERS_H */
