/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file vars_value.h
 * Values of MPI_T variables as text.
 */
#ifndef CMD_VARS_VALUE_H
#define CMD_VARS_VALUE_H

#include <jansson.h>

/** The value of an entry of "cvars", "pvars", "categories" or "events" as text, equal for equal values. Release with
 * free(); NULL: out of memory */
char *cmd_vars_value(const char *kind, json_t *entry);

#endif /* CMD_VARS_VALUE_H */
