/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg pmix: is started by mpidbg itself, to ask Open MPI 5's launcher in a process of its own (hosts/pmix.h).
 */
#include "../hosts/pmix.h"
#include "commands.h"
#include "message.h"
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool check_words(struct cmd_options *o)
{
	char *end = NULL;
	long pid = o->n_words ? strtol(o->words[0], &end, 10) : 0;

	if (pid > 0 && !*end)
		return true;
	cmd_message("pmix: no launcher given: its process number");
	return false;
}

static const struct cmd_about about = {
	.name = "pmix",
	.usage = "PID [LINE]  [OPTION]...",
	.what = "Ask the launcher of Open MPI 5, as a PMIx tool, for the hosts of its job, or run a line of a shell on "
		"each, for "
		"mpidbg,\n"
		"which starts it (mpidbg deadlock --job). The output is not meant for people.\n",
	.options = 0,
	.n_words = 2,
	.check_words = check_words,
};

int cmd_pmix(int argc, char **argv)
{
	struct cmd_options o;
	char why[512] = "";
	int rc;

	if (!cmd_options_parse(&about, argc, argv, &o, &rc))
		return rc;
	pid_t pid = (pid_t)strtol(o.words[0], NULL, 10);
	bool ok = o.n_words == 1 ? hs_pmix_table(pid, stdout, why, sizeof(why))
				 : hs_pmix_run(pid, o.words[1], STDOUT_FILENO, why, sizeof(why));
	if (!ok)
		cmd_message("%s", why);
	cmd_options_deinit(&o);
	return ok ? CMD_DONE : CMD_PARTIAL;
}
