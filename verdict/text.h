/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file text.h
 * Text of limited length.
 */
#ifndef VD_TEXT_H
#define VD_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { VD_TEXT_BYTES = 512 };

/** A text buffer that is truncated at its end. Start with all zero. */
struct vd_text {
	char bytes[VD_TEXT_BYTES];
	size_t n;
};

void vd_append(struct vd_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Two unknown texts, NULL, are the same. */
static inline bool vd_same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/** Write a text that may contain bytes of the target, quoted
 * (access/quote.h) so that they cannot control a terminal. */
void vd_print(FILE *out, const char *text);

#endif /* VD_TEXT_H */
