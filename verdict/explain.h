/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file explain.h
 * One rank on one screen: its threads, where they are, what each waits for, and why.
 */
#ifndef VD_EXPLAIN_H
#define VD_EXPLAIN_H

#include "verdict.h"

/**
 * Write the text.
 *
 * @param i       index of the rank
 * @param process it in the snapshot, for the stacks; NULL: without them
 */
void vd_explain(const struct vd_job *job, const struct vd_verdict *v, size_t i, const json_t *process, FILE *out);

#endif /* VD_EXPLAIN_H */
