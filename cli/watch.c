/* SPDX-License-Identifier: BSD-3-Clause */
#include "watch.h"

#include "collect.h"
#include "snapshot_process.h"

#include "../access/grow.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Minimum seconds between two searches for new processes, and the share of a processor that the searches may use. */
#define COLLECT_S     3.0
#define COLLECT_SHARE 0.01

static double seconds_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

double cmd_watch_now(void)
{
	return seconds_of(CLOCK_MONOTONIC);
}

static bool is_gone(const struct cmd_proc *p)
{
	const char *state = cmd_proc_state(p);

	return p->here && (strcmp(state, "gone") == 0 || strcmp(state, "zombie") == 0);
}

/* Open a process of a job, and watch it. @return false: out of memory */
static bool add_process(struct cmd_watch *w, struct cmd_job *job, struct cmd_proc *p, int64_t world)
{
	struct cmd_watched *x = calloc(1, sizeof(*x));

	if (!x || !ACC_GROW(w->ranks, w->n)) {
		free(x);
		return false;
	}
	w->ranks[w->n++] = x;
	x->proc = p;
	x->world = world;
	x->asking = cmd_process_query_open(w->o, w->plugin, CMD_WHAT_SNAPSHOT, job, p, &x->answer);
	p->answer = &x->answer;
	x->since_s = cmd_watch_now();
	return true;
}

enum cmd_exit cmd_watch_open(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_watch *ret)
{
	ret->o = o;
	ret->plugin = plugin;
	enum cmd_exit rc = cmd_job_collect(o, plugin, &ret->job);

	if (rc != CMD_DONE || !ret->job.n)
		return rc == CMD_DONE ? CMD_ABSENT : rc;
	for (size_t i = 0; i < ret->job.n; i++) {
		struct cmd_proc *p = &ret->job.procs[i];
		cmd_progress(o->progress, "rank %lld (%zu of %zu)", (long long)p->rank, i + 1, ret->job.n);
		ret->n_worlds += i && !cmd_same_world(p - 1, p);
		if (!add_process(ret, &ret->job, p, ret->n_worlds))
			return CMD_PARTIAL;
	}
	ret->n_worlds++;
	cmd_progress_end();
	ret->collect_s = cmd_watch_now() + COLLECT_S;
	return CMD_DONE;
}

/* ---- processes that come later --------------------------------------------------------------------------------- */

static const struct cmd_watched *find_watched(const struct cmd_watch *w, const struct cmd_proc *p)
{
	for (size_t i = 0; i < w->n; i++)
		if (!w->ranks[i]->ended && w->ranks[i]->proc->pid == p->pid &&
		    strcmp(w->ranks[i]->proc->host, p->host) == 0)
			return w->ranks[i];
	return NULL;
}

/* The number of the process's world: that of a watched process in the same world, or a new number. */
static int64_t world_of(const struct cmd_watch *w, struct cmd_job *job, struct cmd_proc *p)
{
	for (size_t i = 0; i < job->n; i++) {
		const struct cmd_watched *known = find_watched(w, &job->procs[i]);
		if (known && cmd_same_world(&job->procs[i], p))
			return known->world;
	}
	return w->n_worlds;
}

static bool has_new(const struct cmd_watch *w, const struct cmd_job *job)
{
	for (size_t i = 0; i < job->n; i++)
		if (job->procs[i].pid > 0 && !find_watched(w, &job->procs[i]) && !is_gone(&job->procs[i]))
			return true;
	return false;
}

/* Add processes that are not watched yet. The job is kept because it owns them. */
static void add_new(struct cmd_watch *w, struct cmd_job *job)
{
	for (size_t i = 0; i < job->n; i++) {
		struct cmd_proc *p = &job->procs[i];
		if (p->pid <= 0 || find_watched(w, p) || is_gone(p))
			continue;
		int64_t world = world_of(w, job, p);
		if (!add_process(w, job, p, world))
			return;
		if (world == w->n_worlds)
			w->n_worlds++;
	}
}

void cmd_watch_collect(struct cmd_watch *w)
{
	struct cmd_options quiet = *w->o;
	double start = seconds_of(CLOCK_PROCESS_CPUTIME_ID);

	if (cmd_watch_now() < w->collect_s || quiet.kind != CMD_TARGET_JOB || !cmd_watch_running(w))
		return;
	quiet.progress = false; /* the terminal is in full-screen mode */
	struct cmd_job *job = calloc(1, sizeof(*job));
	bool kept = job && ACC_GROW(w->later, w->n_later) && cmd_job_collect(&quiet, w->plugin, job) == CMD_DONE &&
		    has_new(w, job);
	if (kept) {
		w->later[w->n_later++] = job;
		add_new(w, job);
	} else if (job) {
		cmd_job_deinit(job);
		free(job);
	}
	double pause = (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start) / COLLECT_SHARE;
	w->collect_s = cmd_watch_now() + (pause > COLLECT_S ? pause : COLLECT_S);
}

static void read_rank(struct cmd_watch *w, size_t i)
{
	struct cmd_watched *x = w->ranks[i];
	bool again = cmd_process_query_again(x->asking);

	if (again) {
		cmd_process_query_stop(x->asking);
		cmd_process_query_ask(x->asking);
		cmd_process_query_resume(x->asking);
		cmd_process_query_complete(x->asking);
	}
	if (x->ended || (!again && x->process && !is_gone(x->proc)))
		return;
	x->ended = is_gone(x->proc);
	if (x->ended) {
		cmd_process_query_close(x->asking);
		x->asking = NULL;
		cmd_spool_deinit(&x->answer.text);
		x->answer.state = "gone";
	}
	json_t *process = cmd_snapshot_process(x->proc, false);
	if (!process)
		return;
	json_object_set_new(process, "world_number", json_integer(x->world));
	json_decref(x->process);
	x->process = process;
	x->seen_s = cmd_watch_now();
}

void cmd_watch_round(struct cmd_watch *w, double budget_s)
{
	double end = seconds_of(CLOCK_PROCESS_CPUTIME_ID) + budget_s;

	for (size_t n = 0; n < w->n; n++) {
		read_rank(w, w->next);
		w->next = (w->next + 1) % w->n;
		if (seconds_of(CLOCK_PROCESS_CPUTIME_ID) > end)
			return;
	}
}

/* ---- processes of other hosts ------------------------------------------------------------------------------------ */

size_t cmd_watch_find(const struct cmd_watch *w, int64_t pid, const char *host, size_t from)
{
	for (size_t k = 0; k < w->n; k++) {
		const struct cmd_watched *x = w->ranks[(from + k) % w->n];
		if (x->proc->pid == pid && strcmp(x->proc->host, host) == 0)
			return (from + k) % w->n;
	}
	return w->n;
}

/* A process that is not opened here. It belongs to a job of its own, because those of a job are one array. */
static bool add_distant(struct cmd_watch *w, const json_t *process, int64_t pid, const char *host)
{
	struct cmd_watched *x = calloc(1, sizeof(*x));
	struct cmd_job *job = calloc(1, sizeof(*job));
	const json_t *rank = json_object_get(process, "rank");

	if (x && job && ACC_GROW(w->ranks, w->n) && ACC_GROW(w->later, w->n_later))
		x->proc = cmd_job_add(job, json_is_integer(rank) ? json_integer_value(rank) : -1, pid, host,
				      json_string_value(json_object_get(process, "executable")), NULL);
	if (!x || !x->proc) {
		if (job)
			cmd_job_deinit(job);
		free(job);
		free(x);
		return false;
	}
	x->proc->here = false;
	x->since_s = cmd_watch_now();
	w->later[w->n_later++] = job;
	w->ranks[w->n++] = x;
	return true;
}

size_t cmd_watch_take(struct cmd_watch *w, json_t *process, int64_t world, size_t from)
{
	const char *host = json_string_value(json_object_get(process, "host"));
	int64_t pid = json_integer_value(json_object_get(process, "pid"));
	size_t i = cmd_watch_find(w, pid, host ? host : "", from);

	if (i == w->n && !add_distant(w, process, pid, host ? host : ""))
		return w->n;
	struct cmd_watched *x = w->ranks[i];
	json_object_set_new(process, "world_number", json_integer(world));
	json_decref(x->process);
	x->process = json_incref(process);
	x->world = world;
	x->ended = false;
	x->seen_s = cmd_watch_now();
	return i;
}

void cmd_watch_end(struct cmd_watch *w, size_t i)
{
	struct cmd_watched *x = w->ranks[i];

	if (x->ended)
		return;
	x->ended = true;
	x->seen_s = cmd_watch_now();
	json_decref(x->process);
	x->process = json_pack("{s:I, s:I, s:s, s:I, s:s}", "rank", (json_int_t)x->proc->rank, "pid",
			       (json_int_t)x->proc->pid, "host", x->proc->host, "world_number", (json_int_t)x->world,
			       "state", "gone");
}

size_t cmd_watch_running(const struct cmd_watch *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		n += !w->ranks[i]->ended;
	return n;
}

static void note_changes(struct cmd_watch *w, const struct cmd_view *v)
{
	for (size_t i = 0; i < v->job.n_ranks; i++) {
		struct cmd_watched *x = w->ranks[v->watched[i]];
		if (x->print == v->job.ranks[i].fingerprint)
			continue;
		if (x->print)
			x->since_s = x->seen_s;
		x->print = v->job.ranks[i].fingerprint;
	}
}

bool cmd_watch_view(struct cmd_watch *w, struct cmd_view *ret)
{
	ret->watched = calloc(w->n + 1, sizeof(*ret->watched));
	if (!ret->watched)
		return false;
	size_t n = 0;
	for (size_t i = 0; i < w->n; i++)
		if (w->ranks[i]->process && vd_load_rank(&ret->job, w->ranks[i]->process))
			ret->watched[n++] = i;
	for (size_t i = 0; i < n; i++)
		vd_load_process(&ret->job, i, w->ranks[ret->watched[i]]->process);
	if (ret->job.no_memory || !vd_judge(&ret->job, &ret->verdict))
		return false;
	vd_group_ranks(&ret->groups, &ret->job, &ret->verdict);
	note_changes(w, ret);
	return !ret->groups.no_memory;
}

void cmd_view_deinit(struct cmd_view *v)
{
	vd_groups_deinit(&v->groups);
	vd_verdict_deinit(&v->verdict);
	vd_job_deinit(&v->job);
	free(v->watched);
	*v = (struct cmd_view){ .watched = NULL };
}

void cmd_watch_deinit(struct cmd_watch *w)
{
	for (size_t i = 0; i < w->n; i++) {
		cmd_process_query_close(w->ranks[i]->asking);
		cmd_answer_deinit(&w->ranks[i]->answer);
		json_decref(w->ranks[i]->process);
		free(w->ranks[i]);
	}
	free(w->ranks);
	for (size_t i = 0; i < w->n_later; i++) {
		cmd_job_deinit(w->later[i]);
		free(w->later[i]);
	}
	free(w->later);
	cmd_job_deinit(&w->job);
	*w = (struct cmd_watch){ .n = 0 };
}
