/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file json.h
 * JSON written by the command itself: the frame around the output of the plugin.
 */
#ifndef CMD_JSON_H
#define CMD_JSON_H

#include "spool.h"

#include <jansson.h>
#include <stdio.h>

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

/**
 * Write a value whose texts may come from a file or a process. Characters that must not reach a terminal
 * (acc_utf8_shown()) are escaped; json_dumpf() writes those above U+007E as they are.
 *
 * @param flags of json_dumpf()
 */
bool cmd_json_dump(const json_t *value, FILE *out, size_t flags);

/** The same as a text; NULL: out of memory. free() it. */
char *cmd_json_text(const json_t *value, size_t flags);

#endif /* CMD_JSON_H */
