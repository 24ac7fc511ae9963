/* SPDX-License-Identifier: BSD-3-Clause */
#include "text.h"

#include "../access/quote.h"

#include <stdarg.h>

void vd_append(struct vd_text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int n = vsnprintf(t->bytes + t->n, sizeof(t->bytes) - t->n, format, args);
	va_end(args);
	if (n > 0)
		t->n = t->n + (size_t)n < sizeof(t->bytes) ? t->n + (size_t)n : sizeof(t->bytes) - 1;
}

void vd_print(FILE *out, const char *text)
{
	char piece[ACC_QUOTE_BYTES];

	while (*text) {
		text += acc_quote_next(text, piece);
		fputs(piece, out);
	}
}
