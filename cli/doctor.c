/* SPDX-License-Identifier: BSD-3-Clause */
#include "commands.h"

#include "query.h"

static const struct cmd_about about = {
	.name = "doctor",
	.usage = "-p PID | --core FILE | --job PID | --cores DIR|FILE...  [OPTION]...",
	.what = "Show what can be read of a process: which MPI library it uses, the source of the layout of its data, "
		"what is\n"
		"missing, and what to do about it.\n",
	.options = CMD_OPT_TARGET | CMD_OPT_OUTPUT | CMD_OPT_ALL | CMD_OPT_LAYOUT,
};

int cmd_doctor(int argc, char **argv)
{
	return cmd_query(&about, MPIDBG_WHAT_DOCTOR, argc, argv);
}
