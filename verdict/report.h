/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file report.h
 * The sentences of a report, for callers that combine them differently from vd_report().
 */
#ifndef VD_REPORT_H
#define VD_REPORT_H

#include "words.h"

/** "3 of 4 ranks wait in MPI_Allreduce on MPI_COMM_WORLD; rank 3 is not in it." */
void vd_headline(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v);

/** "missing rank: look at rank 3, mesh.c:212" */
void vd_conclusion(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v);

/**
 * The ranks to look at first: those that the conclusion names.
 *
 * @param[out] ret room for all ranks of the job; indexes
 * @return how many; 0: there is no deadlock
 */
size_t vd_look_at(const struct vd_job *job, const struct vd_verdict *v, int32_t *ret);

/** When the ranks were read, and what that means; nothing if it is not known. */
void vd_append_basis(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v);

/** Number of ranks of the first communicator (MPI_COMM_WORLD) that are not in the snapshot. */
size_t vd_n_absent(const struct vd_job *job);

/** Number of kinds of remarks. */
enum { VD_REMARKS = 17 };

/** A remark about unknown facts, 0 <= which < VD_REMARKS. @return false: there is nothing to remark. */
bool vd_remark(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v, int which);

#endif /* VD_REPORT_H */
