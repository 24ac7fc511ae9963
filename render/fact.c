/* SPDX-License-Identifier: BSD-3-Clause */
#include "fact.h"

#include "json.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { LEVEL = 2, COL_VALUE = 24, ITEMS_MAX = 64 };

void out_fact_label(struct out *o, const char *key)
{
	char words[64];
	size_t n = 0;

	for (; key[n] && n + 1 < sizeof(words); n++)
		words[n] = key[n] == '_' ? ' ' : key[n];
	words[n] = '\0';
	out_line(o, LEVEL);
	out_text(o, "%s", words);
	out_column(o, COL_VALUE);
}

/* @return true: there is a value to show */
static bool text_known(struct out *o, const char *key, struct mdl_num n)
{
	if (n.known == MDL_NOT_APPLICABLE)
		return false;
	out_fact_label(o, key);
	if (n.known == MDL_UNAVAILABLE)
		out_text(o, "unavailable (%s)", n.why ? n.why : "unknown");
	else if (n.known == MDL_ANY)
		out_text(o, "any");
	return n.known == MDL_KNOWN;
}

void out_fact_num(struct out *o, const char *key, struct mdl_num n)
{
	if (o->json)
		out_json_num(o, key, n);
	else if (text_known(o, key, n))
		out_text(o, "%" PRId64, n.value);
}

void out_fact_rank(struct out *o, const char *key, struct mdl_num n)
{
	if (o->json)
		out_json_num(o, key, n);
	else if (text_known(o, key, n))
		out_rank(o, n);
}

void out_fact_addr(struct out *o, const char *key, struct mdl_num n)
{
	if (o->json)
		out_json_num_addr(o, key, n);
	else if (text_known(o, key, n))
		out_text(o, "0x%" PRIx64, (uint64_t)n.value);
}

void out_fact_bool(struct out *o, const char *key, bool value)
{
	if (o->json) {
		out_json_bool(o, key, value);
		return;
	}
	out_fact_label(o, key);
	out_text(o, "%s", value ? "yes" : "no");
}

void out_fact_string(struct out *o, const char *key, const char *text)
{
	if (!text)
		return;
	if (o->json) {
		out_json_string(o, key, text);
		return;
	}
	out_fact_label(o, key);
	out_name(o, text, true);
}

void out_fact_word(struct out *o, const char *key, const char *word)
{
	if (!word)
		return;
	if (o->json) {
		out_json_string(o, key, word);
		return;
	}
	out_fact_label(o, key);
	out_text(o, "%s", word);
}

void out_fact_handle(struct out *o, const char *key, struct mdl_num handle, const char *name)
{
	char name_key[64];

	if (o->json) {
		out_json_num_addr(o, key, handle);
		snprintf(name_key, sizeof(name_key), "%s_name", key);
		if (handle.known == MDL_KNOWN && name && *name)
			out_json_string(o, name_key, name);
		return;
	}
	if (!text_known(o, key, handle))
		return;
	if (name && *name) {
		out_name(o, name, true);
		out_text(o, "  ");
	}
	out_text(o, "0x%" PRIx64, (uint64_t)handle.value);
}

void out_fact_list(struct out *o, const char *key, struct out_fact_list *list)
{
	*list = (struct out_fact_list){ 0, 0 };
	if (o->json) {
		out_json_array(o, key);
		return;
	}
	out_fact_label(o, key);
	out_text(o, "[");
}

uint64_t out_fact_room(struct out *o, uint64_t n)
{
	uint64_t room = OUT_ITEMS_MAX - o->n_items;

	if (n > room)
		n = room;
	o->n_items += n;
	return n;
}

void out_fact_left(struct out_fact_list *list, uint64_t n)
{
	list->n_hidden += n;
}

void out_fact_item(struct out *o, struct out_fact_list *list, int64_t value)
{
	if (o->json)
		out_json_int(o, NULL, value);
	else if (list->n < ITEMS_MAX)
		out_text(o, list->n ? ",%" PRId64 : "%" PRId64, value);
	else
		list->n_hidden++;
	list->n++;
}

void out_fact_item_word(struct out *o, struct out_fact_list *list, const char *word)
{
	if (list->n < ITEMS_MAX)
		out_text(o, list->n ? ",%s" : "%s", word);
	else
		list->n_hidden++;
	list->n++;
}

static void count_json(struct out *o, const char *key, const char *what, uint64_t n)
{
	char member[64];

	snprintf(member, sizeof(member), "%s_%s", key, what);
	if (n)
		out_json_uint(o, member, n);
}

void out_fact_list_end(struct out *o, const char *key, struct out_fact_list *list, uint64_t n_missing)
{
	if (o->json) {
		out_json_array_end(o);
		count_json(o, key, "more", list->n_hidden);
		count_json(o, key, "missing", n_missing);
		return;
	}
	if (list->n_hidden)
		out_text(o, ", %" PRIu64 " more", list->n_hidden);
	out_text(o, "]");
	if (n_missing)
		out_text(o, "  and %" PRIu64 " that are not recorded", n_missing);
}
