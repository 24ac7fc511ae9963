/* SPDX-License-Identifier: BSD-3-Clause */
#include "json.h"

#include "../access/quote.h"

#include <stdint.h>
#include <string.h>

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
		else if (c <= 0xffff)
			cmd_spool_printf(out, "\\u%04x", (unsigned)c);
		else
			cmd_spool_printf(out, "\\u%04x\\u%04x", 0xd800u + ((unsigned)c - 0x10000u) / 0x400u,
					 0xdc00u + ((unsigned)c - 0x10000u) % 0x400u);
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
