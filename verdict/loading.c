/* SPDX-License-Identifier: BSD-3-Clause */
#include "loading.h"

#include <stdlib.h>

const char *vd_json_text(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

int64_t vd_json_number(const json_t *object, const char *key, int64_t otherwise)
{
	const json_t *v = json_object_get(object, key);

	return json_is_integer(v) ? json_integer_value(v) : otherwise;
}

bool vd_json_true(const json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}

/* "0x55d0c8a012a0" */
uint64_t vd_json_address(const json_t *object, const char *key)
{
	return vd_address(vd_json_text(object, key));
}

uint64_t vd_address(const char *text)
{
	return text ? strtoull(text, NULL, 16) : 0;
}

int32_t vd_peer_at(const struct vd_view *v, int64_t peer)
{
	size_t first = v->list->n > v->list->n_local ? v->list->n_local : 0;

	return peer >= 0 && (uint64_t)peer < v->list->n - first ? v->list->members[first + (size_t)peer] : VD_UNKNOWN;
}

char *vd_put_number(char *to, uint64_t number)
{
	char digits[24];
	int n = 0;

	do
		digits[n++] = (char)('0' + number % 10);
	while (number /= 10);
	while (n)
		*to++ = digits[--n];
	*to = '\0';
	return to;
}

void vd_rank_key(char ret[64], char kind, int64_t world, int64_t rank)
{
	*ret = kind;
	char *end = vd_put_number(ret + 1, (uint64_t)world);
	*end = '.';
	vd_put_number(end + 1, (uint64_t)rank);
}
