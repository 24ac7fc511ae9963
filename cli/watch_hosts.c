/* SPDX-License-Identifier: BSD-3-Clause */
#include "watch_hosts.h"

#include "hosts_judged.h"
#include "plan.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seconds from one question to the next; and a question may take half of the time. */
#define ASK_S 3.0

/* ---- one look: what the child does --------------------------------------------------------------------------- */

static json_t *stuck_ranks(const struct vd_job *job, const struct vd_verdict *v)
{
	json_t *ret = json_array();
	bool missing = v->result == VD_MISSING_RANK;

	if (v->result == VD_NO_DEADLOCK || v->uncertain)
		return ret;
	for (size_t i = 0; i < v->n_dead + (missing ? v->n_suspects : 0); i++) {
		const struct vd_rank *r = &job->ranks[i < v->n_dead ? v->dead[i] : v->suspects[i - v->n_dead]];
		json_array_append_new(ret, json_pack("[I, s]", (json_int_t)r->pid, r->host ? r->host : ""));
	}
	return ret;
}

/* Read the job on its hosts, and write its snapshot, and what is known about it. */
static void look(const struct cmd_options *o, struct host_plugin *plugin, FILE *snapshot, FILE *about)
{
	struct cmd_judging how = { .snapshot = snapshot };
	struct cmd_judged j;
	struct vd_verdict v;
	json_t *text = json_object(), *problems = json_array();
	enum cmd_exit rc = cmd_hosts_judge(o, plugin, &how, &j);

	for (size_t i = 0; i < j.job.problems.n; i++)
		json_array_append_new(problems, json_string(j.job.problems.line[i]));
	if (j.ranks.n_ranks && vd_judge(&j.ranks, &v)) {
		json_object_set_new(text, "stuck", stuck_ranks(&j.ranks, &v));
		vd_verdict_deinit(&v);
	}
	json_object_set_new(text, "exit", json_integer(rc));
	json_object_set_new(text, "problems", problems);
	json_dumpf(text, about, JSON_COMPACT);
	fflush(snapshot);
	fflush(about);
	json_decref(text);
	cmd_judged_deinit(&j);
}

/* ---- its answer ---------------------------------------------------------------------------------------------- */

static char *read_all(int fd, size_t *n)
{
	struct stat s;
	char *ret = fstat(fd, &s) == 0 ? malloc((size_t)s.st_size + 1) : NULL;

	*n = 0;
	for (ssize_t got; ret && (got = pread(fd, ret + *n, (size_t)s.st_size - *n, (off_t)*n)) > 0;)
		*n += (size_t)got;
	return ret;
}

static void take_about(struct cmd_watch_hosts *h, const json_t *about)
{
	const json_t *line;
	size_t i;

	cmd_lines_deinit(&h->problems);
	json_array_foreach(json_object_get(about, "problems"), i, line)
		cmd_lines_add(&h->problems, "%s", json_is_string(line) ? json_string_value(line) : "?");
}

static void take_stuck(struct cmd_watch_hosts *h, const struct cmd_watch *w, const json_t *about)
{
	const json_t *list = json_object_get(about, "stuck"), *one;
	size_t i;

	free(h->stuck);
	h->stuck = calloc(json_array_size(list) + 1, sizeof(*h->stuck));
	h->n_stuck = 0;
	json_array_foreach(list, i, one)
	{
		const char *host = json_string_value(json_array_get(one, 1));
		size_t k = cmd_watch_find(w, json_integer_value(json_array_get(one, 0)), host ? host : "", 0);
		if (h->stuck && k < w->n)
			h->stuck[h->n_stuck++] = k;
	}
}

/* Take the ranks of a snapshot. Ranks that are in it no longer have ended, if all hosts have answered. */
static void take_ranks(struct cmd_watch *w, struct cmd_parts *parts, bool whole)
{
	size_t n_before = w->n, last = 0;
	bool *seen = calloc(n_before + 1, sizeof(*seen));

	for (size_t i = 0; seen && i < parts->n; i++) {
		json_t *process = cmd_parts_copy(parts, i);
		size_t k = process ? cmd_watch_take(w, process, (int64_t)parts->processes[i].world, last) : w->n;
		json_decref(process);
		if (k < n_before)
			seen[k] = true;
		last = k + 1;
	}
	for (size_t i = 0; seen && whole && i < n_before; i++)
		if (!seen[i])
			cmd_watch_end(w, i);
	free(seen);
}

static void take_answer(struct cmd_watch_hosts *h, struct cmd_watch *w)
{
	struct cmd_parts parts = { .head = NULL };
	struct cmd_lines problems = { 0 };
	size_t n, n_about;
	char *snapshot = read_all(h->snapshot_fd, &n), *text = read_all(h->about_fd, &n_about);
	json_t *about = text ? json_loadb(text, n_about, 0, NULL) : NULL;

	take_about(h, about);
	if (snapshot && n) {
		cmd_parts_add_bytes(&parts, "", 0, snapshot, n, &problems);
		cmd_parts_merge(&parts, &problems);
	}
	bool over = about && json_integer_value(json_object_get(about, "exit")) == CMD_ABSENT;
	if (over || parts.n)
		take_ranks(w, &parts, over || !h->problems.n);
	take_stuck(h, w, about);
	json_decref(about);
	cmd_lines_deinit(&problems);
	cmd_parts_deinit(&parts);
	free(snapshot);
	free(text);
}

/* ---- again and again --------------------------------------------------------------------------------------------- */

static void close_files(struct cmd_watch_hosts *h)
{
	if (h->snapshot_fd > 0)
		close(h->snapshot_fd);
	if (h->about_fd > 0)
		close(h->about_fd);
	h->snapshot_fd = h->about_fd = 0;
}

static bool open_files(struct cmd_watch_hosts *h)
{
	h->snapshot_fd = memfd_create("snapshot", MFD_CLOEXEC);
	h->about_fd = memfd_create("about", MFD_CLOEXEC);
	if (h->snapshot_fd > 0 && h->about_fd > 0)
		return true;
	close_files(h);
	return false;
}

static void look_into(const struct cmd_options *o, struct host_plugin *plugin, const struct cmd_watch_hosts *h)
{
	FILE *snapshot = fdopen(dup(h->snapshot_fd), "w"), *about = fdopen(dup(h->about_fd), "w");

	if (snapshot && about)
		look(o, plugin, snapshot, about);
	if (snapshot)
		fclose(snapshot);
	if (about)
		fclose(about);
}

/* The child does not touch the terminal, ends with its parent, and dies of signals. */
static void run_child(const struct cmd_watch *w, const struct cmd_watch_hosts *h, pid_t parent)
{
	static const int signals[] = { SIGTERM, SIGHUP, SIGINT, SIGQUIT };
	struct cmd_options o = *w->o;
	sigset_t none;

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
		dup2(null, i);
	o.progress = false;
	look_into(&o, w->plugin, h);
	_exit(0);
}

static void start_watcher(struct cmd_watch_hosts *h, const struct cmd_watch *w)
{
	pid_t parent = getpid();

	h->started_s = cmd_watch_now();
	h->next_s = h->started_s + ASK_S;
	if (!open_files(h))
		return;
	fflush(NULL);
	h->child = fork();
	if (h->child == 0)
		run_child(w, h, parent);
	if (h->child < 0) {
		h->child = 0;
		close_files(h);
	}
}

bool cmd_watch_hosts_round(struct cmd_watch_hosts *h, struct cmd_watch *w)
{
	double now = cmd_watch_now();

	if (!h->child && now >= h->next_s && cmd_watch_running(w))
		start_watcher(h, w);
	if (!h->child || waitpid(h->child, NULL, WNOHANG) != h->child)
		return false;
	h->child = 0;
	take_answer(h, w);
	close_files(h);
	if (now + (now - h->started_s) > h->next_s)
		h->next_s = now + (now - h->started_s);
	return true;
}

enum cmd_exit cmd_watch_hosts_open(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_watch *w,
				   struct cmd_watch_hosts *ret)
{
	struct cmd_plan plan = { .n_hosts = 0 };
	enum cmd_exit rc = cmd_plan_make(o, plugin, &w->job.problems, &plan);

	ret->on = rc != CMD_DONE || plan.n_hosts;
	if (rc == CMD_DONE && ret->on) {
		w->o = o;
		w->plugin = plugin;
		w->job.launcher_name = strdup(o->job ? o->job : plan.name);
		if (open_files(ret)) {
			look_into(o, plugin, ret);
			take_answer(ret, w);
			close_files(ret);
		}
		for (size_t i = 0; !w->n && i < ret->problems.n; i++)
			cmd_lines_add(&w->job.problems, "%s", ret->problems.line[i]);
		ret->next_s = cmd_watch_now() + ASK_S;
		rc = w->n ? CMD_DONE : CMD_ABSENT;
	}
	cmd_plan_deinit(&plan);
	return rc;
}

void cmd_watch_hosts_deinit(struct cmd_watch_hosts *h)
{
	if (h->child) {
		kill(h->child, SIGTERM);
		waitpid(h->child, NULL, 0);
	}
	close_files(h);
	free(h->stuck);
	cmd_lines_deinit(&h->problems);
	*h = (struct cmd_watch_hosts){ .on = false };
}
