/* SPDX-License-Identifier: BSD-3-Clause */
#include "message.h"

#include "../access/grow.h"
#include "../access/quote.h"
#include "../host/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_EVERY_S = 30 };

static bool progress_shown;

void cmd_progress_end(void)
{
	if (!progress_shown)
		return;
	fputs("\r\033[K", stderr);
	progress_shown = false;
}

/* @return number of characters, assuming one column each */
static int put_escaped(FILE *f, const char *text)
{
	char piece[ACC_QUOTE_BYTES];
	int n = 0;

	while (*text) {
		text += acc_quote_next(text, piece);
		fputs(piece, f);
		n += piece[0] == '\\' ? (int)strlen(piece) : 1;
	}
	return n;
}

int cmd_width(const char *text)
{
	char piece[ACC_QUOTE_BYTES];
	int n = 0;

	while (*text) {
		text += acc_quote_next(text, piece);
		n += piece[0] == '\\' ? (int)strlen(piece) : 1;
	}
	return n;
}

void cmd_put(const char *text, int width)
{
	int n = put_escaped(stdout, text);

	if (n < width)
		printf("%*s", width - n, "");
}

static void message_v(const char *format, va_list ap)
{
	char text[4096];

	vsnprintf(text, sizeof(text), format, ap);
	cmd_progress_end();
	fflush(stdout); /* so that the two streams keep their order on a terminal */
	fputs("mpidbg: ", stderr);
	put_escaped(stderr, text);
	fputc('\n', stderr);
}

void cmd_message(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	message_v(format, ap);
	va_end(ap);
}

static double next_line_ms; /* 0: no lines are wanted */

void cmd_progress_lines(bool on)
{
	next_line_ms = on ? host_now_ms() + LINE_EVERY_S * 1e3 : 0;
}

void cmd_progress(bool on, const char *format, ...)
{
	bool line = !on && next_line_ms > 0 && host_now_ms() >= next_line_ms;

	if (!on && !line)
		return;
	va_list ap;
	va_start(ap, format);
	fputs(line ? "mpidbg: " : "\r\033[Kmpidbg: ", stderr);
	vfprintf(stderr, format, ap);
	va_end(ap);
	if (line) {
		fputc('\n', stderr);
		next_line_ms = host_now_ms() + LINE_EVERY_S * 1e3;
	}
	fflush(stderr);
	progress_shown |= on;
}

/* Optimal string alignment distance: insertions, deletions, replacements and swaps of neighbours. */
static size_t distance(const char *a, const char *b)
{
	enum { MAX = 24 };
	size_t na = strlen(a), nb = strlen(b);
	size_t row[3][MAX + 1];

	if (na > MAX || nb > MAX)
		return MAX;
	size_t *before = row[0], *above = row[1], *here = row[2];
	for (size_t j = 0; j <= nb; j++)
		above[j] = j;
	for (size_t i = 1; i <= na; i++) {
		here[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);
			if (above[j] + 1 < best)
				best = above[j] + 1;
			if (here[j - 1] + 1 < best)
				best = here[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			here[j] = best;
		}
		size_t *t = before;
		before = above;
		above = here;
		here = t;
	}
	return above[nb];
}

const char *cmd_nearest(const char *word, const char *const *names)
{
	const char *best = NULL;
	size_t best_distance = 3; /* at most two typing errors, and fewer than half of the word */

	for (; *names; names++) {
		size_t n = strlen(word);
		if (n >= 2 && strncmp(word, *names, n) == 0)
			return *names;
		size_t d = distance(word, *names);
		if (d < best_distance && 2 * d < strlen(*names)) {
			best = *names;
			best_distance = d;
		}
	}
	return best;
}

void cmd_lines_add(struct cmd_lines *lines, const char *format, ...)
{
	va_list ap, again;
	char *text = NULL;

	va_start(ap, format);
	va_copy(again, ap);
	if (ACC_GROW(lines->line, lines->n) && vasprintf(&text, format, ap) >= 0)
		lines->line[lines->n++] = text;
	else
		message_v(format, again);
	va_end(again);
	va_end(ap);
}

void cmd_lines_deinit(struct cmd_lines *lines)
{
	for (size_t i = 0; i < lines->n; i++)
		free(lines->line[i]);
	free(lines->line);
	*lines = (struct cmd_lines){ 0 };
}
