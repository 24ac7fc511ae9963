/* SPDX-License-Identifier: BSD-3-Clause */
#include "array.h"

#include "../mqs/callbacks.h"

#include <stdint.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* Relocate the entries' string pointers after the text buffer has moved. */
static void move_strings(const struct mpidbg_array *a, char *entries, const char *from, const char *to)
{
	for (size_t i = 0; i < a->n_filled; i++) {
		for (size_t s = 0; s < a->n_strings; s++) {
			char *at = entries + i * a->entry_bytes + a->strings[s];
			const char *string;

			memcpy(&string, at, sizeof(string));
			if (!string)
				continue;
			string = to + (string - from);
			memcpy(at, &string, sizeof(string));
		}
	}
}

/* Estimate the size from the entries so far, plus an eighth. @return false: overflow */
static bool guess(const struct mpidbg_array *a, size_t n, size_t n_text, size_t *ret)
{
	size_t left = a->n - a->n_filled - n, each = n_text / n + 1, more;

	if (__builtin_mul_overflow(left, each + each / 8, &more))
		return false;
	return !__builtin_add_overflow(a->n_text + n_text, more, ret);
}

/* Reserve space for @p n more entries and their text. */
static bool reserve(struct mpidbg_array *a, size_t n, size_t n_text)
{
	size_t entries_bytes, cap_text, bytes;

	if (a->bytes && n_text <= a->cap_text - a->n_text)
		return true;
	if (__builtin_mul_overflow(a->n, a->entry_bytes, &entries_bytes) || !guess(a, n, n_text, &cap_text) ||
	    __builtin_add_overflow(entries_bytes, cap_text, &bytes))
		return false;

	char *more = mqs_callbacks_alloc(bytes);
	if (!more)
		return false;
	if (a->bytes) {
		memcpy(more, a->bytes, a->n_filled * a->entry_bytes);
		memcpy(more + entries_bytes, a->bytes + entries_bytes, a->n_text);
		move_strings(a, more, a->bytes + entries_bytes, more + entries_bytes);
	}
	mqs_callbacks_release(a->bytes);
	a->bytes = more;
	a->cap_text = cap_text;
	return true;
}

void *mpidbg_array_add(struct mpidbg_array *a, size_t n, const char *text, size_t n_text, const char **text_ret)
{
	if (!n || n > a->n - a->n_filled || !reserve(a, n, n_text))
		return NULL;

	char *entries = a->bytes + a->n_filled * a->entry_bytes, *at = a->bytes + a->n * a->entry_bytes + a->n_text;
	memcpy(at, text, n_text);
	*text_ret = at;
	a->n_filled += n;
	a->n_text += n_text;
	return entries;
}

void mpidbg_array_free(struct mpidbg_array *a)
{
	mqs_callbacks_release(a->bytes);
	a->bytes = NULL;
	a->n_filled = a->n_text = a->cap_text = 0;
}
