/* SPDX-License-Identifier: BSD-3-Clause */
#include "query_frame.h"

#include "commands.h"
#include "json.h"
#include "message.h"
#include "spool.h"

#include <stdio.h>
#include <string.h>

enum cmd_exit cmd_query_plugin(const struct cmd_options *o, struct host_plugin *ret)
{
	struct host_error err = { 0 };
	const char *path = o->plugin ? o->plugin : host_plugin_default_path();

	if (host_plugin_load(path, ret, &err) == HOST_OK)
		return CMD_DONE;
	cmd_message("plugin %s%s", err.text,
		    o->plugin ? ""
			      : ": it must be next to the command or in its lib directory: install it, or name it with "
				"--plugin");
	return err.code == HOST_ABSENT ? CMD_ABSENT : CMD_PARTIAL;
}

int cmd_query_run(const struct cmd_about *about, int argc, char **argv, cmd_query_body *run)
{
	struct cmd_options o;
	struct host_plugin plugin = { 0 };
	int rc;

	if (!cmd_options_parse(about, argc, argv, &o, &rc))
		return rc;
	rc = o.kind == CMD_TARGET_SNAPSHOT ? CMD_DONE : cmd_query_plugin(&o, &plugin);
	if (rc == CMD_DONE)
		rc = run(&o, &plugin);
	host_plugin_unload(&plugin);
	cmd_options_deinit(&o);
	return rc;
}

/* Add to the number of ranks: spawned and connected worlds. */
static void count_others(const struct cmd_job *job, char *text, size_t n)
{
	size_t n_spawned = 0, n_met = 0;

	for (size_t i = 0; i < job->n; i++) {
		const struct cmd_proc *p = &job->procs[i];
		const struct cmd_world *w = p->world == CMD_NO_WORLD ? NULL : &job->worlds.v[p->world];
		if (cmd_same_world(p, &job->procs[0]))
			continue;
		if (w && !w->parent_id)
			n_met++;
		else
			n_spawned++;
	}
	if (job->n && job->procs[0].core && !job->worlds.n)
		return;
	size_t used = strlen(text);
	if (n_spawned)
		snprintf(text + used, n - used, "%s%zu spawned", used ? ", " : "", n_spawned);
	used = strlen(text);
	if (n_met)
		snprintf(text + used, n - used, "%s%zu connected", used ? ", " : "", n_met);
}

void cmd_query_heading(const struct cmd_job *job)
{
	int64_t size = cmd_job_size(job);
	char ranks[96] = "";

	if (!job->is_job || !job->source)
		return;
	if (size >= 0)
		snprintf(ranks, sizeof(ranks), "%lld rank%s", (long long)size, size == 1 ? "" : "s");
	count_others(job, ranks, sizeof(ranks));
	if (strcmp(job->source, "cores") == 0)
		printf("job%s%s, from %zu core%s", *ranks ? " of " : "", ranks, job->n, job->n == 1 ? "" : "s");
	else if (job->launcher) {
		fputs("job of ", stdout);
		cmd_put(job->launcher_name && *job->launcher_name ? job->launcher_name : "process", 0);
		printf(" %d%s%s (%s)", (int)job->launcher, *ranks ? ": " : "", ranks, job->source);
	} else if (strcmp(job->source, "MPI2DD") == 0)
		printf("job%s%s (%s)", *ranks ? " of " : "", ranks, job->source);
	else if (job->launcher_name) {
		fputs("job ", stdout);
		cmd_put(job->launcher_name, 0);
		printf("%s%s (%s)", *ranks ? ": " : "", ranks, job->source);
	} else
		printf("job whose launcher is not on this machine%s%s (%s)", *ranks ? ": " : "", ranks, job->source);
	putchar('\n');
}

/* Print the spool directly: its text is already escaped. */
static void flush_spool(struct cmd_spool *s)
{
	cmd_spool_copy(s, 0, stdout);
	cmd_spool_deinit(s);
}

void cmd_query_json_begin(const char *command, const struct cmd_job *job)
{
	struct cmd_spool s = { 0 };
	bool first = true, inner = true;

	cmd_spool_puts(&s, "{");
	cmd_json_member(&s, &first, "schema", "mpidbg/1");
	cmd_json_member(&s, &first, "command", command);
	if (job->is_job && job->source) {
		cmd_json_name(&s, &first, "job");
		cmd_spool_puts(&s, "{");
		if (job->launcher)
			cmd_json_number(&s, &inner, "launcher", job->launcher);
		cmd_json_member(&s, &inner, "source", job->source);
		if (cmd_job_size(job) >= 0)
			cmd_json_number(&s, &inner, "size", cmd_job_size(job));
		cmd_spool_puts(&s, "}");
	}
	cmd_spool_puts(&s, ",\n \"processes\": [\n");
	flush_spool(&s);
}

void cmd_query_json_end(const struct cmd_job *job)
{
	struct cmd_spool s = { 0 };
	bool first = true;

	cmd_spool_puts(&s, " ],\n ");
	cmd_json_lines(&s, &first, "problems", job->problems.line, job->problems.n);
	cmd_spool_puts(&s, "}\n");
	flush_spool(&s);
}

void cmd_query_print_problems(const struct cmd_job *job)
{
	for (size_t i = 0; i < job->problems.n; i++)
		cmd_message("%s", job->problems.line[i]);
}
