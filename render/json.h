/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file json.h
 * JSON, streaming. Each function takes a key; NULL inside an array. Keys are literals: plain ASCII without quotes.
 *
 * Objects and arrays nest OUT_DEPTH_MAX deep; deeper nesting is a bug and is omitted.
 */
#ifndef OUT_JSON_H
#define OUT_JSON_H

#include "out.h"

void out_json_object(struct out *o, const char *key);
void out_json_object_end(struct out *o);
void out_json_array(struct out *o, const char *key);
void out_json_array_end(struct out *o);

void out_json_int(struct out *o, const char *key, int64_t value);

/** A count; a value above INT64_MAX is invalid (and not accepted by many JSON parsers): null with the reason. */
void out_json_uint(struct out *o, const char *key, uint64_t value);
/** A number that is already formatted as text. */
void out_json_real(struct out *o, const char *key, const char *number);
void out_json_bool(struct out *o, const char *key, bool value);
void out_json_null(struct out *o, const char *key);

/** Any text: control characters are escaped, bytes that are not UTF-8 become U+FFFD. NULL becomes null. */
void out_json_string(struct out *o, const char *key, const char *text);

/** An address or a handle: "0x55d0". */
void out_json_addr(struct out *o, const char *key, uint64_t value);

/** null, together with KEY_why. Not in an array. */
void out_json_unknown(struct out *o, const char *key, const char *why);

/** A fact: its value, null with KEY_why, or nothing if it does not apply. Not in an array. */
void out_json_num(struct out *o, const char *key, struct mdl_num n);

/** The same as an address. */
void out_json_num_addr(struct out *o, const char *key, struct mdl_num n);

#endif /* OUT_JSON_H */
