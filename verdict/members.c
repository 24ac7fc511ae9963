/* SPDX-License-Identifier: BSD-3-Clause */
#include "members.h"

#include <stdio.h>
#include <stdlib.h>

enum { RANGE_MIN = 4 }; /* shorter ranges stay numbers */

/* Length of the run of consecutive numbers that starts at index i. */
static size_t run_of(const json_t *members, size_t i)
{
	json_int_t first = json_integer_value(json_array_get(members, i));
	size_t n = 0;

	while (first >= 0 && first <= INT32_MAX && json_is_integer(json_array_get(members, i + n)) &&
	       json_integer_value(json_array_get(members, i + n)) == first + (json_int_t)n)
		n++;
	return n;
}

void vd_members_pack(json_t *members)
{
	size_t n = json_array_size(members), k;
	json_t *packed = json_array();

	for (size_t i = 0; packed && i < n; i += k) {
		json_t *member = json_array_get(members, i);
		k = run_of(members, i);
		if (k >= RANGE_MIN) {
			json_int_t first = json_integer_value(member);
			json_array_append_new(packed, json_sprintf("%lld-%lld", (long long)first,
								   (long long)first + (long long)k - 1));
		} else {
			json_array_append(packed, member);
			k = 1;
		}
	}
	if (packed && json_array_size(packed) < n && vd_members_count(packed) == n) {
		json_array_clear(members);
		json_array_extend(members, packed);
	}
	json_decref(packed);
}

bool vd_members_range(const json_t *member, int64_t *first, int64_t *last)
{
	const char *text = json_string_value(member);
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	*first = strtoll(text, &end, 10);
	if (*end != '-' || end[1] < '0' || end[1] > '9')
		return false;
	*last = strtoll(end + 1, &end, 10);
	return !*end && *first <= *last && *last <= INT32_MAX && *last - *first < VD_MEMBERS_MAX;
}

size_t vd_members_count(const json_t *members)
{
	const json_t *member;
	size_t n = 0, i;
	int64_t first, last;

	json_array_foreach(members, i, member)
	{
		n += vd_members_range(member, &first, &last) ? (size_t)(last - first) + 1 : 1;
		if (n > VD_MEMBERS_MAX)
			return 0;
	}
	return n;
}
