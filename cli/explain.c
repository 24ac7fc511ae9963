/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg explain: all threads of one rank, with what each waits for, and why the job hangs.
 */
#include "commands.h"
#include "hosts_judged.h"
#include "json.h"
#include "query_frame.h"

#include "../verdict/explain.h"
#include "../verdict/source.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool check_rank(struct cmd_options *o)
{
	const char *word = o->words[0];

	if (o->of_process) {
		if (!word)
			return true;
		cmd_message("explain: %s, or the rank of -p? mpidbg explain -p PID", word);
		return false;
	}
	if (word && *word && strspn(word, "0123456789") == strlen(word) && strlen(word) < 10)
		return true;
	cmd_message("explain: which rank? mpidbg explain RANK --job JOB, or -p PID");
	return false;
}

static const struct cmd_about about = {
	.name = "explain",
	.usage = "RANK --job JOB | --cores DIR|FILE... | --snapshot FILE...  [OPTION]...\n       mpidbg explain -p PID "
		 " [OPTION]...",
	.what = "Show one rank: where each of its threads is, what it waits for, in MPI and outside, who holds the "
		"lock "
		"or has\n"
		"the other end, whether it has run, and its stack. Then why the job hangs.\n",
	.options = CMD_OPT_TARGET | CMD_OPT_OUTPUT | CMD_OPT_SNAPSHOT | CMD_OPT_HOSTS | CMD_OPT_SOURCE,
	.n_words = 1,
	.of_process = true,
	.check_words = check_rank,
};

static void print_json(const struct cmd_judged *j, const struct vd_verdict *v, json_t *process)
{
	json_t *o = json_object(), *problems = json_array();

	json_object_set_new(o, "schema", json_string("mpidbg/1"));
	json_object_set_new(o, "command", json_string("explain"));
	json_object_set(o, "job", json_object_get(j->parts.head, "job"));
	json_object_set(o, "process", process);
	json_object_set_new(o, "verdict", vd_report_json(&j->ranks, v));
	for (size_t i = 0; i < j->job.problems.n; i++)
		json_array_append_new(problems, json_string(j->job.problems.line[i]));
	json_object_set_new(o, "problems", problems);
	cmd_json_dump(o, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(o);
}

static const struct vd_rank *rank_of_process(const struct vd_job *job, pid_t pid)
{
	for (size_t i = 0; i < job->n_ranks; i++)
		if (job->ranks[i].pid == pid)
			return &job->ranks[i];
	return NULL;
}

static int explain(const struct cmd_options *o, const struct cmd_judged *j, int rc)
{
	const struct vd_rank *r = o->of_process ? rank_of_process(&j->ranks, o->pid)
						: vd_find_rank(&j->ranks, 0, (int32_t)atoi(o->words[0]));
	struct vd_verdict v;

	if (!r && o->of_process)
		cmd_message("explain: process %d is no rank of its job: did you mean --job?", (int)o->pid);
	else if (!r)
		cmd_message("explain: the job has no rank %s", o->words[0]);
	if (!r)
		return CMD_ABSENT;
	if (!vd_judge(&j->ranks, &v)) {
		cmd_message("explain: out of memory");
		return CMD_PARTIAL;
	}
	size_t i = (size_t)(r - j->ranks.ranks);
	json_t *process = j->processes && i < j->n_processes ? j->processes[i] : NULL;
	if (o->json)
		print_json(j, &v, process);
	else
		vd_explain(&j->ranks, &v, i, process, stdout);
	vd_verdict_deinit(&v);
	return rc;
}

static int run_explain(const struct cmd_options *o, struct host_plugin *plugin)
{
	struct cmd_judged j;
	int rc = cmd_hosts_judge(o, plugin, &(struct cmd_judging){ .keep = true }, &j);

	j.ranks.sources = vd_sources_create(o->source_dir);
	if (j.ranks.n_ranks)
		rc = explain(o, &j, rc);
	cmd_query_print_problems(&j.job);
	cmd_judged_deinit(&j);
	return rc;
}

int cmd_explain(int argc, char **argv)
{
	return cmd_query_run(&about, argc, argv, run_explain);
}
