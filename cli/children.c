/* SPDX-License-Identifier: BSD-3-Clause */
#include "children.h"

#include "answer.h"
#include "commands.h"
#include "snapshot_process.h"

#include "../host/clock.h"
#include "../host/tracer.h"
#include "../waits/children.h"
#include "../waits/descriptor.h"

#include <string.h>

enum { SHOWN = 8, FOUND_MAX = 64, MOST_MS = 1500 };

/* Is a thread in an MPI function, so that what it waits for besides is the library's business? */
static bool is_in_mpi(const json_t *process, json_int_t tid)
{
	const json_t *call;
	size_t i;

	json_array_foreach(json_object_get(process, "calls"), i, call)
	{
		if (json_integer_value(json_object_get(call, "thread")) == tid)
			return json_is_string(json_object_get(call, "function"));
	}
	return false;
}

/* Does a thread wait for another process, or may it? Pools of Python wait for locks, which other threads release when
 * children have answered. */
static bool may_wait_for_children(const json_t *process)
{
	const json_t *thread;
	size_t i;

	json_array_foreach(json_object_get(process, "threads"), i, thread)
	{
		const json_t *wait = json_object_get(thread, "waits_for");
		const char *kind = json_string_value(json_object_get(wait, "kind"));
		if (kind && (json_is_true(json_object_get(wait, "other_process")) || strcmp(kind, "Python") == 0) &&
		    !is_in_mpi(process, json_integer_value(json_object_get(thread, "thread"))))
			return true;
	}
	return false;
}

/* Is it named by a wait of the process, as the one that may end it? */
static bool is_peer(const json_t *process, pid_t pid)
{
	const json_t *thread, *other;
	size_t i, k;

	json_array_foreach(json_object_get(process, "threads"), i, thread)
	{
		json_array_foreach(json_object_get(json_object_get(thread, "waits_for"), "processes"), k, other)
		{
			if (json_integer_value(json_object_get(other, "pid")) == pid)
				return true;
		}
	}
	return false;
}

static bool is_of_job(const struct cmd_job *job, pid_t pid)
{
	for (size_t i = 0; i < job->n; i++)
		if (job->procs[i].here && job->procs[i].pid == pid)
			return true;
	return false;
}

static bool has_owner_of(pid_t pid, pid_t of)
{
	uid_t a, b;

	return host_owner(pid, &a) && host_owner(of, &b) && a == b;
}

/* Children and theirs, those first for which it waits. @param[out] n_all of how many @return how many */
static size_t find(const struct cmd_children *c, const json_t *process, pid_t pid, pid_t ret[SHOWN], size_t *n_all)
{
	pid_t found[FOUND_MAX];
	size_t n = wt_children(pid, found, FOUND_MAX), n_ret = 0;

	for (size_t i = 0; i < n && n < FOUND_MAX; i++)
		n += wt_children(found[i], found + n, FOUND_MAX - n);
	*n_all = 0;
	for (int others = 0; others < 2; others++)
		for (size_t i = 0; i < n; i++) {
			if (is_peer(process, found[i]) != !others || is_of_job(c->job, found[i]) ||
			    host_is_reader(found[i]))
				continue;
			(*n_all)++;
			if (n_ret < SHOWN)
				ret[n_ret++] = found[i];
		}
	return n_ret;
}

static json_t *child_json(pid_t pid, const struct cmd_proc *p)
{
	static const char *const members[] = { "executable", "state", "calls", "threads", "sources", "python_why" };
	json_t *ret = json_object(), *process = p ? cmd_snapshot_process(p, false) : NULL;
	char name[17];

	json_object_set_new(ret, "pid", json_integer(pid));
	wt_process_name(pid, name);
	if (*name)
		json_object_set_new(ret, "name", json_string(name));
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		json_t *value = json_object_get(process, members[i]);
		if (value)
			json_object_set(ret, members[i], value);
	}
	if (!json_is_array(json_object_get(ret, "calls")))
		json_object_set_new(ret, "why",
				    json_string(!p                      ? "it is of another user"
						: p->answer->problems.n ? p->answer->problems.line[0]
									: "it could not be read"));
	json_decref(process);
	return ret;
}

/* Read them at one moment. */
static void read_children(const struct cmd_children *c, const pid_t *pids, size_t n, struct cmd_job *children,
			  struct cmd_answer *answers)
{
	struct cmd_options o = *c->o;
	struct cmd_process_query *q[SHOWN];

	o.json = true;
	o.judged = false;
	o.have_ranks = false;
	for (size_t i = 0; i < n; i++)
		cmd_job_add(children, -1, pids[i], cmd_this_host(), "", NULL);
	for (size_t i = 0; i < children->n; i++) {
		children->procs[i].answer = &answers[i];
		children->procs[i].here = true;
		q[i] = cmd_process_query_open(&o, c->plugin, CMD_WHAT_SNAPSHOT, children, &children->procs[i],
					      &answers[i]);
	}
	cmd_process_query_stop_together(q, children->n);
	for (size_t i = 0; i < children->n; i++)
		cmd_process_query_ask(q[i]);
	for (size_t i = 0; i < children->n; i++)
		cmd_process_query_resume(q[i]);
	for (size_t i = 0; i < children->n; i++)
		cmd_process_query_close(q[i]);
}

void cmd_children_begin(struct cmd_children *c, const struct cmd_options *o, struct host_plugin *plugin,
			const struct cmd_job *job)
{
	*c = (struct cmd_children){ .o = o, .plugin = plugin, .job = job, .until_ms = host_now_ms() + MOST_MS };
}

void cmd_children_add(const struct cmd_children *c, const struct cmd_proc *p, json_t *process)
{
	struct cmd_answer answers[SHOWN] = { { .rc = CMD_DONE } };
	struct cmd_job children = { .n = 0 };
	pid_t pids[SHOWN], own[SHOWN];
	size_t n_own = 0, n_all;

	if (p->core || !p->here || p->pid <= 0 || !may_wait_for_children(process) || host_now_ms() > c->until_ms)
		return;
	size_t n = find(c, process, (pid_t)p->pid, pids, &n_all);
	if (!n)
		return;
	for (size_t i = 0; i < n; i++)
		if (has_owner_of(pids[i], (pid_t)p->pid))
			own[n_own++] = pids[i];
	read_children(c, own, n_own, &children, answers);
	json_t *list = json_array();
	for (size_t i = 0, at = 0; i < n; i++) {
		const struct cmd_proc *child = at < children.n && children.procs[at].pid == pids[i]
						       ? &children.procs[at++]
						       : NULL;
		json_array_append_new(list, child_json(pids[i], child));
	}
	json_object_set_new(process, "children", list);
	if (n_all > n)
		json_object_set_new(process, "children_left_out", json_integer((json_int_t)(n_all - n)));
	for (size_t i = 0; i < children.n; i++)
		cmd_answer_deinit(&answers[i]);
	cmd_job_deinit(&children);
}
