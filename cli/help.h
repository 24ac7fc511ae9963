/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file help.h
 * Description and options of a subcommand in four forms, generated from one table: the text of --help, a manual page,
 * and input for the completions of bash and zsh.
 */
#ifndef CMD_HELP_H
#define CMD_HELP_H

#include "commands.h"
#include "options.h"

enum cmd_help_form { CMD_HELP_TEXT, CMD_HELP_MAN, CMD_HELP_BASH, CMD_HELP_ZSH, CMD_HELP_NONE };

/** An option. */
struct cmd_help_row {
	const char *name; /**< "core" */
	const char
		*shown; /**< "-p, --pid PID"; its last word says what the argument is: PID, FILE, DIR..., SET, WHEN */
	const char *help;
	bool has_argument;
};

/** A subcommand of the command's own table. */
struct cmd_entry {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *what; /**< in one line */
};

/** The form of --help=FORM: "text" (or NULL), "man", "bash", "zsh"; otherwise CMD_HELP_NONE. */
enum cmd_help_form cmd_help_form(const char *text);

/** Print one subcommand on stdout: its help text, or its part of a manual page or completion file. */
void cmd_help(const struct cmd_about *about, const struct cmd_help_row *rows, size_t n, enum cmd_help_form form);

/**
 * Print a complete file on stdout: the manual page of a subcommand, or a completion for all of them.
 *
 * Each subcommand is run with --help=FORM for its part.
 *
 * @param name of the subcommand, for CMD_HELP_MAN
 * @return false: there is no such subcommand
 */
bool cmd_help_file(const struct cmd_entry *commands, size_t n, enum cmd_help_form form, const char *name);

#endif /* CMD_HELP_H */
