/* SPDX-License-Identifier: BSD-3-Clause */
#include "layout.h"
#include "commands.h"
#include "say.h"

#include <stdio.h>
#include <string.h>

static const char usage
	[] = "usage: mpidbg layout list [--json]\n"
	     "       mpidbg layout check [--json] PACK [FILE ...]\n"
	     "       mpidbg layout make [-o FILE] --source FOLDER [--build FOLDER]\n"
	     "       mpidbg layout make [-o FILE] --rows FILE ... PROBE.o ...\n"
	     "Layout packs say how the structures of an MPI library without debug information are laid out.\n"
	     "  list    the packs that are built in or found in $MPIDBG_LAYOUTS and the install folder\n"
	     "  check   is a pack well-formed, and do libraries, programs or probes agree with it?\n"
	     "  make    write a pack from a source tree of Open MPI, or from the debug information of compiled probes\n"
	     "'mpidbg layout FORM --help' says more.\n";

int cmd_layout(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(int argc, char **argv);
	} forms[] = { { "list", cmd_layout_list }, { "check", cmd_layout_check }, { "make", cmd_layout_make } };
	static const char *const names[] = { "list", "check", "make", NULL };

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(usage, stdout);
		return CMD_DONE;
	}
	for (size_t i = 0; argc > 1 && i < sizeof(forms) / sizeof(*forms); i++)
		if (!strcmp(argv[1], forms[i].name))
			return forms[i].run(argc - 1, argv + 1);
	const char *near = argc > 1 ? cmd_nearest(argv[1], names) : NULL;
	if (near)
		cmd_say("layout: no such form: %s: did you mean %s?", argv[1], near);
	else if (argc > 1)
		cmd_say("layout: no such form: %s", argv[1]);
	else
		cmd_say("layout: say which: list, check FILE or make (mpidbg layout --help)");
	fputs(usage, stderr);
	return CMD_USAGE;
}
