/* SPDX-License-Identifier: BSD-3-Clause */
#include "place.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char at_word[] = " at ";

struct vd_place vd_place_of(const char *text)
{
	struct vd_place ret = { .function = text };
	const char *at = text ? strstr(text, at_word) : NULL;

	ret.n_function = (int)(at ? at - text : text ? (long)strlen(text) : 0);
	if (!at)
		return ret;
	ret.where = at + strlen(at_word);

	const char *colon = strrchr(ret.where, ':');
	char *end;
	long line = colon ? strtol(colon + 1, &end, 10) : 0;
	if (colon && end != colon + 1 && !*end) {
		ret.file = ret.where;
		ret.n_file = (int)(colon - ret.where);
		ret.line = line;
	}
	return ret;
}

bool vd_place_same_function(const char *a, const char *b)
{
	struct vd_place x = vd_place_of(a), y = vd_place_of(b);

	if (!a || !b)
		return a == b;
	return !x.where == !y.where && x.n_function == y.n_function &&
	       strncmp(x.function, y.function, (size_t)x.n_function) == 0;
}

bool vd_place_near(const char *a, const char *b)
{
	enum { NEAR_BYTES = 1024 };
	static const char offset[] = "+0x";
	const char *x = a ? strstr(a, offset) : NULL, *y = b ? strstr(b, offset) : NULL;

	if (!x || !y || x - a != y - b || strncmp(a, b, (size_t)(x - a)) != 0)
		return false;
	uint64_t m = strtoull(x + strlen(offset), NULL, 16), n = strtoull(y + strlen(offset), NULL, 16);
	return (m > n ? m - n : n - m) <= NEAR_BYTES;
}

void vd_append_at(struct vd_text *t, const char *before, const char *text)
{
	struct vd_place p = vd_place_of(text);

	if (p.where)
		vd_append(t, "%sat %s in %.*s", before, p.where, p.n_function, p.function);
	else if (text)
		vd_append(t, "%sin %s", before, text);
}
