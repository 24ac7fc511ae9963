/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file process_text.h
 * The text of a process from its JSON in a snapshot, as the plugin writes it for a live process.
 */
#ifndef CMD_PROCESS_TEXT_H
#define CMD_PROCESS_TEXT_H

#include "spool.h"

#include <jansson.h>

/**
 * @param process a PROCESS of docs/json.md
 * @param queues  false: its threads only
 * @param all     also what is internal to the MPI library, and stacks
 */
void cmd_process_text(struct cmd_spool *ret, const json_t *process, bool queues, bool all);

#endif /* CMD_PROCESS_TEXT_H */
