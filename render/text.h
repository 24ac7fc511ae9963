/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file text.h
 * Text for people: lines with columns, colours, names that cannot harm a terminal.
 */
#ifndef OUT_TEXT_H
#define OUT_TEXT_H

#include "out.h"

/** Colours by what they mean. */
enum out_color { OUT_PLAIN, OUT_SEND, OUT_RECEIVE, OUT_UNEXPECTED, OUT_BOLD, OUT_FAINT };

/** Formatted text, at most 1023 bytes, without line ends. Starts a line if none was started. */
void out_text(struct out *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Start a line @p level steps of two spaces deep; ends the one that is begun. */
void out_line(struct out *o, unsigned level);

/** End the line if one is begun. */
void out_line_end(struct out *o);

/** Spaces up to a column of the line (its indent not counted), two at least. */
void out_column(struct out *o, unsigned column);

/** Switch the colour when colours are wanted. */
void out_color(struct out *o, enum out_color color);

/**
 * A text of the target. Controls and bytes that are no UTF-8 become \xNN or \u{NNNN}.
 *
 * @param quote true: in quotes when it is empty or has anything but letters, digits and _ . : / + - @ %
 */
void out_name(struct out *o, const char *text, bool quote);

/** A count with its word: "1 rank", "2 ranks". */
void out_count(struct out *o, uint64_t n, const char *word);

/** A fact: its value, "any", or "unavailable". Nothing when it does not apply. */
void out_num(struct out *o, struct mdl_num n);

/** A fact that is known, or "any", with the given prefix and suffix. Otherwise nothing. */
void out_num_within(struct out *o, const char *before, struct mdl_num n, const char *after);

/** The same of a rank: MPI_PROC_NULL and MPI_ROOT by name. */
void out_rank(struct out *o, struct mdl_num n);

#endif /* OUT_TEXT_H */
