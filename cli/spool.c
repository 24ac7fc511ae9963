/* SPDX-License-Identifier: BSD-3-Clause */
#include "spool.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static bool add_to_file(struct cmd_spool *s, const char *text, size_t n)
{
	if (!s->rest)
		s->rest = tmpfile();
	if (!s->rest || fwrite(text, 1, n, s->rest) != n)
		s->failed = true;
	return !s->failed;
}

bool cmd_spool_add(struct cmd_spool *s, const char *text, size_t n)
{
	if (s->failed)
		return false;
	if (s->rest || s->n + n > CMD_SPOOL_BYTES)
		return add_to_file(s, text, n);
	if (s->n + n + 1 > s->room) {
		size_t room = s->room ? 2 * s->room : 8192;
		while (room < s->n + n + 1)
			room *= 2;
		char *grown = realloc(s->text, room);
		if (!grown) {
			s->failed = true;
			return false;
		}
		s->text = grown;
		s->room = room;
	}
	memcpy(s->text + s->n, text, n);
	s->n += n;
	s->text[s->n] = '\0';
	return true;
}

bool cmd_spool_puts(struct cmd_spool *s, const char *text)
{
	return cmd_spool_add(s, text, strlen(text));
}

bool cmd_spool_printf(struct cmd_spool *s, const char *format, ...)
{
	char text[8192];
	va_list ap;

	va_start(ap, format);
	int n = vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(text)) {
		s->failed = true;
		return false;
	}
	return cmd_spool_add(s, text, (size_t)n);
}

int cmd_spool_write(void *spool, const char *text, size_t n)
{
	return !cmd_spool_add(spool, text, n);
}

bool cmd_spool_copy(struct cmd_spool *s, size_t from, FILE *out)
{
	char piece[65536];
	size_t n;

	if (s->n > from)
		fwrite(s->text + from, 1, s->n - from, out);
	if (!s->rest)
		return true;
	if (fflush(s->rest) != 0)
		return false;
	rewind(s->rest);
	while ((n = fread(piece, 1, sizeof(piece), s->rest)) > 0)
		fwrite(piece, 1, n, out);
	return !ferror(s->rest);
}

int64_t cmd_spool_size(struct cmd_spool *s)
{
	if (!s->rest)
		return (int64_t)s->n;
	if (fflush(s->rest) != 0 || fseeko(s->rest, 0, SEEK_END) != 0)
		return -1;
	off_t rest = ftello(s->rest);
	return rest < 0 ? -1 : (int64_t)s->n + rest;
}

void cmd_spool_deinit(struct cmd_spool *s)
{
	free(s->text);
	if (s->rest)
		fclose(s->rest);
	*s = (struct cmd_spool){ 0 };
}
