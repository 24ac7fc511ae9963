/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg stacks: the stacks of all threads of a job as one tree, with the ranks on each branch.
 */
#include "../verdict/calltree.h"
#include "../verdict/members.h"
#include "../verdict/words.h"
#include "commands.h"
#include "hosts.h"
#include "json.h"
#include "query_frame.h"
#include "snapshot.h"
#include "stacks_text.h"

#include <stdio.h>
#include <stdlib.h>

static const struct cmd_about about = {
	.name = "stacks",
	.usage = "--job JOB | --cores DIR|FILE... | --snapshot FILE...  [OPTION]...",
	.what = "Merge the stacks of all threads of a job to one tree: the functions in which ranks are, and which "
		"ranks "
		"are in each,\n"
		"branches of few ranks first. Functions inside the MPI library are left out.\n",
	.options = CMD_OPT_TARGET | CMD_OPT_OUTPUT | CMD_OPT_SNAPSHOT | CMD_OPT_HOSTS | CMD_OPT_STACKS | CMD_OPT_ALL,
};

struct stacks {
	struct vd_job job; /* only the identities of the ranks */
	struct vd_tree tree;
	int32_t *without; /* ranks without stacks */
	size_t n_without;
};

static bool build(struct stacks *s, struct cmd_parts *parts, bool all)
{
	s->without = calloc(parts->n + 1, sizeof(*s->without));
	for (size_t i = 0; s->without && i < parts->n; i++) {
		const struct cmd_part_process *p = &parts->processes[i];

		if (!vd_name_rank(&s->job, p->world, p->rank, p->mpi_job))
			continue;
		int32_t rank = (int32_t)s->job.n_ranks - 1;
		json_t *process = cmd_parts_process(parts, i);
		if (!vd_tree_add(&s->tree, rank, json_object_get(process, "calls"), all))
			s->without[s->n_without++] = rank;
		json_decref(process);
	}
	vd_tree_sort(&s->tree);
	return s->without && !s->tree.no_memory && !s->job.no_memory && !parts->no_memory;
}

static void print_json(const struct stacks *s, const struct cmd_job *job)
{
	json_t *o = json_object(), *without = json_array(), *problems = json_array();

	json_object_set_new(o, "schema", json_string("mpidbg/1"));
	json_object_set_new(o, "command", json_string("stacks"));
	json_object_set_new(o, "tree", cmd_stacks_json(&s->job, &s->tree));
	for (size_t i = 0; i < s->n_without; i++)
		json_array_append_new(without, json_integer(s->job.ranks[s->without[i]].rank));
	json_object_set_new(o, "without", without);
	json_object_set_new(o, "helpers", json_integer((json_int_t)s->tree.n_helpers));
	for (size_t i = 0; i < job->problems.n; i++)
		json_array_append_new(problems, json_string(job->problems.line[i]));
	json_object_set_new(o, "problems", problems);
	cmd_json_dump(o, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(o);
}

static void print_text(const struct stacks *s)
{
	struct vd_text text = { .n = 0 };

	cmd_stacks_text(stdout, &s->job, &s->tree);
	if (s->tree.n_helpers)
		printf("%zu thread%s that libraries have created: not shown without --all\n", s->tree.n_helpers,
		       s->tree.n_helpers == 1 ? "" : "s");
	if (!s->n_without)
		return;
	vd_append_ranks(&text, &s->job, s->without, s->n_without);
	vd_append(&text, ": no stack");
	vd_print(stdout, text.bytes);
	putchar('\n');
}

static int print(const struct cmd_options *o, const struct stacks *s, const struct cmd_job *job)
{
	if (o->json)
		print_json(s, job);
	else if (o->folded)
		cmd_stacks_folded(stdout, &s->tree);
	else if (o->dot)
		cmd_stacks_dot(stdout, &s->job, &s->tree);
	else
		print_text(s);
	if (s->tree.n && s->tree.nodes[0].n_ranks)
		return s->n_without ? CMD_PARTIAL : CMD_DONE;
	return CMD_ABSENT;
}

static int run_stacks(const struct cmd_options *o, struct host_plugin *plugin)
{
	struct cmd_hosts hosts = { .n_answered = 0 };
	struct cmd_parts parts = { .head = NULL };
	struct cmd_job job = { 0 };
	struct stacks s = { .n_without = 0 };
	int rc = cmd_snapshot_anywhere(o, plugin, &job, &hosts, &parts);

	if (parts.head && !build(&s, &parts, o->all)) {
		cmd_message("stacks: out of memory");
		rc = CMD_PARTIAL;
	} else if (parts.head) {
		int printed = print(o, &s, &job);
		rc = rc == CMD_DONE ? printed : rc;
	}
	cmd_query_print_problems(&job);
	free(s.without);
	vd_tree_deinit(&s.tree);
	vd_job_deinit(&s.job);
	cmd_parts_deinit(&parts);
	cmd_hosts_deinit(&hosts);
	cmd_job_deinit(&job);
	return rc;
}

int cmd_stacks(int argc, char **argv)
{
	return cmd_query_run(&about, argc, argv, run_stacks);
}
