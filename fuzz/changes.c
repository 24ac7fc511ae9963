/* SPDX-License-Identifier: BSD-3-Clause */
#include "changes.h"

#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool fuzz_load(struct fuzz_stored *s)
{
	FILE *f = s->data ? NULL : fopen(s->path, "rb");
	long n = -1;

	if (s->data)
		return true;
	if (f && !fseek(f, 0, SEEK_END))
		n = ftell(f);
	if (n > 0) {
		s->n = (size_t)n;
		s->data = malloc(s->n);
		FUZZ_MUST(s->data);
		rewind(f);
		FUZZ_MUST(fread(s->data, 1, s->n, f) == s->n);
	}
	if (f)
		fclose(f);
	return s->data != NULL;
}

uint64_t fuzz_number(const uint8_t *bytes, unsigned n)
{
	uint64_t value = 0;

	while (n--)
		value = value << 8 | bytes[n];
	return value;
}

void fuzz_change(struct fuzz_changes *c, fuzz_word *word_of, const void *ctx, const uint8_t *bytes,
		 bool (*is_kept)(uint64_t addr, uint64_t value))
{
	enum { NUMBER = 4, OTHERS_VALUE = 0xfe, OTHERS_ADDRESS = 0xfd };
	uint8_t *word = word_of(ctx, fuzz_number(bytes, NUMBER), &c->addr), kind = bytes[FUZZ_CHANGE_BYTES - 1];
	uint64_t other_addr, value = fuzz_number(bytes + NUMBER, FUZZ_WORD);

	FUZZ_MUST(c->n < FUZZ_CHANGES_MAX && word);
	if (kind == OTHERS_VALUE || kind == OTHERS_ADDRESS) {
		const uint8_t *other = word_of(ctx, value & UINT32_MAX, &other_addr);

		value = kind == OTHERS_VALUE ? fuzz_number(other, FUZZ_WORD) : other_addr;
	}
	if (is_kept && is_kept(c->addr, value))
		return;
	c->done[c->n].word = word;
	memcpy(c->done[c->n++].before, word, FUZZ_WORD);
	for (unsigned i = 0; i < FUZZ_WORD; i++)
		word[i] = (uint8_t)(value >> 8 * i);
}

void fuzz_undo(struct fuzz_changes *c)
{
	while (c->n) {
		c->n--;
		memcpy(c->done[c->n].word, c->done[c->n].before, FUZZ_WORD);
	}
}
