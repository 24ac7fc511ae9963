/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file fact.h
 * One fact, in either format: a member in JSON; in text a line of its own, "key   value", below a heading.
 *
 * A fact that does not apply is omitted. Keys are literals, as in json.h; in text their underscores become spaces.
 */
#ifndef OUT_FACT_H
#define OUT_FACT_H

#include "out.h"

void out_fact_num(struct out *o, const char *key, struct mdl_num n);

/** A rank: in text MPI_PROC_NULL and MPI_ROOT by name. */
void out_fact_rank(struct out *o, const char *key, struct mdl_num n);
void out_fact_addr(struct out *o, const char *key, struct mdl_num n);
void out_fact_bool(struct out *o, const char *key, bool value);

/** Text of the target; NULL: left out. */
void out_fact_string(struct out *o, const char *key, const char *text);

/** A literal text. */
void out_fact_word(struct out *o, const char *key, const char *word);

/** A handle with the name that belongs to it: in JSON KEY and KEY_name. @param name "" or NULL: none */
void out_fact_handle(struct out *o, const char *key, struct mdl_num handle, const char *name);

/**
 * A list: "[1,2, 5 more]". Text shows the first 64.
 *
 * All lists of an answer together have at most OUT_ITEMS_MAX items, so that it comes to an end also when a damaged
 * target has many records that each say they are long: out_fact_room() of a list may be written, and the rest is left
 * to out_fact_left(), which text counts with those that it does not show, and JSON as KEY_more.
 */
enum { OUT_ITEMS_MAX = 1 << 24 };
struct out_fact_list {
	uint64_t n, n_hidden;
};
void out_fact_list(struct out *o, const char *key, struct out_fact_list *list);

/** How many of @p n items there is room for; they count from now on. */
uint64_t out_fact_room(struct out *o, uint64_t n);
void out_fact_item(struct out *o, struct out_fact_list *list, int64_t value);

/** An item that is not a number: a literal text, only in text output. */
void out_fact_item_word(struct out *o, struct out_fact_list *list, const char *word);

/** There are @p n more. */
void out_fact_left(struct out_fact_list *list, uint64_t n);

/** @param n_missing that are not recorded: in JSON KEY_missing, when it is not 0 */
void out_fact_list_end(struct out *o, const char *key, struct out_fact_list *list, uint64_t n_missing);

/** Start the line of a fact in text, up to its value. */
void out_fact_label(struct out *o, const char *key);

#endif /* OUT_FACT_H */
