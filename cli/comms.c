/* SPDX-License-Identifier: BSD-3-Clause */
#include "commands.h"

#include "query.h"

static const struct cmd_about about = {
	.name = "comms",
	.usage = "-p PID | --core FILE | --job JOB | --cores DIR|FILE...  [OPTION]...",
	.what = "List the communicators of an MPI process, or of every rank of a job: names, members as ranks of\n"
		"MPI_COMM_WORLD, topologies.\n",
	.options = CMD_OPT_TARGET | CMD_OPT_OUTPUT | CMD_OPT_ALL | CMD_OPT_LAYOUT | CMD_OPT_HOSTS,
};

int cmd_comms(int argc, char **argv)
{
	return cmd_query(&about, MPIDBG_WHAT_COMMS, argc, argv);
}
