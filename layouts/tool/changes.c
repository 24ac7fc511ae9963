/* SPDX-License-Identifier: BSD-3-Clause */
#include "changes.h"

#include <stdlib.h>
#include <string.h>

static const char first_line[] = "mpidbg-layout-changes 1";
static const char legend[] = "# A line replaces the line of the base about the same thing, or is added; \"- \" removes "
			     "one (layouts/tool/changes.h).";

/* A line of a text that lives longer. */
struct line {
	const char *text;
	size_t n;
	bool is_new; /* from the changes, not from the base */
};

/* Lines in order, in one allocation. */
struct lines {
	struct line *at;
	size_t n;
};

/* ---- lines ----------------------------------------------------------------------------------------- */

size_t pk_count_lines(const char *text)
{
	size_t n = 0;

	for (const char *c = text; *c; c += strcspn(c, "\n"), c += *c == '\n')
		n++;
	return n;
}

/* The lines of a text, with space for `more`. */
static struct lines split(const char *text, size_t more)
{
	struct lines lines = { .at = calloc(pk_count_lines(text) + more + 1, sizeof(*lines.at)) };

	if (!lines.at)
		abort();
	for (const char *c = text; *c; c += *c == '\n') {
		size_t n = strcspn(c, "\n");

		lines.at[lines.n++] = (struct line){ .text = c, .n = n };
		c += n;
	}
	return lines;
}

static bool starts_with(struct line line, const char *word)
{
	size_t n = strlen(word);

	return line.n >= n && !memcmp(line.text, word, n);
}

/* Length of the first words of a line, or of all. */
static size_t words(struct line line, unsigned n_words)
{
	size_t n = 0;

	for (; n < line.n; n++)
		if (line.text[n] == ' ' && !--n_words)
			break;
	return n;
}

/* The part of a line that says what it is about. */
static struct line subject_of(struct line line)
{
	unsigned n = 1;

	if (starts_with(line, "type "))
		n = 2;
	else if (starts_with(line, "witness uint "))
		n = 4;
	else if (starts_with(line, "field ") || starts_with(line, "witness "))
		n = 3;
	return (struct line){ .text = line.text, .n = words(line, n) };
}

static bool same(struct line a, struct line b)
{
	return a.n == b.n && !memcmp(a.text, b.text, a.n);
}

/* The order of lines: the head, types, fields, witnesses, each of the latter by its text. */
static int compare_lines(struct line a, struct line b)
{
	static const char *const kinds[] = { "type ", "field ", "witness " };
	int kind_a = 0, kind_b = 0;

	for (int i = 0; i < 3; i++) {
		kind_a = starts_with(a, kinds[i]) ? i + 1 : kind_a;
		kind_b = starts_with(b, kinds[i]) ? i + 1 : kind_b;
	}
	if (kind_a != kind_b || !kind_a)
		return kind_a - kind_b;

	int order = memcmp(a.text, b.text, a.n < b.n ? a.n : b.n);
	return order ? order : (a.n > b.n) - (a.n < b.n);
}

/* The line about a subject, or n. */
static size_t find_subject(const struct lines *lines, struct line subject)
{
	size_t i = 0;

	while (i < lines->n && !same(subject_of(lines->at[i]), subject))
		i++;
	return i;
}

static char *join(const struct lines *lines, const char *head)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	if (!out)
		abort();
	fputs(head, out);
	for (size_t i = 0; i < lines->n; i++)
		fprintf(out, "%.*s\n", (int)lines->at[i].n, lines->at[i].text);
	if (fclose(out))
		abort();
	return text;
}

/* ---- changes --------------------------------------------------------------------------------------- */

char *pk_changes_base(const char *changes)
{
	struct lines lines = split(changes, 0);
	char *base = NULL;

	for (size_t i = 0; i < lines.n && !base; i++)
		if (starts_with(lines.at[i], "base "))
			base = strndup(lines.at[i].text + 5, lines.at[i].n - 5);
	free(lines.at);
	return base;
}

/* Apply one line; returns why it cannot be. */
static const char *apply_line(struct lines *pack, struct line line)
{
	bool is_removal = starts_with(line, "- ");
	struct line subject = is_removal ? (struct line){ .text = line.text + 2, .n = line.n - 2 } : subject_of(line);
	size_t i = find_subject(pack, subject);
	bool is_found = i < pack->n;

	if (is_found && pack->at[i].is_new)
		return "a second line about the same";
	if (is_removal) {
		if (!is_found)
			return "the base has no such line";
		memmove(&pack->at[i], &pack->at[i + 1], (--pack->n - i) * sizeof(*pack->at));
		return NULL;
	}
	if (is_found && same(pack->at[i], line))
		return "the base has the same line";
	if (!is_found) {
		for (i = 0; i < pack->n && compare_lines(pack->at[i], line) <= 0;)
			i++;
		memmove(&pack->at[i + 1], &pack->at[i], (pack->n++ - i) * sizeof(*pack->at));
	}
	pack->at[i] = line;
	pack->at[i].is_new = true;
	return NULL;
}

char *pk_changes_apply(const char *base, const char *changes, char *why, size_t size)
{
	struct lines todo = split(changes, 0), pack = split(base, todo.n);
	const struct line first = { .text = first_line, .n = sizeof(first_line) - 1 };
	const char *wrong = NULL;
	bool is_headed = false, is_based = false;
	size_t i = 0;

	for (; i < todo.n && !wrong; i++) {
		struct line line = todo.at[i];

		if (!line.n || *line.text == '#')
			continue;
		if (!is_headed)
			wrong = same(line, first) ? NULL : "expected: mpidbg-layout-changes 1";
		else if (starts_with(line, "base "))
			wrong = is_based ? "a second base" : NULL;
		else
			wrong = apply_line(&pack, line);
		is_based |= is_headed && starts_with(line, "base ");
		is_headed = true;
	}

	char *text = NULL;
	if (wrong)
		snprintf(why, size, "line %zu: %s: %.*s", i, wrong, (int)todo.at[i - 1].n, todo.at[i - 1].text);
	else if (!is_based)
		snprintf(why, size, "it names no base");
	else
		text = join(&pack, "");
	free(todo.at);
	free(pack.at);
	return text;
}

char *pk_changes_between(const char *base_name, const char *base, const char *pack)
{
	struct lines from = split(base, 0), to = split(pack, 0);
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	if (!out)
		abort();
	fprintf(out, "%s\n%s\nbase %s\n", first_line, legend, base_name);
	/* Both in the order of lines, so that what goes and what comes stand together. */
	for (size_t i = 0, j = 0; i < from.n || j < to.n;) {
		if (j == to.n || (i < from.n && compare_lines(from.at[i], to.at[j]) < 0)) {
			struct line subject = subject_of(from.at[i++]);

			if (find_subject(&to, subject) == to.n)
				fprintf(out, "- %.*s\n", (int)subject.n, subject.text);
			continue;
		}

		struct line line = to.at[j++];
		size_t k = find_subject(&from, subject_of(line));
		if (k == from.n || !same(from.at[k], line))
			fprintf(out, "%.*s\n", (int)line.n, line.text);
	}
	free(from.at);
	free(to.at);
	if (fclose(out))
		abort();
	return text;
}
