/* SPDX-License-Identifier: BSD-3-Clause */
/* Takes the processes of a job, or reads files. */
#include "snapshot.h"

#include "answer.h"
#include "ask_job.h"
#include "children.h"
#include "collect.h"
#include "cores.h"
#include "ended.h"
#include "problems.h"
#include "snapshot_process.h"
#include "started.h"
#include "variables.h"

#include "../access/quote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- from processes -------------------------------------------------------------------------------- */

/* The world of a process, as it is called on all hosts of the job. */
static json_t *world_json(const struct cmd_job *job, const struct cmd_proc *p)
{
	const char *name = *p->job ? p->job : p->world != CMD_NO_WORLD ? job->worlds.v[p->world].id : NULL;
	json_t *ret = json_object();

	if (name)
		json_object_set_new(ret, "name", json_string(name));
	if (p->world_size > 0)
		json_object_set_new(ret, "size", json_integer(p->world_size));
	return ret;
}

/* Number the worlds in the order of the processes: those of one MPI_COMM_WORLD are adjacent. */
static json_t *processes_json(const struct cmd_job *job, bool beside_text, const struct cmd_children *children,
			      json_t *worlds)
{
	json_t *list = json_array();
	const struct cmd_proc *before = NULL;

	for (size_t i = 0; i < job->n; i++) {
		const struct cmd_proc *p = &job->procs[i];
		if (p->answer->left_out)
			continue;
		if (!before || !cmd_same_world(before, p))
			json_array_append_new(worlds, world_json(job, p));
		before = p;
		json_t *process = cmd_snapshot_process(p, beside_text);
		if (children)
			cmd_children_add(children, p, process);
		json_object_set_new(process, "world_number", json_integer((json_int_t)json_array_size(worlds) - 1));
		json_array_append_new(list, process ? process : json_null());
	}
	cmd_ended_mark(job, list);
	return list;
}

/* The command line of the launcher; NULL: it cannot be read. */
static json_t *command_line(pid_t launcher)
{
	enum { WORDS_MAX = 1000, LINE_MAX_BYTES = 64 << 10 };
	char path[64], *line = NULL, quoted[4096];
	size_t n = 0, size = 0;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)launcher);
	FILE *f = fopen(path, "re");
	json_t *words = f ? json_array() : NULL;
	while (words && json_array_size(words) < WORDS_MAX && n < LINE_MAX_BYTES &&
	       getdelim(&line, &size, '\0', f) > 0) {
		n += strlen(line);
		acc_quote(quoted, sizeof(quoted), line);
		json_array_append_new(words, json_string(quoted));
	}
	free(line);
	if (f)
		fclose(f);
	return words;
}

/* Add the variables of the first world, which mpidbg vars --diff compares. */
static void add_variables(struct cmd_variables *v, const struct cmd_job *job)
{
	for (size_t i = 0; i < job->n; i++) {
		const struct cmd_proc *p = &job->procs[i];
		if (p->answer->left_out || !cmd_same_world(p, &job->procs[0]))
			continue;
		json_t *answer = cmd_spool_json(&p->answer->vars);
		cmd_variables_add(v, answer, p->rank);
		json_decref(answer);
	}
}

/* Of the system that runs now. */
static json_t *boot_json(void)
{
	char text[64] = "";
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (f && fgets(text, sizeof(text), f))
		text[strcspn(text, "\n")] = '\0';
	if (f)
		fclose(f);
	return *text ? json_string(text) : NULL;
}

static json_t *frame(const struct cmd_job *job)
{
	json_t *o = json_object(), *inner = json_object();

	json_object_set_new(o, "schema", json_string(CMD_SNAPSHOT_SCHEMA));
	json_object_set_new(o, "command", json_string("snapshot"));
	json_object_set_new(o, "time", json_integer((json_int_t)time(NULL)));
	json_object_set_new(o, "host", json_string(cmd_this_host()));
	json_t *boot = boot_json();
	if (boot)
		json_object_set_new(o, "boot", boot);
	json_object_set_new(o, "started", json_integer(cmd_started_ms()));
	if (*job->name)
		json_object_set_new(inner, "name", json_string(job->name));
	if (*job->mpiexec)
		json_object_set_new(inner, "mpiexec", json_string(job->mpiexec));
	if (job->launcher)
		json_object_set_new(inner, "launcher", json_integer(job->launcher));
	json_t *words = job->launcher ? command_line(job->launcher) : NULL;
	if (json_array_size(words))
		json_object_set(inner, "command_line", words);
	json_decref(words);
	if (job->source)
		json_object_set_new(inner, "source", json_string(job->source));
	if (cmd_job_size(job) >= 0)
		json_object_set_new(inner, "size", json_integer(cmd_job_size(job)));
	json_object_set_new(o, "job", inner);
	return o;
}

/*
 * @param children NULL: not wanted
 * @param ret all zero
 */
static void make_parts(const struct cmd_job *job, bool beside_text, const struct cmd_children *children,
		       struct cmd_parts *ret)
{
	struct cmd_lines none = { 0 };
	json_t *head = frame(job), *worlds = json_array(),
	       *processes = processes_json(job, beside_text, children, worlds);

	json_object_set_new(head, "worlds", worlds);
	cmd_parts_add(ret, head, processes, &none);
	cmd_parts_merge(ret, &none);
	json_decref(processes);
	json_decref(head);
}

void cmd_snapshot_of_answers(const struct cmd_job *job, struct cmd_parts *ret)
{
	*ret = (struct cmd_parts){ .head = NULL };
	make_parts(job, true, NULL, ret);
}

static void print_stats(const struct cmd_job *job)
{
	double longest = 0;

	for (size_t i = 0; i < job->n; i++)
		if (job->procs[i].answer->stopped_ms > longest)
			longest = job->procs[i].answer->stopped_ms;
	cmd_message("stats: %zu processes, none was stopped longer than %.1f ms", job->n, longest);
}

static enum cmd_exit take_processes(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_job *job,
				    struct cmd_parts *ret)
{
	struct cmd_options asked = *o;
	enum cmd_exit rc = cmd_job_collect(o, plugin, job);
	struct cmd_answer *answers = calloc(job->n + 1, sizeof(*answers));
	size_t n_read = 0, n_problems = job->problems.n;

	if (rc != CMD_DONE || !answers) {
		free(answers);
		return rc == CMD_DONE ? CMD_PARTIAL : rc;
	}
	asked.json = true;
	for (size_t i = 0; i < job->n; i++)
		job->procs[i].answer = &answers[i];
	cmd_ask_all(&asked, plugin, CMD_WHAT_SNAPSHOT, job);
	if (o->kind == CMD_TARGET_CORES) {
		cmd_job_sort(job); /* ranks of cores are known only now */
		cmd_cores_check(job, o);
		n_problems = job->problems.n;
	}
	enum cmd_exit ranks = cmd_job_check_ranks(job, o);
	for (size_t i = 0; i < job->n; i++) {
		n_read += answers[i].rc == CMD_DONE && !answers[i].left_out;
		if (answers[i].rc != CMD_DONE)
			rc = CMD_PARTIAL;
	}
	cmd_problems_gather(job);
	if (o->variables)
		add_variables(&ret->variables, job);
	struct cmd_children children;
	cmd_children_begin(&children, o, plugin, job);
	make_parts(job, false, o->last ? &children : NULL, ret);
	if (o->stats)
		print_stats(job);
	for (size_t i = 0; i < job->n; i++) {
		cmd_answer_deinit(&answers[i]);
		job->procs[i].answer = NULL;
	}
	free(answers);
	return ranks != CMD_DONE ? ranks : n_problems ? CMD_PARTIAL : !n_read && job->n ? CMD_PARTIAL : rc;
}

enum cmd_exit cmd_snapshot_take(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_job *job,
				struct cmd_parts *ret)
{
	*ret = (struct cmd_parts){ .head = NULL };
	if (o->kind != CMD_TARGET_SNAPSHOT)
		return take_processes(o, plugin, job, ret);
	for (size_t i = 0; i < o->n_files; i++)
		cmd_parts_add_file(ret, o->files[i], &job->problems);
	cmd_parts_merge(ret, &job->problems);
	return !ret->head || job->problems.n ? CMD_PARTIAL : CMD_DONE;
}
