/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file fact.h
 * Writes one fact: in JSON a member; in text a line "key   value" below a heading.
 *
 * Facts that do not apply are omitted. Keys are literals, as in json.h; in text their underscores become spaces.
 */
#ifndef OUT_FACT_H
#define OUT_FACT_H

#include "out.h"

void out_fact_num(struct out *o, const char *key, struct mdl_num n);

/** A rank: in text MPI_PROC_NULL and MPI_ROOT by name. */
void out_fact_rank(struct out *o, const char *key, struct mdl_num n);
void out_fact_addr(struct out *o, const char *key, struct mdl_num n);
void out_fact_bool(struct out *o, const char *key, bool value);

/** Text of the target; NULL: omitted. */
void out_fact_string(struct out *o, const char *key, const char *text);

/** A literal text. */
void out_fact_word(struct out *o, const char *key, const char *word);

/** A handle with the name that belongs to it: in JSON KEY and KEY_name. @param name "" or NULL: none */
void out_fact_handle(struct out *o, const char *key, struct mdl_num handle, const char *name);

/**
 * A list: "[1,2, 5 more]". Text shows the first 64.
 *
 * All lists of an answer together have at most OUT_ITEMS_MAX items, so that the answer is bounded even if a
 * damaged target has many records with long lists: of each list out_fact_room() items are written, and
 * out_fact_left() reports the number of the others (in JSON KEY_more).
 */
enum { OUT_ITEMS_MAX = 1 << 24 };
struct out_fact_list {
	uint64_t n, n_hidden;
};
void out_fact_list(struct out *o, const char *key, struct out_fact_list *list);

/** Reserve space for @p n items. @return how many of them may be written */
uint64_t out_fact_room(struct out *o, uint64_t n);
void out_fact_item(struct out *o, struct out_fact_list *list, int64_t value);

/** An item that is not a number: a literal text, only in text output. */
void out_fact_item_word(struct out *o, struct out_fact_list *list, const char *word);

/** Report @p n omitted items. */
void out_fact_left(struct out_fact_list *list, uint64_t n);

/** End of the list. @param n_missing number of items not recorded; in JSON KEY_missing, unless 0 */
void out_fact_list_end(struct out *o, const char *key, struct out_fact_list *list, uint64_t n_missing);

/** Start the line of a fact in text, up to its value. */
void out_fact_label(struct out *o, const char *key);

#endif /* OUT_FACT_H */
