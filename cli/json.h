/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file json.h
 * JSON written by the command itself: the frame around the output of the plugin.
 */
#ifndef CMD_JSON_H
#define CMD_JSON_H

#include "spool.h"

/** Write a string with its quotes. Each byte that is not UTF-8 becomes U+FFFD. NULL is written as null. */
void cmd_json_string(struct cmd_spool *out, const char *text);

/** Write "name": "text", after a comma unless it is the first member. */
void cmd_json_member(struct cmd_spool *out, bool *first, const char *name, const char *text);

/** Write "name": number, likewise. */
void cmd_json_number(struct cmd_spool *out, bool *first, const char *name, long long number);

/** Write "name":, with the value to follow, likewise. */
void cmd_json_name(struct cmd_spool *out, bool *first, const char *name);

/** Write "name": ["line", ...], likewise. */
void cmd_json_lines(struct cmd_spool *out, bool *first, const char *name, char *const *line, size_t n);

#endif /* CMD_JSON_H */
