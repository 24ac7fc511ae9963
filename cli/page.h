/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file page.h
 * A job as a page of report/.
 */
#ifndef CMD_PAGE_H
#define CMD_PAGE_H

#include "commands.h"
#include "seen.h"

#include <stdbool.h>
#include <stdio.h>

/**
 * Write the page of a job.
 *
 * @param s       ok, and with its processes (cmd_judging.keep)
 * @param dot     only the wait-for graph, for Graphviz
 * @param command name of the subcommand, and @p name that of the output, for messages
 * @return CMD_DONE, or CMD_PARTIAL, which was reported
 */
enum cmd_exit cmd_page_write(FILE *out, const struct cmd_seen *s, bool dot, const char *command, const char *name);

#endif /* CMD_PAGE_H */
