/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file html.h
 * Texts on a page. The files of this directory write markup only as constants and numbers; all other text (from a
 * target, a file or the system) passes through rp_text().
 */
#ifndef RP_HTML_H
#define RP_HTML_H

#include "../verdict/verdict.h"

/**
 * Write a text escaped for HTML and SVG, between tags and inside a quoted attribute. Characters that must not be
 * printed (access/quote.h) become \xNN or \u{NNNN}. NULL counts as "".
 */
void rp_text(FILE *out, const char *text);

/** The HTML id of a rank's entry: r3; in a job of several worlds w1r3. */
void rp_rank_id(FILE *out, const struct vd_job *job, int32_t rank);

/** "ranks [0-2,5]", with their number if there is more than one. */
void rp_ranks(FILE *out, const struct vd_job *job, const int32_t *ranks, size_t n);

/** Write a text member of a JSON object with rp_text(). @return false: there is no such member. */
bool rp_member(FILE *out, const json_t *object, const char *key);

#endif /* RP_HTML_H */
