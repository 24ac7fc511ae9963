/* SPDX-License-Identifier: BSD-3-Clause */
#include "commands.h"

#include "query.h"

static const struct cmd_about about = {
	.name = "queues",
	.usage = "-p PID | --core FILE | --job PID | --cores DIR|FILE...  [OPTION]...",
	.what = "Show the message queues of an MPI process, or of every rank of a job: what it is blocked in, what it "
		"sends,\n"
		"which receives it has posted, and which messages have arrived that nobody has asked for.\n",
	.options = CMD_OPT_TARGET | CMD_OPT_OUTPUT | CMD_OPT_ALL | CMD_OPT_LAYOUT,
};

int cmd_queues(int argc, char **argv)
{
	return cmd_query(&about, MPIDBG_WHAT_QUEUES, argc, argv);
}
