/* SPDX-License-Identifier: BSD-3-Clause */
#include "files_query.h"

#include "json.h"
#include "parts.h"
#include "process_text.h"
#include "snapshot.h"

#include "../host/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* Members that only snapshots have. */
static void strip(json_t *process)
{
	static const char *const keys[] = { "recorded_calls", "partitioned", "windows", "files",
					    "threads",        "sources",     "kept",    "world_number" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		json_object_del(process, keys[i]);
}

static void put_answer(const struct cmd_options *o, int what, json_t *process, struct cmd_answer *ret)
{
	ret->rc = json_is_object(json_object_get(process, "mpi")) ? CMD_DONE : CMD_PARTIAL;
	ret->state = "";
	if (!o->json) {
		cmd_process_text(&ret->text, process, what == MPIDBG_WHAT_QUEUES, o->all);
		return;
	}
	strip(process);
	if (what != MPIDBG_WHAT_QUEUES)
		json_object_del(process, "communicators");
	char *text = cmd_json_text(process, JSON_COMPACT);
	if (text)
		cmd_spool_puts(&ret->text, text);
	free(text);
}

static bool add_process(struct cmd_parts *parts, size_t i, struct cmd_job *job, json_t **process)
{
	const struct cmd_part_process *p = &parts->processes[i];
	const struct cmd_part_world *world = &parts->worlds[p->world];
	*process = cmd_parts_copy(parts, i);
	struct cmd_proc *ret = cmd_job_add(job, p->rank, p->pid, text_of(*process, "host"),
					   text_of(*process, "executable"), text_of(*process, "core"));

	if (!ret)
		return false;
	ret->here = false;
	ret->world_size = world->size;
	cmd_proc_set(&ret->job, world->name);
	if (*process)
		return true;
	cmd_lines_add(&job->problems, "rank %lld: its line is no JSON, or it cannot be read any more",
		      (long long)p->rank);
	*process = json_pack("{s:I, s:[]}", "rank", (json_int_t)p->rank, "problems");
	return *process != NULL;
}

/* The processes, then their answers, because the array of processes moves while it grows. */
static bool take_processes(const struct cmd_options *o, int what, struct cmd_parts *parts, struct cmd_job *job,
			   struct cmd_answer *answers)
{
	for (size_t i = 0; i < parts->n; i++) {
		json_t *process = NULL;
		bool ok = add_process(parts, i, job, &process);
		if (ok && what >= 0)
			put_answer(o, what, process, &answers[i]);
		json_decref(process);
		if (!ok)
			return false;
	}
	for (size_t i = 0; i < job->n; i++)
		job->procs[i].answer = &answers[i];
	return true;
}

enum cmd_exit cmd_files_answers(const struct cmd_options *o, int what, struct cmd_job *job, struct cmd_answer **answers)
{
	struct cmd_parts parts;
	enum cmd_exit rc = cmd_snapshot_take(o, NULL, job, &parts);
	struct cmd_answer *list = calloc(parts.n + 1, sizeof(*list));

	job->is_job = true;
	job->source = "snapshot";
	const char *name = text_of(json_object_get(parts.head, "job"), "name");
	job->launcher_name = strdup(name ? name : o->files[0]);
	if (!list || !take_processes(o, what, &parts, job, list)) {
		cmd_lines_add(&job->problems, "out of memory");
		rc = CMD_PARTIAL;
	}
	if (rc == CMD_DONE && cmd_parts_missing(&parts) > 0)
		rc = CMD_PARTIAL;
	cmd_parts_deinit(&parts);
	*answers = list;
	return rc;
}
