/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file report.h
 * The sentences of a report, for callers that combine them in another way than vd_report().
 */
#ifndef VD_REPORT_H
#define VD_REPORT_H

#include "words.h"

/** "3 of 4 ranks wait in MPI_Allreduce on MPI_COMM_WORLD; rank 3 has not entered it." */
void vd_headline(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v);

/** "missing rank: look at rank 3, mesh.c:212" */
void vd_conclusion(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v);

/** Remarks that vd_remark() may have. */
enum { VD_REMARKS = 6 };

/** A remark about unknown facts, 0 <= which < VD_REMARKS. @return false: there is nothing to remark. */
bool vd_remark(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v, int which);

/** A string, which may have bytes of the target that are no UTF-8. A new reference. */
json_t *vd_text_json(const char *text);

/** A rank as docs/json.md has it: a number, or {"job": J, "rank": R}. A new reference. */
json_t *vd_rank_json(const struct vd_job *job, int32_t i);

/** Ranks as docs/json.md has them: numbers, or {"job": J, "rank": R}. A new reference. */
json_t *vd_ranks_json(const struct vd_job *job, const int32_t *ranks, size_t n);

#endif /* VD_REPORT_H */
