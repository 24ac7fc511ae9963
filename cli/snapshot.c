/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg snapshot: writes the state of all ranks of a job.
 */
#include "snapshot.h"

#include "commands.h"
#include "hosts.h"
#include "query_frame.h"

#include <stdio.h>

static const struct cmd_about about = {
	.name = "snapshot",
	.usage = "--job JOB | --cores DIR|FILE... | --snapshot FILE...  [OPTION]...",
	.what = "Write the state of all ranks of a job as text, a line of JSON for each, for mpidbg deadlock "
		"--snapshot, on this or "
		"another machine.\n"
		"For a job on several hosts, run it on each host; --snapshot merges the parts.\n",
	.options = CMD_OPT_TARGET | CMD_OPT_SNAPSHOT | CMD_OPT_HOSTS | CMD_OPT_FOLD,
};

enum cmd_exit cmd_snapshot_anywhere(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_job *job,
				    struct cmd_hosts *h, struct cmd_parts *ret)
{
	struct cmd_options asked = *o;
	enum cmd_exit rc = cmd_hosts_ask(o, plugin, NULL, &job->problems, h);

	asked.last = true;
	if (rc == CMD_DONE && !h->plan.n_hosts)
		return cmd_snapshot_take(&asked, plugin, job, ret);
	if (rc != CMD_DONE)
		return rc;
	cmd_hosts_parts(h, true, &job->problems, ret);
	return !ret->n ? CMD_ABSENT : job->problems.n ? CMD_PARTIAL : CMD_DONE;
}

int cmd_snapshot(int argc, char **argv)
{
	struct cmd_options o;
	struct host_plugin plugin = { 0 };
	struct cmd_job job = { 0 };
	struct cmd_hosts hosts = { .n_answered = 0 };
	struct cmd_parts parts = { .head = NULL };
	int rc;

	if (!cmd_options_parse(&about, argc, argv, &o, &rc))
		return rc;
	rc = o.kind == CMD_TARGET_SNAPSHOT ? CMD_DONE : cmd_query_plugin(&o, &plugin);
	o.variables = true;
	if (rc == CMD_DONE) {
		rc = cmd_snapshot_anywhere(&o, &plugin, &job, &hosts, &parts);
		if (parts.head && (!cmd_parts_write(&parts, o.fold, &job.problems, stdout) || fflush(stdout) != 0)) {
			cmd_message("snapshot: a process cannot be read any more, the output cannot be written, or out "
				    "of memory");
			rc = CMD_PARTIAL;
		}
		cmd_query_print_problems(&job);
	}
	cmd_parts_deinit(&parts);
	cmd_hosts_deinit(&hosts);
	cmd_job_deinit(&job);
	host_plugin_unload(&plugin);
	cmd_options_deinit(&o);
	return rc;
}
