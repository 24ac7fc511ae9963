/* SPDX-License-Identifier: BSD-3-Clause */
#include "snapshot.h"

#include "answer.h"
#include "ask_job.h"
#include "collect.h"
#include "commands.h"
#include "cores.h"
#include "ended.h"
#include "hosts.h"
#include "problems.h"
#include "query.h"
#include "variables.h"

#include "../access/quote.h"
#include "../verdict/members.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct cmd_about about = {
	.name = "snapshot",
	.usage = "--job JOB | --cores DIR|FILE... | --snapshot FILE...  [OPTION]...",
	.what = "Write the state of all ranks of a job as one JSON text, for mpidbg deadlock --snapshot, on this or "
		"another machine.\n"
		"For a job on several hosts, run it on each host; --snapshot merges the parts.\n",
	.options = CMD_OPT_TARGET | CMD_OPT_SNAPSHOT | CMD_OPT_HOSTS,
};

/* ---- from processes -------------------------------------------------------------------------------- */

static json_t *parse(struct cmd_spool *s)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = s->n ? open_memstream(&text, &n) : NULL;
	bool ok = f && cmd_spool_copy(s, 0, f);

	if (f)
		ok = fclose(f) == 0 && ok;
	json_t *ret = ok ? json_loadb(text, n, 0, NULL) : NULL;
	free(text);
	return ret;
}

static void pack_members(const json_t *process)
{
	const json_t *comm;
	size_t i;

	json_array_foreach(json_object_get(process, "communicators"), i, comm)
	{
		vd_members_pack(json_object_get(comm, "members"));
		vd_members_pack(json_object_get(comm, "remote_members"));
	}
}

/*
 * Add the objects of one kind. If some were not recorded for lack of space, objects cannot be identified by their
 * order; then none are included.
 */
static void add_objects(json_t *process, int which, struct cmd_spool *s)
{
	static const char *const names[CMD_N_OBJECTS] = { "windows", "files" };
	json_t *answer = parse(s), *kind = json_array_get(json_object_get(answer, "handles"), 0);

	if (json_is_array(json_object_get(kind, "objects")) && json_is_true(json_object_get(kind, "recorded")) &&
	    json_integer_value(json_object_get(kind, "not_recorded")) == 0)
		json_object_set(process, names[which], json_object_get(kind, "objects"));
	json_decref(answer);
}

json_t *cmd_snapshot_process(const struct cmd_proc *p, bool beside_text)
{
	struct cmd_answer *a = p->answer;
	json_t *process = parse(beside_text ? &a->snapshot : &a->text), *calls = parse(&a->calls);

	if (!process) {
		struct cmd_spool stand_in = { 0 };
		cmd_answer_stand_in(a, p, &stand_in);
		process = parse(&stand_in);
		cmd_spool_deinit(&stand_in);
	}
	if (process && !json_is_integer(json_object_get(process, "rank")) && p->rank >= 0) {
		json_object_set_new(process, "rank", json_integer(p->rank));
		json_object_del(process, "rank_why");
	}
	if (process && *a->state)
		json_object_set_new(process, "state", json_string(a->state));
	json_t *threads = process ? parse(&a->threads) : NULL;
	if (threads)
		json_object_set_new(process, "threads", threads);
	if (calls && json_is_array(json_object_get(calls, "calls")))
		json_object_set(process, "recorded_calls", json_object_get(calls, "calls"));
	if (json_is_array(json_object_get(calls, "partitioned")))
		json_object_set(process, "partitioned", json_object_get(calls, "partitioned"));
	json_decref(calls);
	for (int i = 0; process && i < CMD_N_OBJECTS; i++)
		add_objects(process, i, &a->objects[i]);
	pack_members(process);
	return process;
}

/* Number the worlds in the order of the processes: those of one MPI_COMM_WORLD are adjacent. */
static json_t *processes_json(const struct cmd_job *job, bool beside_text)
{
	json_t *list = json_array();
	json_int_t world = 0;
	const struct cmd_proc *before = NULL;

	for (size_t i = 0; i < job->n; i++) {
		const struct cmd_proc *p = &job->procs[i];
		if (p->answer->left_out)
			continue;
		world += before && !cmd_same_world(before, p);
		before = p;
		json_t *process = cmd_snapshot_process(p, beside_text);
		json_object_set_new(process, "world_number", json_integer(world));
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

static void set_variables(json_t *snapshot, struct cmd_variables *v)
{
	json_t *variables = cmd_variables_json(v);

	if (variables)
		json_object_set_new(snapshot, "variables", variables);
	else
		json_object_del(snapshot, "variables");
	cmd_variables_deinit(v);
}

/* Add the variables of the first world, which mpidbg vars --diff compares. */
static void add_variables(json_t *snapshot, const struct cmd_job *job)
{
	struct cmd_variables v = { .list = NULL };

	for (size_t i = 0; i < job->n; i++) {
		const struct cmd_proc *p = &job->procs[i];
		if (p->answer->left_out || !cmd_same_world(p, &job->procs[0]))
			continue;
		json_t *answer = parse(&p->answer->vars);
		cmd_variables_add(&v, answer, p->rank);
		json_decref(answer);
	}
	set_variables(snapshot, &v);
}

static json_t *frame(const struct cmd_job *job)
{
	json_t *o = json_object(), *inner = json_object();

	json_object_set_new(o, "schema", json_string(CMD_SNAPSHOT_SCHEMA));
	json_object_set_new(o, "command", json_string("snapshot"));
	json_object_set_new(o, "time", json_integer((json_int_t)time(NULL)));
	json_object_set_new(o, "host", json_string(cmd_this_host()));
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

json_t *cmd_snapshot_of_answers(const struct cmd_job *job)
{
	json_t *ret = frame(job);

	json_object_set_new(ret, "processes", processes_json(job, true));
	return ret;
}

static void add_problems(json_t *snapshot, const struct cmd_job *job)
{
	json_t *problems = json_array();

	for (size_t i = 0; i < job->problems.n; i++)
		json_array_append_new(problems, json_string(job->problems.line[i]));
	json_object_set_new(snapshot, "problems", problems);
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
				    json_t **ret)
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
	*ret = frame(job);
	json_object_set_new(*ret, "processes", processes_json(job, false));
	if (o->variables)
		add_variables(*ret, job);
	if (o->stats)
		print_stats(job);
	for (size_t i = 0; i < job->n; i++) {
		cmd_answer_deinit(&answers[i]);
		job->procs[i].answer = NULL;
	}
	free(answers);
	return ranks != CMD_DONE ? ranks : n_problems ? CMD_PARTIAL : !n_read && job->n ? CMD_PARTIAL : rc;
}

/* ---- from files ------------------------------------------------------------------------------------ */

/* Does it contain more than the identity of the process? */
static bool was_read(const json_t *process)
{
	return json_is_object(json_object_get(process, "mpi"));
}

/* Report parts of a job that are from different moments: changes in between are not visible. */
enum { MOMENT_S = 10 };

struct moments {
	json_int_t first, last; /* 0: no part has a time */
};

static void add_moment(struct moments *m, const json_t *part, const char *path, struct cmd_job *job)
{
	json_int_t time = json_integer_value(json_object_get(part, "time"));

	if (time <= 0)
		return;
	if (m->first && (time > m->first + MOMENT_S || time < m->last - MOMENT_S))
		cmd_lines_add(&job->problems,
			      "%s: was taken %lld s %s the files before: what its ranks were doing then is not known",
			      path, (long long)(time > m->first + MOMENT_S ? time - m->first : m->last - time),
			      time > m->first + MOMENT_S ? "after" : "before");
	m->first = !m->first || time < m->first ? time : m->first;
	m->last = time > m->last ? time : m->last;
}

/*
 * Two processes from one file are both kept, because we cannot decide which one is meant.
 *
 * @param index for each rank of a world: its position in the list; NULL: there is only one file
 * @param n_before number of processes from earlier files
 */
static void merge_process(json_t *list, json_t *index, size_t n_before, json_t *process, const char *path,
			  struct cmd_job *job)
{
	const json_t *rank = json_object_get(process, "rank");
	char key[64];

	if (!index) {
		json_array_append(list, process);
		return;
	}
	snprintf(key, sizeof(key), "%lld.%lld", (long long)json_integer_value(json_object_get(process, "world_number")),
		 (long long)json_integer_value(rank));
	const json_t *at = json_is_integer(rank) ? json_object_get(index, key) : NULL;
	if (!at) {
		if (json_is_integer(rank))
			json_object_set_new(index, key, json_integer((json_int_t)json_array_size(list)));
		json_array_append(list, process);
		return;
	}
	size_t i = (size_t)json_integer_value(at);
	if (i >= n_before)
		json_array_append(list, process);
	else if (was_read(json_array_get(list, i)) && was_read(process))
		cmd_lines_add(&job->problems, "%s: rank %lld is in an earlier file, too: that one counts", path,
			      (long long)json_integer_value(rank));
	else if (was_read(process))
		json_array_set(list, i, process);
}

/* Read the whole file, or, if @p texts is not NULL, only the identities of its processes. */
static json_t *read_text(const char *path, struct cmd_texts *texts, json_error_t *error)
{
	json_t *ret = texts ? cmd_texts_read(texts, path) : NULL, *process;
	size_t i;

	if (ret)
		return ret;
	ret = json_load_file(path, 0, error);
	json_array_foreach(json_object_get(ret, "processes"), i, process) cmd_texts_clear(process);
	return ret;
}

static json_t *read_file(const char *path, struct cmd_texts *texts, struct cmd_job *job)
{
	json_error_t error;
	json_t *snapshot = read_text(path, texts, &error);
	const char *schema = json_string_value(json_object_get(snapshot, "schema"));

	if (snapshot && schema &&
	    (strcmp(schema, CMD_SNAPSHOT_SCHEMA) == 0 || strcmp(schema, CMD_SNAPSHOT_BEFORE) == 0) &&
	    json_is_array(json_object_get(snapshot, "processes")))
		return snapshot;
	if (!snapshot)
		cmd_lines_add(&job->problems, "%s: %s%s", path, error.line > 0 ? "no JSON: " : "", error.text);
	else
		cmd_lines_add(&job->problems, "%s: is no snapshot that this version knows (%s)", path,
			      schema ? schema : "it has no schema");
	json_decref(snapshot);
	return NULL;
}

/* The parts of a merged snapshot. */
struct parts {
	json_int_t n, first, last; /* times in seconds; 0: unknown */
};

/*
 * Number the part of each process, after the parts that exist already; processes of one part were read at one
 * moment. A part may itself be a merged snapshot.
 */
static void add_part(struct parts *all, json_t *part)
{
	enum { PARTS_MAX = 1 << 20 };
	const json_t *own = json_object_get(part, "parts");
	json_int_t time = json_integer_value(json_object_get(part, "time")),
		   n = json_integer_value(json_object_get(own, "n")),
		   seconds = json_integer_value(json_object_get(own, "seconds"));
	json_t *process;
	size_t i;

	n = n > 0 && n < PARTS_MAX ? n : 1;
	json_array_foreach(json_object_get(part, "processes"), i, process)
	{
		json_int_t number = json_integer_value(json_object_get(process, "part"));
		number = number > 0 && number < n ? number : 0;
		if (json_is_object(process))
			json_object_set_new(process, "part", json_integer(all->n + number));
	}
	all->first = !all->n || time < all->first ? time : all->first;
	time += seconds > 0 && seconds < INT32_MAX ? seconds : 0;
	all->last = !all->n || time > all->last ? time : all->last;
	all->n += n;
}

static int64_t launcher_of(const json_t *snapshot)
{
	return json_integer_value(json_object_get(json_object_get(snapshot, "job"), "launcher"));
}

static enum cmd_exit take_files(const struct cmd_options *o, struct cmd_job *job, struct cmd_texts *texts, json_t **ret)
{
	struct cmd_variables variables = { .list = NULL };
	struct moments moments = { 0 };
	struct parts parts = { .n = 0 };
	json_t *merged = NULL, *index = o->n_files > 1 ? json_object() : NULL;
	size_t n_bad = 0;

	for (size_t i = 0; i < o->n_files; i++) {
		json_t *part = read_file(o->files[i], texts, job), *process, *list;
		size_t k;
		if (!part) {
			n_bad++;
			continue;
		}
		list = merged ? json_object_get(merged, "processes") : json_array();
		if (merged && launcher_of(merged) && launcher_of(part) && launcher_of(merged) != launcher_of(part))
			cmd_lines_add(&job->problems,
				      "%s: has another launcher than the files before: is it of this job?",
				      o->files[i]);
		add_moment(&moments, part, o->files[i], job);
		cmd_variables_merge(&variables, json_object_get(part, "variables"));
		if (o->n_files > 1)
			add_part(&parts, part);
		size_t n_before = json_array_size(list);
		json_array_foreach(json_object_get(part, "processes"), k, process) if (json_is_object(process))
			merge_process(list, index, n_before, process, o->files[i], job);
		if (!merged) {
			json_object_set_new(part, "processes", list);
			merged = json_incref(part);
		}
		json_decref(part);
	}
	if (merged)
		set_variables(merged, &variables);
	if (parts.n > 1) {
		json_object_set_new(merged, "time", json_integer(parts.first));
		json_object_set_new(merged, "parts",
				    json_pack("{s:I, s:I}", "n", parts.n, "seconds", parts.last - parts.first));
	}
	cmd_variables_deinit(&variables);
	json_decref(index);
	*ret = merged;
	return !merged ? CMD_PARTIAL : n_bad || job->problems.n ? CMD_PARTIAL : CMD_DONE;
}

enum cmd_exit cmd_snapshot_take(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_job *job,
				struct cmd_texts *texts, json_t **ret)
{
	*ret = NULL;
	enum cmd_exit rc = o->kind == CMD_TARGET_SNAPSHOT ? take_files(o, job, texts, ret)
							  : take_processes(o, plugin, job, ret);
	if (*ret)
		add_problems(*ret, job);
	return rc;
}

/* ---- the command ----------------------------------------------------------------------------------- */

/* The job may be on other hosts. */
static enum cmd_exit take_anywhere(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_job *job,
				   json_t **ret)
{
	struct cmd_hosts h;
	enum cmd_exit rc = cmd_hosts_ask(o, plugin, NULL, &job->problems, &h);

	if (rc == CMD_DONE && !h.plan.n_hosts)
		return cmd_snapshot_take(o, plugin, job, NULL, ret);
	if (rc == CMD_DONE) {
		*ret = cmd_hosts_snapshot(&h, true, &job->problems);
		rc = !*ret ? CMD_ABSENT : job->problems.n ? CMD_PARTIAL : CMD_DONE;
	}
	if (*ret)
		add_problems(*ret, job);
	cmd_hosts_deinit(&h);
	return rc;
}

int cmd_snapshot(int argc, char **argv)
{
	struct cmd_options o;
	struct host_plugin plugin = { 0 };
	struct cmd_job job = { 0 };
	json_t *snapshot = NULL;
	int rc;

	if (!cmd_options_parse(&about, argc, argv, &o, &rc))
		return rc;
	rc = o.kind == CMD_TARGET_SNAPSHOT ? CMD_DONE : cmd_query_plugin(&o, &plugin);
	o.variables = true;
	if (rc == CMD_DONE) {
		rc = take_anywhere(&o, &plugin, &job, &snapshot);
		if (snapshot) {
			json_dumpf(snapshot, stdout, JSON_COMPACT);
			putchar('\n');
		}
		cmd_query_print_problems(&job);
	}
	json_decref(snapshot);
	cmd_job_deinit(&job);
	host_plugin_unload(&plugin);
	cmd_options_deinit(&o);
	return rc;
}
