/* SPDX-License-Identifier: BSD-3-Clause */
#include "json.h"

#include <stdint.h>
#include <string.h>

/* Bytes of the well-formed UTF-8 sequence at @p s, 0: none (overlong, a surrogate, too high, cut off). */
static size_t utf8_bytes(const unsigned char *s)
{
	if (s[0] < 0x80)
		return 1;
	size_t n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	uint32_t c = s[0] & (0xffu >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if ((n == 3 && c < 0x800) || (n == 4 && (c < 0x10000 || c > 0x10ffff)) || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	return n;
}

void cmd_json_string(struct cmd_spool *out, const char *text)
{
	if (!text) {
		cmd_spool_puts(out, "null");
		return;
	}
	cmd_spool_puts(out, "\"");
	for (const unsigned char *s = (const unsigned char *)text; *s;) {
		size_t n = utf8_bytes(s);
		if (n == 0) {
			cmd_spool_puts(out, "\\ufffd");
			n = 1;
		} else if (*s == '"' || *s == '\\') {
			cmd_spool_printf(out, "\\%c", *s);
		} else if (*s < 0x20 || *s == 0x7f) {
			cmd_spool_printf(out, "\\u%04x", *s);
		} else {
			cmd_spool_add(out, (const char *)s, n);
		}
		s += n;
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
