/* SPDX-License-Identifier: BSD-3-Clause */
#include "text.h"

#include "../access/quote.h"

#include "../model/handle.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { STEP = 2, INDENT_MAX = 64 };

static void spaces(struct out *o, unsigned n)
{
	static const char blank[] = "                                                                ";

	o->column += n;
	while (n) {
		unsigned part = n < sizeof(blank) - 1 ? n : (unsigned)sizeof(blank) - 1;

		out_bytes(o, blank, part);
		n -= part;
	}
}

void out_line_end(struct out *o)
{
	if (o->in_line)
		out_bytes(o, "\n", 1);
	o->in_line = false;
	o->column = 0;
}

void out_line(struct out *o, unsigned level)
{
	out_line_end(o);
	spaces(o, (o->indent < INDENT_MAX ? o->indent : INDENT_MAX) + STEP * level);
	o->in_line = true;
}

static void need_line(struct out *o)
{
	if (!o->in_line)
		out_line(o, 0);
}

/* Literal text is quoted as well: it may contain text from the target, which must not reach a terminal unquoted. */
static void put_quoted(struct out *o, const char *text, bool in_quotes)
{
	char piece[ACC_QUOTE_BYTES];

	need_line(o);
	while (*text) {
		size_t plain = 0;

		while (text[plain] >= 0x20 && text[plain] < 0x7f &&
		       !(in_quotes && (text[plain] == '"' || text[plain] == '\\')))
			plain++;
		out_bytes(o, text, plain);
		o->column += (unsigned)plain;
		text += plain;
		if (!*text)
			break;
		if (*text == '"' || *text == '\\') {
			snprintf(piece, sizeof(piece), "\\%c", *text++);
			o->column += 2;
		} else {
			text += acc_quote_next(text, piece);
			o->column += piece[0] == '\\' ? (unsigned)strlen(piece) : 1;
		}
		out_bytes(o, piece, strlen(piece));
	}
}

void out_text(struct out *o, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	int n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (n > 0)
		put_quoted(o, text, false);
}

void out_column(struct out *o, unsigned column)
{
	need_line(o);
	column += o->indent < INDENT_MAX ? o->indent : INDENT_MAX;
	spaces(o, column >= o->column + 2 ? column - o->column : 2);
}

void out_color(struct out *o, enum out_color color)
{
	static const char *const codes[] = {
		[OUT_PLAIN] = "\033[0m",       [OUT_SEND] = "\033[32m", [OUT_RECEIVE] = "\033[34m",
		[OUT_UNEXPECTED] = "\033[31m", [OUT_BOLD] = "\033[1m",  [OUT_FAINT] = "\033[2m",
	};

	if (o->color)
		out_bytes(o, codes[color], strlen(codes[color]));
}

static bool plain(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("_.:/+-@%", c);
}

static bool is_plain(const char *text)
{
	if (!*text)
		return false;
	for (; *text; text++) {
		if (!plain((unsigned char)*text))
			return false;
	}
	return true;
}

void out_name(struct out *o, const char *text, bool quote)
{
	quote = quote && !is_plain(text);
	if (quote)
		out_text(o, "\"");
	put_quoted(o, text, quote);
	if (quote)
		out_text(o, "\"");
}

void out_count(struct out *o, uint64_t n, const char *word)
{
	out_text(o, "%" PRIu64 " %s%s", n, word, n == 1 ? "" : "s");
}

void out_num(struct out *o, struct mdl_num n)
{
	if (n.known == MDL_KNOWN)
		out_text(o, "%" PRId64, n.value);
	else if (n.known == MDL_ANY)
		out_text(o, "any");
	else if (n.known == MDL_UNAVAILABLE)
		out_text(o, "unavailable");
}

void out_num_within(struct out *o, const char *before, struct mdl_num n, const char *after)
{
	if (n.known != MDL_KNOWN && n.known != MDL_ANY)
		return;
	out_text(o, "%s", before);
	out_num(o, n);
	out_text(o, "%s", after);
}

void out_rank(struct out *o, struct mdl_num n)
{
	if (n.known == MDL_KNOWN && n.value == MDL_PROC_NULL)
		out_text(o, "MPI_PROC_NULL");
	else if (n.known == MDL_KNOWN && n.value == MDL_ROOT)
		out_text(o, "MPI_ROOT");
	else
		out_num(o, n);
}
