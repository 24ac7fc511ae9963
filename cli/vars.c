/* SPDX-License-Identifier: BSD-3-Clause */
#include "commands.h"

#include "query.h"
#include "vars_diff.h"

#include <string.h>

static const char *const kinds[] = { "cvars", "pvars", "categories", "events", NULL };

static bool is_kind(const char *word)
{
	for (int i = 0; kinds[i]; i++)
		if (strcmp(kinds[i], word) == 0)
			return true;
	return false;
}

/* Arguments: none, KIND, PATTERN, or KIND PATTERN. words[0] becomes the kind or NULL, words[1] the pattern or NULL. */
static bool check_words(struct cmd_options *o)
{
	if (o->n_words && !is_kind(o->words[0])) {
		const char *near = cmd_nearest(o->words[0], kinds);
		if (o->n_words == 2) {
			cmd_message("vars: %s: there are cvars, pvars, categories and events%s%s%s", o->words[0],
				    near ? ": did you mean " : "", near ? near : "", near ? "?" : "");
			return false;
		}
		o->words[1] = o->words[0];
		o->words[0] = NULL;
	}
	return true;
}

static const struct cmd_about about = {
	.name = "vars",
	.usage = "[cvars|pvars|categories|events] [PATTERN] -p PID | --core FILE | --job PID | --cores DIR|FILE...\n"
		 "                   [OPTION]...",
	.what = "Show MPI_T: control and performance variables with their values (those of the MPI library as of the "
		"last\n"
		"refresh), categories, events with their registrations. PATTERN is a part of the name, or a shell "
		"pattern for\n"
		"the whole name (*eager*). The program must have been started with mpi2dd-run, and with "
		"MPI2DD_VARS=host in\n"
		"its environment to include the variables of the MPI library.\n",
	.options = CMD_OPT_TARGET | CMD_OPT_OUTPUT | CMD_OPT_ALL | CMD_OPT_VARS,
	.n_words = 2,
	.first_words = "cvars pvars categories events",
	.check_words = check_words,
};

int cmd_vars(int argc, char **argv)
{
	return cmd_query_diff(&about, MPIDBG_WHAT_VARS, argc, argv, cmd_vars_diff);
}
