/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg report: a job, analyzed by verdict/, as an HTML page of report/.
 */
#include "commands.h"
#include "page.h"
#include "query_frame.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct cmd_about about = {
	.name = "report",
	.usage = "--job JOB | --cores DIR|FILE... | --snapshot FILE...  -o FILE  [OPTION]...",
	.what = "Write one HTML page, for a ticket: why the job hangs, the wait-for graph, the activity and location "
		"of each\n"
		"rank, queues, collectives, stacks. The page is self-contained: no scripts, nothing is loaded.\n"
		"Graphviz (dot) draws the graph; without it the page has a list instead.\n",
	.options = CMD_OPT_TARGET | CMD_OPT_SNAPSHOT | CMD_OPT_REPORT | CMD_OPT_HOSTS | CMD_OPT_SOURCE,
};

static int write_report(const struct cmd_options *o, const struct cmd_seen *s)
{
	FILE *f = o->output ? fopen(o->output, "we") : stdout;

	if (!f) {
		cmd_message("report: %s: %s", o->output, strerror(errno));
		return CMD_PARTIAL;
	}
	int rc = cmd_page_write(f, s, o->dot, about.name, o->output ? o->output : "standard output");
	if (o->output && fclose(f) != 0 && rc == CMD_DONE) {
		cmd_message("report: %s: %s", o->output, strerror(errno));
		rc = CMD_PARTIAL;
	}
	return rc;
}

static int run_report(const struct cmd_options *o, struct host_plugin *plugin)
{
	struct cmd_seen s;

	cmd_seen_take(o, plugin, &(struct cmd_judging){ .keep = true }, about.name, &s);
	int rc = s.rc;
	if (s.ok) {
		int written = write_report(o, &s);
		rc = written == CMD_DONE ? rc : written;
	}
	cmd_query_print_problems(&s.judged.job);
	cmd_seen_deinit(&s);
	return rc;
}

int cmd_report(int argc, char **argv)
{
	struct cmd_options o;
	struct host_plugin plugin = { 0 };
	int rc;

	if (!cmd_options_parse(&about, argc, argv, &o, &rc))
		return rc;
	if (!o.output && !o.dot && isatty(STDOUT_FILENO)) {
		cmd_message("report: the page is not written to a terminal: name a file with -o FILE");
		cmd_options_deinit(&o);
		return CMD_USAGE;
	}
	rc = o.kind == CMD_TARGET_SNAPSHOT ? CMD_DONE : cmd_query_plugin(&o, &plugin);
	o.variables = true;
	if (rc == CMD_DONE)
		rc = run_report(&o, &plugin);
	host_plugin_unload(&plugin);
	cmd_options_deinit(&o);
	return rc;
}
