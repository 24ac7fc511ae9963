/* SPDX-License-Identifier: BSD-3-Clause */
#include "commands.h"

#include "query.h"

static const struct cmd_about about = {
	.name = "calls",
	.usage = "-p PID | --core FILE | --job JOB | --cores DIR|FILE... | --snapshot FILE...  [OPTION]...",
	.what = "Show the MPI call of each thread, with its arguments and duration. In a program without the in-target "
		"library\n"
		"(mpi2dd-run): the function, and the arguments of the operation for which the thread waits.\n",
	.options = CMD_OPT_TARGET | CMD_OPT_OUTPUT | CMD_OPT_ALL | CMD_OPT_HOSTS | CMD_OPT_FILES,
};

int cmd_calls(int argc, char **argv)
{
	return cmd_query(&about, MPIDBG_WHAT_CALLS, argc, argv);
}
