/* SPDX-License-Identifier: BSD-3-Clause */
#include "commands.h"

#include "hosts_judged.h"
#include "query.h"

#include <stdio.h>

static const struct cmd_about about = {
	.name = "queues",
	.usage = "-p PID | --core FILE | --job JOB | --cores DIR|FILE... | --snapshot FILE...  [OPTION]...",
	.what = "Show the message queues of an MPI process, or of every rank of a job: blocked calls, pending sends, "
		"posted\n"
		"receives, and unexpected messages. For a job the last lines say why it hangs, as mpidbg deadlock "
		"does.\n",
	.options = CMD_OPT_TARGET | CMD_OPT_OUTPUT | CMD_OPT_ALL | CMD_OPT_LAYOUT | CMD_OPT_VERDICT | CMD_OPT_HOSTS |
		   CMD_OPT_FILES,
};

static void print_verdict(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_job *job)
{
	struct cmd_judged j;
	struct vd_verdict v;

	bool files = o->kind == CMD_TARGET_SNAPSHOT, elsewhere = job->n && !job->procs[0].here && !job->launcher;
	bool any = files ? cmd_judged_take(o, plugin, false, &j) <= CMD_PARTIAL && j.ranks.n_ranks
		   : elsewhere
			   ? cmd_hosts_judge(o, plugin, &(struct cmd_judging){ .keep = false }, &j) <= CMD_PARTIAL &&
				     j.ranks.n_ranks
			   : cmd_judged_answers(o, plugin, job, &j);
	if (any && vd_judge(&j.ranks, &v)) {
		putchar('\n');
		vd_summary(&j.ranks, &v, o->color, stdout);
		vd_verdict_deinit(&v);
	}
	for (size_t i = 0; !files && i < j.job.problems.n; i++) /* those of files are known */
		cmd_lines_add(&job->problems, "%s", j.job.problems.line[i]);
	cmd_judged_deinit(&j);
}

int cmd_queues(int argc, char **argv)
{
	return cmd_query_judged(&about, MPIDBG_WHAT_QUEUES, argc, argv, print_verdict);
}
