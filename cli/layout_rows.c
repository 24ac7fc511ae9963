/* SPDX-License-Identifier: BSD-3-Clause */
#include "../access/grow.h"
#include "../host/layout_types.h"
#include "layout.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>

/* A name as C and the pack format allow it. */
static bool is_word(const char *s)
{
	return *s && !s[strcspn(s, " \t\r")];
}

/* Terminate the first word. @return the rest of the line; "": none. */
static char *after_word(char *s)
{
	char *space = strchr(s, ' ');
	if (!space)
		return s + strlen(s);
	*space = '\0';
	return space + 1;
}

static bool add_row(struct layout_rows *rows, struct layout_row row)
{
	if (!ACC_GROW(rows->rows, rows->n))
		return false;
	rows->rows[rows->n++] = row;
	return true;
}

/* @return a text that describes the error, or NULL. */
static const char *parse_row(char *line, struct layout_row *row)
{
	static const char *const heads[] = { "implementation ", "version ", "system ", "made-by " };
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		if (!strncmp(line, heads[i], strlen(heads[i]))) {
			row->kind = LAYOUT_HEAD;
			row->name = line;
			return NULL;
		}
	if (!strncmp(line, "witness ", 8)) {
		row->kind = LAYOUT_WITNESS;
		row->name = line;
		return NULL;
	}
	char *rest = after_word(line);
	row->name = rest;
	row->optional = !strncmp(line, "optional-", 9);
	line += row->optional ? 9 : 0;
	if (row->optional && strcmp(line, "type") && strcmp(line, "field"))
		return "is no row";
	if (!strcmp(line, "type") || !strcmp(line, "no-type")) {
		row->kind = *line == 't' ? LAYOUT_TYPE : LAYOUT_NO_TYPE;
		return is_word(rest) ? NULL : "needs one name";
	}
	if (!strcmp(line, "field"))
		row->kind = LAYOUT_FIELD;
	else if (!strcmp(line, "no-field"))
		row->kind = LAYOUT_NO_FIELD;
	else if (!strcmp(line, "other-field"))
		row->kind = LAYOUT_OTHER_FIELD;
	else if (!strcmp(line, "class"))
		row->kind = LAYOUT_CLASS;
	else
		return "is no row";
	row->second = after_word(rest);
	if (row->optional && strchr(row->second, ' ')) {
		char *end, *bytes = after_word(row->second);
		row->bytes = strtoul(bytes, &end, 10);
		if (*end || !row->bytes || *bytes < '0' || *bytes > '9')
			return "has a size that is none";
	}
	return is_word(row->name) && is_word(row->second) ? NULL : "needs two names";
}

bool layout_rows_add(struct layout_rows *rows, const char *path)
{
	struct host_error err;
	char *text, *name = strdup(path);
	size_t n;
	char **texts = realloc(rows->texts, (rows->n_texts + 2) * sizeof(*texts));
	if (texts)
		rows->texts = texts;
	if (!texts || !name) {
		free(name);
		cmd_message("layout: %s: out of memory", path);
		return false;
	}
	rows->texts[rows->n_texts++] = name;
	if (host_read_text(path, &text, &n, &err)) {
		cmd_message("layout: %s", err.text);
		return false;
	}
	rows->texts[rows->n_texts++] = text;
	if (strlen(text) != n) {
		cmd_message("layout: %s: is not a text file", path);
		return false;
	}

	unsigned number = 0;
	for (char *line = text, *next; line; line = next) {
		number++;
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!*line || *line == '#')
			continue;
		struct layout_row row = { .file = name, .line = number };
		const char *wrong = parse_row(line, &row);
		if (wrong || !add_row(rows, row)) {
			cmd_message("layout: %s: line %u: \"%s\" %s", path, number, line,
				    wrong ? wrong : "does not fit");
			return false;
		}
	}
	return true;
}

void layout_rows_deinit(struct layout_rows *rows)
{
	for (size_t i = 0; i < rows->n_texts; i++)
		free(rows->texts[i]);
	free(rows->texts);
	free(rows->rows);
	memset(rows, 0, sizeof(*rows));
}
