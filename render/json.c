/* SPDX-License-Identifier: BSD-3-Clause */
#include "json.h"

#include "../access/quote.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

static void put_text(struct out *o, const char *text)
{
	out_bytes(o, text, strlen(text));
}

/* Write the comma, and the key if there is one. */
static void before(struct out *o, const char *key)
{
	uint32_t bit = UINT32_C(1) << (o->depth < OUT_DEPTH_MAX ? o->depth : OUT_DEPTH_MAX);

	if (o->not_first & bit)
		put_text(o, ",");
	o->not_first |= bit;
	if (key) {
		put_text(o, "\"");
		put_text(o, key);
		put_text(o, "\":");
	}
}

static void open(struct out *o, const char *key, const char *bracket)
{
	before(o, key);
	put_text(o, bracket);
	o->depth++;
	if (o->depth < OUT_DEPTH_MAX)
		o->not_first &= ~(UINT32_C(1) << o->depth);
}

static void close(struct out *o, const char *bracket)
{
	put_text(o, bracket);
	if (o->depth)
		o->depth--;
}

void out_json_object(struct out *o, const char *key)
{
	open(o, key, "{");
}

void out_json_object_end(struct out *o)
{
	close(o, "}");
}

void out_json_array(struct out *o, const char *key)
{
	open(o, key, "[");
}

void out_json_array_end(struct out *o)
{
	close(o, "]");
}

void out_json_int(struct out *o, const char *key, int64_t value)
{
	char text[24];

	before(o, key);
	snprintf(text, sizeof(text), "%" PRId64, value);
	put_text(o, text);
}

void out_json_uint(struct out *o, const char *key, uint64_t value)
{
	char text[24];

	if (value > INT64_MAX) {
		out_json_unknown(o, key, "the target's memory is damaged: too large a number");
		return;
	}
	before(o, key);
	snprintf(text, sizeof(text), "%" PRIu64, value);
	put_text(o, text);
}

void out_json_real(struct out *o, const char *key, const char *number)
{
	before(o, key);
	put_text(o, number);
}

void out_json_bool(struct out *o, const char *key, bool value)
{
	before(o, key);
	put_text(o, value ? "true" : "false");
}

void out_json_null(struct out *o, const char *key)
{
	before(o, key);
	put_text(o, "null");
}

static void put_character(struct out *o, uint32_t c, const char *bytes, unsigned n)
{
	char escape[16];

	if (c == '"' || c == '\\') {
		put_text(o, "\\");
		out_bytes(o, bytes, n);
	} else if (acc_utf8_shown(c)) {
		out_bytes(o, bytes, n);
	} else if (c <= 0xffff) {
		snprintf(escape, sizeof(escape), "\\u%04x", (unsigned)c);
		put_text(o, escape);
	} else {
		snprintf(escape, sizeof(escape), "\\u%04x\\u%04x", 0xd800u + ((unsigned)c - 0x10000u) / 0x400u,
			 0xdc00u + ((unsigned)c - 0x10000u) % 0x400u);
		put_text(o, escape);
	}
}

void out_json_string(struct out *o, const char *key, const char *text)
{
	if (!text) {
		out_json_null(o, key);
		return;
	}
	before(o, key);
	put_text(o, "\"");
	while (*text) {
		uint32_t c;
		unsigned n = acc_utf8_next(text, &c);

		if (n)
			put_character(o, c, text, n);
		else
			put_text(o, "\\ufffd");
		text += n ? n : 1;
	}
	put_text(o, "\"");
}

void out_json_addr(struct out *o, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	out_json_string(o, key, text);
}

void out_json_unknown(struct out *o, const char *key, const char *why)
{
	char why_key[64];

	out_json_null(o, key);
	snprintf(why_key, sizeof(why_key), "%s_why", key);
	out_json_string(o, why_key, why ? why : "unknown");
}

void out_json_num(struct out *o, const char *key, struct mdl_num n)
{
	if (n.known == MDL_KNOWN)
		out_json_int(o, key, n.value);
	else if (n.known != MDL_NOT_APPLICABLE)
		out_json_unknown(o, key, n.known == MDL_ANY ? "any" : n.why);
}

void out_json_num_addr(struct out *o, const char *key, struct mdl_num n)
{
	if (n.known == MDL_KNOWN)
		out_json_addr(o, key, (uint64_t)n.value);
	else
		out_json_num(o, key, n);
}
