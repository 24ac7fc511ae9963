/* SPDX-License-Identifier: BSD-3-Clause */
#include "help.h"

#include "help_examples.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum cmd_help_form cmd_help_form(const char *text)
{
	static const char *const names[] = { "text", "man", "bash", "zsh" };

	for (int i = 0; text && i < CMD_HELP_NONE; i++)
		if (strcmp(text, names[i]) == 0)
			return (enum cmd_help_form)i;
	return text ? CMD_HELP_NONE : CMD_HELP_TEXT;
}

/* "-p" of "-p, --pid PID"; 0: none */
static char letter_of(const struct cmd_help_row *row)
{
	return row->shown[0] == '-' ? row->shown[1] : '\0';
}

/* The name of the argument as shown: "DIR|FILE...". */
static const char *argument_of(const struct cmd_help_row *row)
{
	const char *name = strstr(row->shown, row->name);
	size_t n = name ? strcspn(name, " [=") : 0;

	return name && name[n] ? name + n + strspn(name + n, " [=") : "";
}

/* ---- text ---------------------------------------------------------------------------------------------------- */

static const char exit_status[] = "0 success; 1 the requested item does not exist; 2 usage error; "
				  "3 not or only partly readable.";

static void print_text(const struct cmd_about *about, const struct cmd_help_row *rows, size_t n)
{
	printf("Usage: mpidbg %s %s\n\n%s\n", about->name, about->usage, about->what);
	for (size_t i = 0; i < n; i++)
		printf("  %-24s %s\n", rows[i].shown, rows[i].help);
	printf("\nExit status: %s\n", exit_status);
	if (about->epilogue)
		fputs(about->epilogue, stdout);
}

/* ---- manual page ----------------------------------------------------------------------------------------------- */

/* Write a text as man(7) input; line breaks in the text are kept. */
static void put_man(const char *text)
{
	bool begins = true;

	for (; *text; text++) {
		if (begins && (*text == '.' || *text == '\''))
			fputs("\\&", stdout);
		begins = *text == '\n';
		if (*text == '-')
			fputs("\\-", stdout);
		else if (*text == '\\')
			fputs("\\e", stdout);
		else
			putchar(*text);
	}
}

static void print_man(const struct cmd_about *about, const struct cmd_help_row *rows, size_t n)
{
	printf(".SH SYNOPSIS\n.nf\nmpidbg %s ", about->name);
	put_man(about->usage);
	fputs("\n.fi\n.SH DESCRIPTION\n", stdout);
	put_man(about->what);
	if (n)
		fputs(".SH OPTIONS\n", stdout);
	for (size_t i = 0; i < n; i++) {
		fputs(".TP\n.B ", stdout);
		put_man(rows[i].shown + strspn(rows[i].shown, " "));
		putchar('\n');
		put_man(rows[i].help);
		putchar('\n');
	}
	fputs(".SH EXIT STATUS\n", stdout);
	put_man(exit_status);
	putchar('\n');
	if (about->epilogue)
		put_man(about->epilogue + strspn(about->epilogue, " "));
	if (cmd_help_examples(about->name)) {
		fputs(".SH EXAMPLES\n.nf\n", stdout);
		put_man(cmd_help_examples(about->name));
		fputs(".fi\n", stdout);
	}
	fputs(".SH SEE ALSO\n.BR mpidbg (1)\n", stdout);
}

/* ---- bash -------------------------------------------------------------------------------------------------------- */

static void print_bash(const struct cmd_about *about, const struct cmd_help_row *rows, size_t n)
{
	printf("\t%s)\n\t\toptions='", about->name);
	for (size_t i = 0; i < n; i++) {
		if (letter_of(&rows[i]))
			printf("-%c ", letter_of(&rows[i]));
		printf("--%s%s", rows[i].name, i + 1 < n ? " " : "");
	}
	printf("'\n\t\twords='%s'\n\t\t;;\n", about->first_words ? about->first_words : "");
}

/* ---- zsh --------------------------------------------------------------------------------------------------------- */

/* Inside '...[help]', quotes, brackets and colons are special. */
static void put_zsh(const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", stdout);
		else if (strchr("[]:\\", *text))
			printf("\\%c", *text);
		else
			putchar(*text);
	}
}

static const char *zsh_action(const char *argument)
{
	if (strncmp(argument, "PID", 3) == 0)
		return "_pids";
	if (strncmp(argument, "JOB", 3) == 0)
		return "_mpidbg_jobs";
	if (strstr(argument, "FILE"))
		return "_files";
	if (strncmp(argument, "SOURCE", 6) == 0)
		return "(mpi2dd mpir env any srun flux pmix ssh pdsh clush)";
	return strncmp(argument, "WHEN", 4) == 0 ? "(auto always never)" : "";
}

static void print_zsh(const struct cmd_about *about, const struct cmd_help_row *rows, size_t n)
{
	printf("\t%s)\n\t\t_arguments -S", about->name);
	for (size_t i = 0; i < n; i++) {
		const char *argument = argument_of(&rows[i]);
		char letter = letter_of(&rows[i]);
		bool optional = strchr(rows[i].shown, '[') != NULL;
		if (letter)
			printf(" \\\n\t\t\t'(-%c --%s)'{-%c,--%s%s}'[", letter, rows[i].name, letter, rows[i].name,
			       rows[i].has_argument ? "=" : "");
		else
			printf(" \\\n\t\t\t'--%s%s[", rows[i].name, !rows[i].has_argument ? "" : optional ? "=-" : "=");
		put_zsh(rows[i].help);
		putchar(']');
		if (rows[i].has_argument) {
			fputs(optional ? "::" : ":", stdout);
			for (; isupper((unsigned char)*argument); argument++)
				putchar(*argument);
			printf(":%s", zsh_action(argument_of(&rows[i])));
		}
		putchar('\'');
	}
	if (about->first_words)
		printf(" \\\n\t\t\t'1:word:(%s)'", about->first_words);
	else
		fputs(" \\\n\t\t\t'*:file:_files'", stdout);
	fputs("\n\t\t;;\n", stdout);
}

void cmd_help(const struct cmd_about *about, const struct cmd_help_row *rows, size_t n, enum cmd_help_form form)
{
	switch (form) {
	case CMD_HELP_MAN:
		print_man(about, rows, n);
		break;
	case CMD_HELP_BASH:
		print_bash(about, rows, n);
		break;
	case CMD_HELP_ZSH:
		print_zsh(about, rows, n);
		break;
	default:
		print_text(about, rows, n);
	}
}

/* For awk: how a line of `mpidbg jobs` is named to --job, by the pid of its launcher or else by its
 * name; no heading. */
#define JOB_WORD "NR > 1 { print $3 ~ /^[0-9]+$/ ? $3 : $1 }"

/* ---- whole files ----------------------------------------------------------------------------------------------- */

static void print_part(const struct cmd_entry *command, const char *form)
{
	char name[32], option[32], *argv[] = { name, option, NULL };

	snprintf(name, sizeof(name), "%s", command->name);
	snprintf(option, sizeof(option), "--help=%s", form);
	command->run(2, argv);
}

static void print_page(const struct cmd_entry *command)
{
	fputs(".\\\" made by mpidbg help\n.TH MPIDBG\\-", stdout);
	for (const char *c = command->name; *c; c++)
		putchar(toupper((unsigned char)*c));
	printf(" 1 \"\" \"mpidbg " MPIDBG_VERSION "\" \"\"\n.SH NAME\nmpidbg\\-%s \\- ", command->name);
	put_man(command->what);
	putchar('\n');
	print_part(command, "man");
}

static void print_bash_file(const struct cmd_entry *commands, size_t n)
{
	fputs("# made by mpidbg help\n"
	      "_mpidbg() {\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} options='' words=''\n"
	      "\tCOMPREPLY=()\n"
	      "\tif [ \"$COMP_CWORD\" = 1 ]; then\n"
	      "\t\tmapfile -t COMPREPLY < <(compgen -W 'help --help --version",
	      stdout);
	for (size_t i = 0; i < n; i++)
		printf(" %s", commands[i].name);
	fputs("' -- \"$cur\")\n\t\treturn\n\tfi\n"
	      "\tcase $prev in\n"
	      "\t--job)\n"
	      "\t\tmapfile -t COMPREPLY < <(compgen -W \"$(mpidbg jobs 2>/dev/null | awk '" JOB_WORD
	      "')\" -- \"$cur\")\n"
	      "\t\treturn\n\t\t;;\n"
	      "\t-p | --pid)\n"
	      "\t\tmapfile -t COMPREPLY < <(compgen -W \"$(ps -u \"$(id -u)\" -o pid=,ppid= 2>/dev/null | "
	      "awk '$1 != 2 && $2 != 2 { print $1 }')\" -- \"$cur\")\n"
	      "\t\treturn\n\t\t;;\n"
	      "\t--via)\n"
	      "\t\tmapfile -t COMPREPLY < <(compgen -W 'mpi2dd mpir env any srun flux pmix ssh pdsh clush' "
	      "-- \"$cur\")\n"
	      "\t\treturn\n\t\t;;\n"
	      "\t--ranks)\n\t\treturn\n\t\t;;\n"
	      "\thelp)\n"
	      "\t\tmapfile -t COMPREPLY < <(compgen -W '",
	      stdout);
	for (size_t i = 0; i < n; i++)
		printf("%s%s", i ? " " : "", commands[i].name);
	fputs("' -- \"$cur\")\n\t\treturn\n\t\t;;\n\tesac\n\tcase ${COMP_WORDS[1]} in\n", stdout);
	for (size_t i = 0; i < n; i++)
		print_part(&commands[i], "bash");
	fputs("\tesac\n"
	      "\tif [[ $cur == -* ]]; then\n"
	      "\t\tmapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$cur\")\n"
	      "\telif [ -n \"$words\" ] && [ \"$COMP_CWORD\" = 2 ]; then\n"
	      "\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
	      "\telse\n"
	      "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
	      "\tfi\n"
	      "}\n"
	      "complete -o filenames -F _mpidbg mpidbg\n",
	      stdout);
}

static void print_zsh_file(const struct cmd_entry *commands, size_t n)
{
	fputs("#compdef mpidbg\n# made by mpidbg help\n"
	      "_mpidbg_jobs() {\n\tcompadd -- ${(f)\"$(mpidbg jobs 2>/dev/null | awk '" JOB_WORD "')\"}\n}\n"
	      "_mpidbg() {\n"
	      "\tlocal -a commands\n"
	      "\tcommands=(\n",
	      stdout);
	for (size_t i = 0; i < n; i++) {
		printf("\t\t'%s:", commands[i].name);
		put_zsh(commands[i].what);
		fputs("'\n", stdout);
	}
	fputs("\t\t'help:a list of the commands, or the help of one'\n\t)\n"
	      "\tif ((CURRENT == 2)); then\n"
	      "\t\t_describe command commands\n"
	      "\t\treturn\n"
	      "\tfi\n"
	      "\tshift words\n"
	      "\t((CURRENT--))\n"
	      "\tcase $words[1] in\n",
	      stdout);
	for (size_t i = 0; i < n; i++)
		print_part(&commands[i], "zsh");
	fputs("\thelp)\n\t\t_describe command commands\n\t\t;;\n\tesac\n}\n_mpidbg \"$@\"\n", stdout);
}

bool cmd_help_file(const struct cmd_entry *commands, size_t n, enum cmd_help_form form, const char *name)
{
	if (form == CMD_HELP_BASH)
		print_bash_file(commands, n);
	else if (form == CMD_HELP_ZSH)
		print_zsh_file(commands, n);
	for (size_t i = 0; form == CMD_HELP_MAN && i < n; i++) {
		if (strcmp(commands[i].name, name) != 0)
			continue;
		print_page(&commands[i]);
		return true;
	}
	return form != CMD_HELP_MAN;
}
