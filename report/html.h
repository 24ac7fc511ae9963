/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file html.h
 * Texts on a page. Markup is written only by the files of this directory, as constants and numbers; all other text,
 * of a target, of a file, of the system, passes through rp_text().
 */
#ifndef RP_HTML_H
#define RP_HTML_H

#include "../verdict/verdict.h"

/**
 * Write a text as text of HTML or of SVG, good between tags and inside of a quoted attribute alike. What a terminal
 * may not be shown (access/quote.h) becomes \xNN or \u{NNNN}. NULL is "".
 */
void rp_text(FILE *out, const char *text);

/** The id of a rank's entry, and what links to it: r3; in a job of several worlds w1r3. */
void rp_rank_id(FILE *out, const struct vd_job *job, int32_t rank);

/** "ranks [0-2,5]", and their number behind it when there are more than one. */
void rp_ranks(FILE *out, const struct vd_job *job, const int32_t *ranks, size_t n);

/** A text member of a JSON object, as rp_text() does it. @return whether it is there. */
bool rp_member(FILE *out, const json_t *object, const char *key);

#endif /* RP_HTML_H */
