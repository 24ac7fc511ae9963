/* SPDX-License-Identifier: BSD-3-Clause */
#include "json.h"

#include "../access/quote.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ESCAPE_BYTES = 16 };

/* As a JSON text has a character above U+FFFF: in two halves. */
static void escape(uint32_t c, char ret[ESCAPE_BYTES])
{
	if (c <= 0xffff)
		snprintf(ret, ESCAPE_BYTES, "\\u%04x", (unsigned)c);
	else
		snprintf(ret, ESCAPE_BYTES, "\\u%04x\\u%04x", 0xd800u + ((unsigned)c - 0x10000u) / 0x400u,
			 0xdc00u + ((unsigned)c - 0x10000u) % 0x400u);
}

void cmd_json_string(struct cmd_spool *out, const char *text)
{
	if (!text) {
		cmd_spool_puts(out, "null");
		return;
	}
	cmd_spool_puts(out, "\"");
	while (*text) {
		uint32_t c;
		unsigned n = acc_utf8_next(text, &c);

		if (!n)
			cmd_spool_puts(out, "\\ufffd");
		else if (c == '"' || c == '\\')
			cmd_spool_printf(out, "\\%c", (int)c);
		else if (acc_utf8_shown(c))
			cmd_spool_add(out, text, n);
		else {
			char escaped[ESCAPE_BYTES];

			escape(c, escaped);
			cmd_spool_puts(out, escaped);
		}
		text += n ? n : 1;
	}
	cmd_spool_puts(out, "\"");
}

void cmd_json_name(struct cmd_spool *out, bool *first, const char *name)
{
	if (!*first)
		cmd_spool_puts(out, ", ");
	*first = false;
	cmd_json_string(out, name);
	cmd_spool_puts(out, ": ");
}

void cmd_json_member(struct cmd_spool *out, bool *first, const char *name, const char *text)
{
	cmd_json_name(out, first, name);
	cmd_json_string(out, text);
}

void cmd_json_number(struct cmd_spool *out, bool *first, const char *name, long long number)
{
	cmd_json_name(out, first, name);
	cmd_spool_printf(out, "%lld", number);
}

void cmd_json_lines(struct cmd_spool *out, bool *first, const char *name, char *const *line, size_t n)
{
	cmd_json_name(out, first, name);
	cmd_spool_puts(out, "[");
	for (size_t i = 0; i < n; i++) {
		if (i)
			cmd_spool_puts(out, ", ");
		cmd_json_string(out, line[i]);
	}
	cmd_spool_puts(out, "]");
}

/* ---- values of jansson ----------------------------------------------------------------------------------- */

/* Whole characters: jansson passes the parts of a text between those that it escapes. The line feeds are its own. */
static int put_escaped(const char *buffer, size_t n, void *data)
{
	FILE *out = data;
	char character[5] = "", escaped[ESCAPE_BYTES];
	size_t start = 0;

	for (size_t i = 0, length = 1; i < n; i += length) {
		uint32_t c;

		length = 1;
		if ((unsigned char)buffer[i] < 0x7f)
			continue;
		memcpy(character, buffer + i, n - i < 4 ? n - i : 4);
		character[n - i < 4 ? n - i : 4] = '\0';
		length = acc_utf8_next(character, &c);
		if (!length)
			length = 1;
		if (acc_utf8_shown(c))
			continue;
		escape(c, escaped);
		if (fwrite(buffer + start, 1, i - start, out) != i - start || fputs(escaped, out) == EOF)
			return -1;
		start = i + length;
	}
	return fwrite(buffer + start, 1, n - start, out) == n - start ? 0 : -1;
}

bool cmd_json_dump(const json_t *value, FILE *out, size_t flags)
{
	return json_dump_callback(value, put_escaped, out, flags) == 0;
}

char *cmd_json_text(const json_t *value, size_t flags)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	bool ok = f && cmd_json_dump(value, f, flags);

	if (f)
		ok = fclose(f) == 0 && ok;
	if (ok)
		return text;
	free(text);
	return NULL;
}
