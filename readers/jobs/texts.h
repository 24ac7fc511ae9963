/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file texts.h
 * Reads the strings that many slots of a table point to together. Slots with the same address share one text.
 *
 *    rd_texts_init(&t, sp, n_slots);
 *    rd_texts_begin(&t);                 for each batch
 *    rd_texts_want(&t, slot, addr) ...
 *    rd_texts_read(&t);
 *    rd_texts_at(&t, slot)               until the next rd_texts_begin()
 *    rd_texts_deinit(&t);
 */
#ifndef RD_JOBS_TEXTS_H
#define RD_JOBS_TEXTS_H

#include "refs.h"

struct rd_texts {
	struct rd_refs refs;
	uint32_t *offsets; /**< offset in text, by slot; 0: no valid text */
	size_t n_slots;
	char *text; /**< all texts, each with its NUL; the first is "" */
	size_t n_text, cap_text;

	/* the previous reference, for others at the same address or inside its text */
	bool any;
	uint64_t last_addr;
	uint32_t last_offset;
	size_t last_bytes;
};

/** @return ACC_OK or ACC_ENOMEM. Call rd_texts_deinit() in both cases. */
enum acc_rc rd_texts_init(struct rd_texts *t, struct acc_space *sp, size_t n_slots);

/** Release. Takes an all-zero one. */
void rd_texts_deinit(struct rd_texts *t);

/** Begin a batch: no slot has a text. */
void rd_texts_begin(struct rd_texts *t);

/** Request the string at this address for a slot; 0: none. */
void rd_texts_want(struct rd_texts *t, uint32_t slot, uint64_t addr);

/**
 * Read the requested strings. A string that is unreadable, not terminated within ACC_STRING_MAX, or not text
 * (plain_text.h) becomes "".
 *
 * @return ACC_OK; ACC_ENOMEM; ACC_ELIMIT: more than ACC_TEXT_BYTES_MAX
 */
enum acc_rc rd_texts_read(struct rd_texts *t);

/** Give a slot the text of another one, because the table repeats the address. */
void rd_texts_copy(struct rd_texts *t, uint32_t slot, uint32_t from);

/** The text of a slot, pointing into t->text; "": none, or invalid. */
const char *rd_texts_at(const struct rd_texts *t, uint32_t slot);

#endif /* RD_JOBS_TEXTS_H */
