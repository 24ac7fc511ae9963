/* SPDX-License-Identifier: BSD-3-Clause */
#include "text.h"

#include "../access/quote.h"

#include <stdarg.h>
#include <string.h>

static void put(struct vd_text *t, const char *text, size_t n)
{
	size_t room = sizeof(t->bytes) - 1 - t->n;

	n = n < room ? n : room;
	memcpy(t->bytes + t->n, text, n);
	t->n += n;
	t->bytes[t->n] = '\0';
}

void vd_append(struct vd_text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	/* what most formats consist of needs no printf, which takes ten times as long */
	for (size_t n = strcspn(format, "%"); !format[n] || format[n + 1] == 's'; n = strcspn(format, "%")) {
		put(t, format, n);
		if (!format[n]) {
			va_end(args);
			return;
		}
		const char *text = va_arg(args, const char *);
		put(t, text ? text : "(null)", strlen(text ? text : "(null)"));
		format += n + 2;
	}
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
