/* SPDX-License-Identifier: BSD-3-Clause */
#include "hosts_query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- on the host ------------------------------------------------------------------------------------------ */

static json_t *lines_json(const struct cmd_lines *lines)
{
	json_t *ret = json_array();

	for (size_t i = 0; i < lines->n; i++)
		json_array_append_new(ret, json_string(lines->line[i]));
	return ret;
}

static json_t *text_json(struct cmd_spool *spool)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	bool ok = f && (!spool->n || cmd_spool_copy(spool, 0, f));

	if (f)
		fclose(f);
	json_t *ret = ok ? json_stringn(text, n) : NULL;
	free(text);
	return ret ? ret : json_string("");
}

json_t *cmd_hosts_answers_json(const struct cmd_job *job)
{
	json_t *ret = json_object(), *list = json_array();

	for (size_t i = 0; i < job->n; i++) {
		const struct cmd_proc *p = &job->procs[i];
		json_t *o = json_object();
		json_object_set_new(o, "rank", json_integer(p->rank));
		json_object_set_new(o, "size", json_integer(p->world_size));
		json_object_set_new(o, "pid", json_integer(p->pid));
		json_object_set_new(o, "host", json_string(p->host));
		json_object_set_new(o, "executable", json_string(p->executable));
		json_object_set_new(o, "job", json_string(p->job));
		json_object_set_new(o, "state", json_string(cmd_proc_state(p)));
		if (p->answer) {
			json_object_set_new(o, "exit", json_integer(p->answer->rc));
			json_object_set_new(o, "text", text_json(&p->answer->text));
			json_object_set_new(o, "problems", lines_json(&p->answer->problems));
		}
		json_array_append_new(list, o);
	}
	json_object_set_new(ret, "processes", list);
	json_object_set_new(ret, "problems", lines_json(&job->problems));
	return ret;
}

/* ---- on the host that has asked ---------------------------------------------------------------------------- */

static int64_t json_number(const json_t *o, const char *name)
{
	const json_t *value = json_object_get(o, name);

	return json_is_integer(value) && json_integer_value(value) >= 0 ? json_integer_value(value) : -1;
}

static void take_lines(const json_t *list, const char *host, struct cmd_lines *ret)
{
	const json_t *line;
	size_t i;

	json_array_foreach(list, i, line) if (json_is_string(line))
	{
		if (host)
			cmd_lines_add(ret, "%s: %s", host, json_string_value(line));
		else
			cmd_lines_add(ret, "%s", json_string_value(line));
	}
}

static bool add_process(struct cmd_job *job, const json_t *o, const char *host)
{
	const char *name = json_string_value(json_object_get(o, "job"));
	struct cmd_proc *p = cmd_job_add(job, json_number(o, "rank"), json_number(o, "pid"), host,
					 json_string_value(json_object_get(o, "executable")), NULL);

	if (!p)
		return false;
	p->world_size = json_number(o, "size");
	p->here = false;
	const char *state = json_string_value(json_object_get(o, "state"));
	cmd_proc_set_state(p, state ? state : "");
	cmd_proc_set(&p->job, name ? name : "");
	return true;
}

/* The answer of a process; those of job and of *answers are in the same order. */
static void take_answer(const json_t *o, struct cmd_answer *ret)
{
	const json_t *text = json_object_get(o, "text");
	int64_t rc = json_number(o, "exit");

	ret->state = "";
	ret->rc = rc >= CMD_DONE && rc <= CMD_PARTIAL ? (enum cmd_exit)rc : CMD_PARTIAL;
	if (json_is_string(text))
		cmd_spool_add(&ret->text, json_string_value(text), json_string_length(text));
	take_lines(json_object_get(o, "problems"), NULL, &ret->problems);
}

/* All hosts' processes, then all their answers, because the array of processes moves while it grows. */
static bool take_all(const struct cmd_hosts *h, json_t *const *parts, struct cmd_job *job, struct cmd_answer **answers)
{
	size_t n = 0, k;
	const json_t *o;
	bool ok = true;

	for (size_t i = 0; i < h->answers.n; i++) {
		take_lines(json_object_get(parts[i], "problems"), h->answers.hosts[i].name, &job->problems);
		json_array_foreach(json_object_get(parts[i], "processes"), k, o)
			ok = ok && add_process(job, o, h->answers.hosts[i].name);
	}
	struct cmd_answer *list = ok ? calloc(job->n + 1, sizeof(*list)) : NULL;
	if (!list)
		return false;
	for (size_t i = 0; i < h->answers.n; i++)
		json_array_foreach(json_object_get(parts[i], "processes"), k, o) take_answer(o, &list[n++]);
	for (size_t i = 0; i < job->n; i++)
		job->procs[i].answer = &list[i];
	*answers = list;
	return true;
}

static const char *name_of_way(const char *way)
{
	static const char *const names[] = { "srun", "flux", "pmix", "ssh", "pdsh", "clush" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(way, names[i]) == 0)
			return names[i];
	return "--via";
}

static enum cmd_exit take_hosts(const struct cmd_options *o, const struct cmd_hosts *h, struct cmd_job *job,
				struct cmd_answer **answers)
{
	json_t **parts = calloc(h->answers.n + 1, sizeof(json_t *));
	size_t n_problems = job->problems.n;

	for (size_t i = 0; parts && i < h->answers.n; i++) {
		const struct hs_host *host = &h->answers.hosts[i];
		if (host->answered)
			parts[i] = json_loadb(host->first.text, host->first.n, 0, NULL);
	}
	bool ok = parts && take_all(h, parts, job, answers);
	for (size_t i = 0; parts && i < h->answers.n; i++)
		json_decref(parts[i]);
	free(parts);
	if (!ok) {
		cmd_lines_add(&job->problems, "out of memory");
		return CMD_PARTIAL;
	}
	job->is_job = true;
	job->source = name_of_way(h->plan.way);
	job->launcher_name = strdup(h->plan.name);
	cmd_job_sort(job);
	if (o->have_ranks)
		cmd_job_keep_ranks(job, &o->ranks);
	if (!job->n)
		cmd_lines_add(&job->problems, "job %s: none of %zu hosts has a rank of it", h->plan.name,
			      h->n_answered);
	return !job->n ? CMD_ABSENT : n_problems || h->n_answered < h->answers.n ? CMD_PARTIAL : CMD_DONE;
}

enum cmd_exit cmd_hosts_answers(const struct cmd_options *o, struct host_plugin *plugin, const char *show,
				struct cmd_job *job, struct cmd_answer **answers, bool *elsewhere)
{
	struct cmd_hosts h;
	enum cmd_exit rc = cmd_hosts_ask(o, plugin, show, &job->problems, &h);

	*elsewhere = rc != CMD_DONE || h.plan.n_hosts;
	if (rc == CMD_DONE && *elsewhere)
		rc = take_hosts(o, &h, job, answers);
	cmd_hosts_deinit(&h);
	return rc;
}
