/* SPDX-License-Identifier: BSD-3-Clause */
#include "layout.h"
#include "commands.h"
#include "help.h"
#include "message.h"

#include <stdio.h>
#include <string.h>

static const struct cmd_about about = {
	.name = "layout",
	.usage = "list [--json]\n"
		 "       mpidbg layout check [--json] PACK [FILE ...]\n"
		 "       mpidbg layout make [-o FILE] --source FOLDER [--build FOLDER]\n"
		 "       mpidbg layout make [-o FILE] --rows FILE ... PROBE.o ...",
	.what = "Layout packs say how the structures of an MPI library without debug information are laid out.\n"
		"  list    the packs that are built in or found in $MPIDBG_LAYOUTS and the install folder\n"
		"  check   is a pack well-formed, and do libraries, programs or probes agree with it?\n"
		"  make    write a pack from a source tree of Open MPI, or from the debug information of compiled "
		"probes\n"
		"'mpidbg layout FORM --help' says more.\n",
	.first_words = "list check make",
};

static void usage(FILE *out)
{
	fprintf(out, "usage: mpidbg layout %s\n%s", about.usage, about.what);
}

int cmd_layout(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(int argc, char **argv);
	} forms[] = { { "list", cmd_layout_list }, { "check", cmd_layout_check }, { "make", cmd_layout_make } };
	static const char *const names[] = { "list", "check", "make", NULL };

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		usage(stdout);
		return CMD_DONE;
	}
	if (argc > 1 && strncmp(argv[1], "--help=", 7) == 0 && cmd_help_form(argv[1] + 7) != CMD_HELP_NONE) {
		cmd_help(&about, NULL, 0, cmd_help_form(argv[1] + 7));
		return CMD_DONE;
	}
	for (size_t i = 0; argc > 1 && i < sizeof(forms) / sizeof(*forms); i++)
		if (!strcmp(argv[1], forms[i].name))
			return forms[i].run(argc - 1, argv + 1);
	const char *near = argc > 1 ? cmd_nearest(argv[1], names) : NULL;
	if (near)
		cmd_message("layout: no such form: %s: did you mean %s?", argv[1], near);
	else if (argc > 1)
		cmd_message("layout: no such form: %s", argv[1]);
	else
		cmd_message("layout: no action given: list, check FILE or make (mpidbg layout --help)");
	usage(stderr);
	return CMD_USAGE;
}
