/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file changes.h
 * A stored piece of a process of which a few words are changed, as an input says: four bytes are the number of a word,
 * eight its value, little-endian. The value is that of another word, whose number are its first four bytes, if its last
 * byte is 0xfe, and the address of that word if it is 0xfd: lists that skip their elements are made so.
 */
#ifndef FUZZ_CHANGES_H
#define FUZZ_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FUZZ_CHANGE_BYTES = 12, FUZZ_CHANGES_MAX = 64, FUZZ_WORD = 8 };

/** More changes than these may agree with each other: their answer is not compared with that of
 * the undamaged memory. */
enum { FUZZ_COMPARED_MAX = 4 };

struct fuzz_stored {
	const char *path;
	uint8_t *data; /**< NULL: not loaded yet; kept until the end */
	size_t n;
};

/** Load it unless it is. @return false: there is no such file */
bool fuzz_load(struct fuzz_stored *s);

struct fuzz_changes {
	struct {
		uint8_t *word, before[FUZZ_WORD];
	} done[FUZZ_CHANGES_MAX];
	unsigned n;
	uint64_t addr; /**< of the last one */
};

/** Little-endian. */
uint64_t fuzz_number(const uint8_t *bytes, unsigned n);

/** A word of a stored process by its number, modulo their number. @param[out] addr in the process */
typedef uint8_t *fuzz_word(const void *ctx, uint64_t number, uint64_t *addr);

/**
 * Make a change.
 *
 * @param bytes FUZZ_CHANGE_BYTES of the input
 * @param is_kept not NULL: should the word at @p addr remain as it is, and not become @p value?
 */
void fuzz_change(struct fuzz_changes *c, fuzz_word *word_of, const void *ctx, const uint8_t *bytes,
		 bool (*is_kept)(uint64_t addr, uint64_t value));

/** As they were. */
void fuzz_undo(struct fuzz_changes *c);

#endif /* FUZZ_CHANGES_H */
