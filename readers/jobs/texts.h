/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file texts.h
 * The strings that many slots of a table point to, read together. Slots with one address have one text.
 *
 *     rd_texts_init(&t, sp, n_slots);
 *     rd_texts_begin(&t);                 for each lot
 *     rd_texts_want(&t, slot, addr) ...
 *     rd_texts_read(&t);
 *     rd_texts_at(&t, slot)               until the next rd_texts_begin()
 *     rd_texts_deinit(&t);
 */
#ifndef RD_JOBS_TEXTS_H
#define RD_JOBS_TEXTS_H

#include "refs.h"

struct rd_texts {
	struct rd_refs refs;
	uint32_t *offsets; /**< in text, by slot; 0: no sound text */
	size_t n_slots;
	char *text; /**< all of them, each with its NUL; the first is "" */
	size_t n_text, cap_text;

	/* the reference before, for the ones at the same address or inside of its text */
	bool any;
	uint64_t last_addr;
	uint32_t last_offset;
	size_t last_bytes;
};

/** @return ACC_OK or ACC_ENOMEM. rd_texts_deinit() in both cases. */
enum acc_rc rd_texts_init(struct rd_texts *t, struct acc_space *sp, size_t n_slots);

/** Release. Takes an all-zero one. */
void rd_texts_deinit(struct rd_texts *t);

/** Start a lot: no slot has a text. */
void rd_texts_begin(struct rd_texts *t);

/** The slot has the string at the address; 0: none. */
void rd_texts_want(struct rd_texts *t, uint32_t slot, uint64_t addr);

/**
 * Read them. A string that cannot be read, has no end within ACC_STRING_MAX, or is no text (plain_text.h), is "".
 *
 * @return ACC_OK; ACC_ENOMEM; ACC_ELIMIT: more than ACC_TEXT_BYTES_MAX
 */
enum acc_rc rd_texts_read(struct rd_texts *t);

/** The slot has the text of another one: the table repeats its address. */
void rd_texts_copy(struct rd_texts *t, uint32_t slot, uint32_t from);

/** The text of a slot, in t->text; "" for none, or for one that is not sound. */
const char *rd_texts_at(const struct rd_texts *t, uint32_t slot);

#endif /* RD_JOBS_TEXTS_H */
