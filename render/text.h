/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file text.h
 * Text output: lines with columns, colours, and names that are safe for a terminal.
 */
#ifndef OUT_TEXT_H
#define OUT_TEXT_H

#include "out.h"

/** Colours by meaning. */
enum out_color { OUT_PLAIN, OUT_SEND, OUT_RECEIVE, OUT_UNEXPECTED, OUT_BOLD, OUT_FAINT };

/** Formatted text, at most 1023 bytes, without line breaks. Starts a line if none is open. */
void out_text(struct out *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Start a line, indented by @p level steps of two spaces; ends the open line. */
void out_line(struct out *o, unsigned level);

/** End the open line, if any. */
void out_line_end(struct out *o);

/** Spaces up to a column of the line (excluding its indent), at least two. */
void out_column(struct out *o, unsigned column);

/** Switch the colour if colours are enabled. */
void out_color(struct out *o, enum out_color color);

/**
 * A text of the target. Control characters and bytes that are not UTF-8 become \xNN or \u{NNNN}.
 *
 * @param quote true: in quotes if it is empty or contains characters other than letters, digits and _ . : / + - @ %
 */
void out_name(struct out *o, const char *text, bool quote);

/** A count with its word: "1 rank", "2 ranks". */
void out_count(struct out *o, uint64_t n, const char *word);

/** A fact: its value, "any", or "unavailable". Nothing if it does not apply. */
void out_num(struct out *o, struct mdl_num n);

/** A fact that is known, or "any", with the given prefix and suffix. Otherwise nothing. */
void out_num_within(struct out *o, const char *before, struct mdl_num n, const char *after);

/** The same for a rank: MPI_PROC_NULL and MPI_ROOT by name. */
void out_rank(struct out *o, struct mdl_num n);

#endif /* OUT_TEXT_H */
