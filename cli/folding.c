/* SPDX-License-Identifier: BSD-3-Clause */
#include "folding.h"

#include "ranks.h"

#include <stdlib.h>
#include <string.h>

enum {
	FOLDED_MIN = 3,
	INDENT = 4 /* of an operation */
};

/* A line, and the position of the peer in it. */
struct line {
	const char *text;
	size_t n;            /* without the newline */
	size_t peer, behind; /* offsets of the peer's rank and of the next column; 0: not an operation */
	int64_t rank;
};

static struct line line_at(const char *text, const char *end)
{
	const char *newline = memchr(text, '\n', (size_t)(end - text));
	struct line l = { .text = text, .n = (size_t)((newline ? newline : end) - text) };
	static const char *const words[] = { " from ", " to " };

	if (l.n <= INDENT || strncmp(text, "    ", INDENT) != 0 || text[INDENT] == ' ')
		return l;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *at = memmem(text, l.n, words[i], strlen(words[i]));
		char *digits_end;
		if (!at)
			continue;
		at += strlen(words[i]);
		long long rank = *at >= '0' && *at <= '9' ? strtoll(at, &digits_end, 10) : -1;
		if (rank < 0 || rank > CMD_RANK_MAX || digits_end[0] != ' ' || digits_end[1] != ' ')
			return l;
		l.peer = (size_t)(at - text);
		l.behind = (size_t)(digits_end - text) + strspn(digits_end, " ");
		l.rank = rank;
		return l;
	}
	return l;
}

static bool is_alike(const struct line *a, const struct line *b)
{
	return a->peer && a->peer == b->peer && a->n - a->behind == b->n - b->behind &&
	       memcmp(a->text, b->text, a->peer) == 0 &&
	       memcmp(a->text + a->behind, b->text + b->behind, a->n - a->behind) == 0;
}

/* @param n number of consecutive lines that are alike. @return false: out of memory */
static bool print_folded(const struct line *first, const char *end, size_t n, FILE *out)
{
	struct cmd_ranks ranks = { NULL };
	struct line l = *first;
	bool ok = true;

	for (size_t i = 0; ok && i < n; i++) {
		ok = cmd_ranks_add(&ranks, l.rank, l.rank);
		if (i + 1 < n)
			l = line_at(l.text + l.n + 1, end);
	}
	char *set = ok ? cmd_ranks_text(&ranks) : NULL;
	if (set)
		fprintf(out, "%.*s%s  %.*s  (%zu of them)\n", (int)first->peer, first->text, set,
			(int)(first->n - first->behind), first->text + first->behind, n);
	ok = set != NULL;
	free(set);
	cmd_ranks_deinit(&ranks);
	return ok;
}

void cmd_fold_print(const char *text, size_t n, FILE *out)
{
	const char *end = text + n;

	while (text < end) {
		struct line first = line_at(text, end), l = first;
		size_t n_alike = 1;
		const char *behind = l.text + l.n + (l.text + l.n < end);

		while (first.peer && behind < end) {
			struct line next = line_at(behind, end);
			if (!is_alike(&first, &next))
				break;
			l = next;
			n_alike++;
			behind = l.text + l.n + (l.text + l.n < end);
		}
		if (n_alike < FOLDED_MIN || !print_folded(&first, end, n_alike, out))
			fwrite(text, 1, (size_t)(behind - text), out);
		text = behind;
	}
}
