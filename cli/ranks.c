/* SPDX-License-Identifier: BSD-3-Clause */
#include "ranks.h"

#include "../access/grow.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Insert a range at its position, and merge it with the ranges that it touches. */
bool cmd_ranks_add(struct cmd_ranks *set, int64_t first, int64_t last)
{
	size_t i = 0, j;

	while (i < set->n && set->range[i].last + 1 < first)
		i++;
	for (j = i; j < set->n && set->range[j].first <= last + 1; j++) {
		if (set->range[j].first < first)
			first = set->range[j].first;
		if (set->range[j].last > last)
			last = set->range[j].last;
	}
	if (j == i && !ACC_GROW(set->range, set->n))
		return false;
	if (j != i + 1)
		memmove(set->range + i + 1, set->range + j, (set->n - j) * sizeof(*set->range));
	set->n = set->n + 1 - (j - i);
	set->range[i] = (struct cmd_rank_range){ first, last };
	return true;
}

/* @return the position after the number, or NULL. */
static const char *parse_rank(const char *p, int64_t *ret)
{
	int64_t rank = 0;

	if (!isdigit((unsigned char)*p))
		return NULL;
	for (; isdigit((unsigned char)*p); p++) {
		rank = rank * 10 + (*p - '0');
		if (rank > CMD_RANK_MAX)
			return NULL;
	}
	*ret = rank;
	return p;
}

const char *cmd_ranks_parse(const char *text, struct cmd_ranks *ret)
{
	struct cmd_ranks set = { 0 };
	const char *p = text, *wrong = NULL;
	bool bracket = *p == '[';

	p += bracket;
	for (;;) {
		int64_t first, last;
		p = parse_rank(p, &first);
		if (!p) {
			wrong = "ranks are numbers from 0 to 2147483647, like 0,2-4";
			break;
		}
		last = first;
		if (*p == '-') {
			p = parse_rank(p + 1, &last);
			if (!p) {
				wrong = "a range needs its last rank, like 2-4";
				break;
			}
		}
		if (last < first) {
			wrong = "a range goes from its lower to its higher rank";
			break;
		}
		if (!cmd_ranks_add(&set, first, last)) {
			wrong = "out of memory";
			break;
		}
		if (*p == ',') {
			p++;
			continue;
		}
		if (bracket && *p == ']')
			p++;
		else if (bracket)
			wrong = "the bracket is not closed";
		if (!wrong && *p)
			wrong = "ranks are separated by commas, like 0,2-4";
		break;
	}
	if (wrong)
		cmd_ranks_deinit(&set);
	else
		*ret = set;
	return wrong;
}

bool cmd_ranks_has(const struct cmd_ranks *set, int64_t rank)
{
	for (size_t i = 0; i < set->n; i++)
		if (rank >= set->range[i].first && rank <= set->range[i].last)
			return true;
	return false;
}

uint64_t cmd_ranks_count(const struct cmd_ranks *set)
{
	uint64_t n = 0;

	for (size_t i = 0; i < set->n; i++)
		n += (uint64_t)(set->range[i].last - set->range[i].first) + 1;
	return n;
}

struct cmd_ranks cmd_ranks_missing(const struct cmd_ranks *set, int64_t size)
{
	struct cmd_ranks missing = { 0 };
	int64_t next = 0;

	for (size_t i = 0; i <= set->n && next < size; i++) {
		int64_t end = i < set->n && set->range[i].first < size ? set->range[i].first : size;
		if (end > next && !cmd_ranks_add(&missing, next, end - 1))
			break;
		next = i < set->n ? set->range[i].last + 1 : size;
	}
	return missing;
}

char *cmd_ranks_text(const struct cmd_ranks *set)
{
	enum { RANGE_BYTES = 48 };
	char *text = malloc(set->n * RANGE_BYTES + 3);

	if (!text)
		return NULL;
	char *p = text;
	*p++ = '[';
	for (size_t i = 0; i < set->n; i++) {
		const struct cmd_rank_range *r = &set->range[i];
		p += snprintf(p, RANGE_BYTES, "%s%lld", i ? "," : "", (long long)r->first);
		if (r->last > r->first)
			p += snprintf(p, RANGE_BYTES / 2, "-%lld", (long long)r->last);
	}
	memcpy(p, "]", 2);
	return text;
}

void cmd_ranks_deinit(struct cmd_ranks *set)
{
	free(set->range);
	*set = (struct cmd_ranks){ 0 };
}
