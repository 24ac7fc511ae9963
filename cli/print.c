/* SPDX-License-Identifier: BSD-3-Clause */
#include "commands.h"

#include "query.h"

static const struct cmd_about about = {
	.name = "print",
	.usage = "KIND VALUE -p PID | --core FILE | --job PID | --cores DIR|FILE...  [OPTION]...",
	.what = "Show all facts about one MPI object. KIND is one of those of mpidbg handles, or status, aint, "
		"offset.\n"
		"VALUE is the handle's value (0x44000000), a name (MPI_COMM_WORLD), fortran:3, @ADDRESS of a variable "
		"that\n"
		"contains the handle, or cxx:ADDRESS of a C++ object; for a status, its address; for an aint or "
		"offset, its value\n"
		"or @ADDRESS. For a program that was not started with mpi2dd-run, only the facts that the MPI library\n"
		"keeps are known.\n",
	.options = CMD_OPT_TARGET | CMD_OPT_OUTPUT | CMD_OPT_ALL,
	.n_words = 2,
	.first_words = "comm group datatype errhandler file info op request win message session keyval status aint "
		       "offset",
};

int cmd_print(int argc, char **argv)
{
	return cmd_query(&about, MPIDBG_WHAT_HANDLE, argc, argv);
}
