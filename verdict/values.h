/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file values.h
 * Values of a verdict's JSON: texts and ranks.
 */
#ifndef VD_VALUES_H
#define VD_VALUES_H

#include "words.h"

#include <jansson.h>

/** A string; text of the target that is not UTF-8 is replaced. A new reference. */
json_t *vd_text_json(const char *text);

/** A rank as docs/json.md has it: a number, or {"job": J, "rank": R}. A new reference. */
json_t *vd_rank_json(const struct vd_job *job, int32_t i);

/** Ranks as docs/json.md has them: numbers, or {"job": J, "rank": R}. A new reference. */
json_t *vd_ranks_json(const struct vd_job *job, const int32_t *ranks, size_t n);

#endif /* VD_VALUES_H */
