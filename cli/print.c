/* SPDX-License-Identifier: BSD-3-Clause */
#include "commands.h"

#include "query.h"

static const struct cmd_about about = {
	.name = "print",
	.usage = "KIND VALUE -p PID | --core FILE | --job PID | --cores DIR|FILE...  [OPTION]...",
	.what = "Show all that is known about one MPI object. KIND is one of those of mpidbg handles, or\n"
		"status, aint, offset. VALUE is the handle's value (0x44000000), a name (MPI_COMM_WORLD), fortran:3, "
		"or\n"
		"@ADDRESS of a variable that holds the handle, or cxx:ADDRESS of a C++ object; of a status, its\n"
		"address; of an aint or offset, its value or @ADDRESS. The program must have been started as for "
		"mpidbg handles.\n",
	.options = CMD_OPT_TARGET | CMD_OPT_OUTPUT | CMD_OPT_ALL,
	.n_words = 2,
	.first_words = "comm group datatype errhandler file info op request win message session keyval status aint "
		       "offset",
};

int cmd_print(int argc, char **argv)
{
	return cmd_query(&about, MPIDBG_WHAT_HANDLE, argc, argv);
}
