/* SPDX-License-Identifier: BSD-3-Clause */
#include "commands.h"

#include "query.h"

static const struct cmd_about about = {
	.name = "calls",
	.usage = "-p PID | --core FILE | --job PID | --cores DIR|FILE...  [OPTION]...",
	.what = "Show the MPI call that each thread is in, with its arguments, and for how long. The program must "
		"have\n"
		"been started as for mpidbg handles.\n",
	.options = CMD_OPT_TARGET | CMD_OPT_OUTPUT | CMD_OPT_ALL,
};

int cmd_calls(int argc, char **argv)
{
	return cmd_query(&about, MPIDBG_WHAT_CALLS, argc, argv);
}
