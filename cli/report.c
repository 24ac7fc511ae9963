/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg report: a job, analyzed by verdict/, as an HTML page of report/.
 */
#include "../verdict/report.h"
#include "../report/dot.h"
#include "../report/page.h"
#include "../verdict/source.h"
#include "commands.h"
#include "hosts_judged.h"
#include "query_frame.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
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

/* @return false: out of memory */
static bool write_dot(FILE *out, const struct rp_source *s)
{
	struct rp_waits w = { .n_nodes = 0 };

	rp_waits_make(&w, s);
	bool ok = !w.no_memory;
	if (ok)
		rp_dot(out, &w);
	rp_waits_deinit(&w);
	return ok;
}

static int write_to(FILE *out, const struct cmd_options *o, const struct rp_source *s)
{
	const char *no_picture = NULL;

	if (o->dot ? !write_dot(out, s) : !rp_page(out, s, &no_picture)) {
		cmd_message("report: %s: out of memory, or it cannot be written",
			    o->output ? o->output : "standard output");
		return CMD_PARTIAL;
	}
	if (no_picture)
		cmd_message("report: without the wait-for graph: %s", no_picture);
	return CMD_DONE;
}

static int write_report(const struct cmd_options *o, const struct rp_source *s)
{
	FILE *f = o->output ? fopen(o->output, "we") : stdout;

	if (!f) {
		cmd_message("report: %s: %s", o->output, strerror(errno));
		return CMD_PARTIAL;
	}
	int rc = write_to(f, o, s);
	if (o->output && fclose(f) != 0 && rc == CMD_DONE) {
		cmd_message("report: %s: %s", o->output, strerror(errno));
		rc = CMD_PARTIAL;
	}
	return rc;
}

static int judge(const struct cmd_options *o, const struct cmd_judged *j)
{
	struct vd_groups groups = { .n = 0 };
	struct vd_folds folds = { .n = 0 };
	struct vd_verdict v;
	int rc = CMD_PARTIAL;

	if (!vd_judge(&j->ranks, &v)) {
		cmd_message("report: out of memory");
		return rc;
	}
	vd_group_ranks(&groups, &j->ranks, &v);
	vd_fold_groups(&folds, &j->ranks, &v, &groups);
	int32_t *group_of = rp_group_of(&j->ranks, &groups), *suspects = calloc(j->ranks.n_ranks, sizeof(*suspects));
	struct rp_source s = { .snapshot = j->parts.head,
			       .processes = (const json_t *const *)j->processes,
			       .job = &j->ranks,
			       .verdict = &v,
			       .groups = &groups,
			       .folds = &folds,
			       .suspects = suspects,
			       .n_suspects = suspects ? vd_look_at(&j->ranks, &v, suspects) : 0,
			       .group_of = group_of,
			       .problems = j->job.problems.line,
			       .n_problems = j->job.problems.n };
	if (group_of && suspects && !groups.no_memory && !folds.no_memory)
		rc = write_report(o, &s);
	else
		cmd_message("report: out of memory");
	free(group_of);
	free(suspects);
	vd_folds_deinit(&folds);
	vd_groups_deinit(&groups);
	vd_verdict_deinit(&v);
	return rc;
}

static int run(const struct cmd_options *o, struct host_plugin *plugin)
{
	struct cmd_judged j;
	int rc = cmd_hosts_judge(o, plugin, true, &j);

	j.ranks.sources = vd_sources_create(o->source_dir);
	if (j.ranks.n_ranks) {
		int written = judge(o, &j);
		rc = written == CMD_DONE ? rc : written;
	}
	cmd_query_print_problems(&j.job);
	cmd_judged_deinit(&j);
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
		rc = run(&o, &plugin);
	host_plugin_unload(&plugin);
	cmd_options_deinit(&o);
	return rc;
}
