/* SPDX-License-Identifier: BSD-3-Clause */
#include "vars_value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "MPI_COMM_WORLD: 3, 0x84000001: 0", with names where possible, because handles differ between ranks. */
static char *words_of(json_t *objects)
{
	char *ret = NULL;
	size_t n = 0, i;
	json_t *one;
	FILE *f = open_memstream(&ret, &n);

	if (!f)
		return NULL;
	json_array_foreach(objects, i, one)
	{
		const char *name = json_string_value(json_object_get(one, "name"));
		const char *handle = json_string_value(json_object_get(one, "object"));
		char *value = json_dumps(json_object_get(one, "value"), JSON_ENCODE_ANY);

		fprintf(f, "%s%s: %s", i ? ", " : "", name ? name : handle ? handle : "?", value ? value : "?");
		free(value);
	}
	fclose(f);
	return ret;
}

/* The value, or text that replaces it. An event differs if its registrations do, except for addresses of callbacks. */
char *cmd_vars_value(const char *kind, json_t *entry)
{
	json_t *value = json_object_get(entry, "value"), *objects = json_object_get(entry, "objects");
	const char *item = json_string_value(json_object_get(entry, "item"));
	const char *why = json_string_value(json_object_get(entry, "value_why"));
	char *ret = NULL, *text;

	if (strcmp(kind, "categories") == 0)
		return strdup("is there");
	if (strcmp(kind, "events") == 0) {
		json_t *registrations = json_object_get(entry, "registrations"), *r;
		long long raised = 0, dropped = 0;
		size_t i;

		json_array_foreach(registrations, i, r)
		{
			raised += json_integer_value(json_object_get(r, "raised"));
			dropped += json_integer_value(json_object_get(r, "dropped"));
		}
		if (asprintf(&ret, "%zu registration%s, raised %lld, dropped %lld", json_array_size(registrations),
			     json_array_size(registrations) == 1 ? "" : "s", raised, dropped) < 0)
			return NULL;
		return ret;
	}
	if (json_is_null(value) || (!value && !objects)) {
		if (asprintf(&ret, "unavailable (%s)", why ? why : "not known") < 0)
			return NULL;
		return ret;
	}
	if (!value)
		return words_of(objects);
	text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
	if (text && item && asprintf(&ret, "%s (%s)", text, item) < 0)
		ret = NULL;
	if (!item)
		return text;
	free(text);
	return ret;
}
