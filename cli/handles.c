/* SPDX-License-Identifier: BSD-3-Clause */
#include "commands.h"

#include "query.h"

static const struct cmd_about about = {
	.name = "handles",
	.usage = "[KIND] -p PID | --core FILE | --job JOB | --cores DIR|FILE...  [OPTION]...",
	.what = "List the MPI objects that the program has created and not freed, of every kind or of one: comm, "
		"group,\n"
		"datatype, errhandler, file, info, op, request, win, message, session, keyval. For a program that was "
		"not\n"
		"started with mpi2dd-run, the objects in the memory of the MPI library are listed: without the calls "
		"that\n"
		"created them, and without freed objects.\n",
	.options = CMD_OPT_TARGET | CMD_OPT_OUTPUT | CMD_OPT_ALL | CMD_OPT_HANDLES | CMD_OPT_HOSTS,
	.n_words = 1,
	.first_words = "comm group datatype errhandler file info op request win message session keyval",
};

int cmd_handles(int argc, char **argv)
{
	return cmd_query(&about, MPIDBG_WHAT_HANDLES, argc, argv);
}
