/* SPDX-License-Identifier: BSD-3-Clause */
#include "layout.h"
#include "commands.h"

#include <getopt.h>
#include <stdio.h>

int cmd_layout_flags(int argc, char **argv, const char *form_usage, bool *as_json)
{
	static const struct option options[] = { { "json", no_argument, NULL, 'j' },
						 { "help", no_argument, NULL, 'h' },
						 { 0 } };
	int c;

	optind = 0;
	opterr = 0;
	while ((c = getopt_long(argc, argv, "jh", options, NULL)) != -1)
		switch (c) {
		case 'j':
			*as_json = true;
			break;
		case 'h':
			fputs(form_usage, stdout);
			return CMD_DONE;
		default:
			fputs(form_usage, stderr);
			return CMD_USAGE;
		}
	return -1;
}
