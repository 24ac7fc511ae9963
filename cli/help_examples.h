/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file help_examples.h
 * The examples in the manual pages of the subcommands.
 */
#ifndef CMD_HELP_EXAMPLES_H
#define CMD_HELP_EXAMPLES_H

/** Lines of commands, each with what it is for behind "#"; NULL: the subcommand has none. */
const char *cmd_help_examples(const char *subcommand);

#endif /* CMD_HELP_EXAMPLES_H */
