/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg deadlock: reports why a job hangs, by the analysis in verdict/.
 */
#include "commands.h"
#include "hosts_judged.h"
#include "json.h"
#include "query.h"

#include <stdio.h>

static const struct cmd_about about = {
	.name = "deadlock",
	.usage = "--job JOB | --cores DIR|FILE... | --snapshot FILE...  [OPTION]...",
	.what = "Say why a job hangs: which ranks wait for each other, which rank is missing, what does not match, and "
		"where in\n"
		"the program. A live job that may hang is read twice.\n",
	.options = CMD_OPT_TARGET | CMD_OPT_OUTPUT | CMD_OPT_SNAPSHOT | CMD_OPT_HOSTS,
	.epilogue = "             4 the job stands still: a deadlock, a mismatch, or a rank that is missing and does "
		    "not run.\n",
};

static void print_json(const struct cmd_job *job, const struct vd_job *j, const struct vd_verdict *v,
		       const json_t *snapshot)
{
	json_t *o = json_object(), *problems = json_array();

	json_object_set_new(o, "schema", json_string("mpidbg/1"));
	json_object_set_new(o, "command", json_string("deadlock"));
	json_object_set(o, "job", json_object_get(snapshot, "job"));
	json_object_set_new(o, "verdict", vd_report_json(j, v));
	for (size_t i = 0; i < job->problems.n; i++)
		json_array_append_new(problems, json_string(job->problems.line[i]));
	json_object_set_new(o, "problems", problems);
	cmd_json_dump(o, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(o);
}

static int judge(const struct cmd_options *o, const struct cmd_judged *j, int rc)
{
	struct vd_verdict v;

	if (!vd_judge(&j->ranks, &v)) {
		cmd_message("deadlock: out of memory");
		return CMD_PARTIAL;
	}
	if (o->json)
		print_json(&j->job, &j->ranks, &v, j->parts.head);
	else
		vd_report(&j->ranks, &v, o->color, stdout);
	int ret = v.result != VD_NO_DEADLOCK && v.stands_still ? CMD_DEADLOCK : rc;
	vd_verdict_deinit(&v);
	return ret;
}

static int run(const struct cmd_options *o, struct host_plugin *plugin)
{
	struct cmd_judged j;
	int rc = cmd_hosts_judge(o, plugin, false, &j);

	if (j.ranks.n_ranks)
		rc = judge(o, &j, rc);
	cmd_query_print_problems(&j.job);
	cmd_judged_deinit(&j);
	return rc;
}

int cmd_deadlock(int argc, char **argv)
{
	struct cmd_options o;
	struct host_plugin plugin = { 0 };
	int rc;

	if (!cmd_options_parse(&about, argc, argv, &o, &rc))
		return rc;
	rc = o.kind == CMD_TARGET_SNAPSHOT ? CMD_DONE : cmd_query_plugin(&o, &plugin);
	if (rc == CMD_DONE)
		rc = run(&o, &plugin);
	host_plugin_unload(&plugin);
	cmd_options_deinit(&o);
	return rc;
}
