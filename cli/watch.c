/* SPDX-License-Identifier: BSD-3-Clause */
#include "watch.h"

#include "collect.h"
#include "snapshot.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

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

enum cmd_exit cmd_watch_open(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_watch *ret)
{
	enum cmd_exit rc = cmd_job_collect(o, plugin, &ret->job);
	int64_t world = 0;

	if (rc != CMD_DONE || !ret->job.n)
		return rc == CMD_DONE ? CMD_ABSENT : rc;
	ret->ranks = calloc(ret->job.n, sizeof(*ret->ranks));
	if (!ret->ranks)
		return CMD_PARTIAL;
	ret->n = ret->job.n;
	for (size_t i = 0; i < ret->n; i++) {
		struct cmd_proc *p = &ret->job.procs[i];
		struct cmd_watched *x = &ret->ranks[i];
		cmd_progress(o->progress, "rank %lld (%zu of %zu)", (long long)p->rank, i + 1, ret->n);
		world += i && !cmd_same_world(p - 1, p);
		x->world = world;
		x->asking = cmd_asking_open(o, plugin, CMD_WHAT_SNAPSHOT, &ret->job, p, &x->answer);
		p->answer = &x->answer;
		x->since_s = cmd_watch_now();
	}
	cmd_progress_end();
	return CMD_DONE;
}

static bool is_gone(const struct cmd_proc *p)
{
	const char *state = cmd_proc_state(p);

	return p->here && (strcmp(state, "gone") == 0 || strcmp(state, "zombie") == 0);
}

static void read_rank(struct cmd_watch *w, size_t i)
{
	struct cmd_watched *x = &w->ranks[i];
	bool again = cmd_asking_again(x->asking);

	if (again) {
		cmd_asking_stop(x->asking);
		cmd_asking_ask(x->asking);
		cmd_asking_resume(x->asking);
	}
	if (x->ended || (!again && x->process && !is_gone(&w->job.procs[i])))
		return;
	x->ended = is_gone(&w->job.procs[i]);
	if (x->ended) {
		cmd_asking_close(x->asking);
		x->asking = NULL;
		cmd_spool_deinit(&x->answer.text);
		x->answer.state = "gone";
	}
	json_t *process = cmd_snapshot_process(&w->job.procs[i], false);
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

size_t cmd_watch_running(const struct cmd_watch *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		n += !w->ranks[i].ended;
	return n;
}

static void note_changes(struct cmd_watch *w, const struct cmd_view *v)
{
	for (size_t i = 0; i < v->job.n_ranks; i++) {
		struct cmd_watched *x = &w->ranks[v->watched[i]];
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
		if (w->ranks[i].process && vd_load_rank(&ret->job, w->ranks[i].process))
			ret->watched[n++] = i;
	for (size_t i = 0; i < n; i++)
		vd_load_process(&ret->job, i, w->ranks[ret->watched[i]].process);
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
		cmd_asking_close(w->ranks[i].asking);
		cmd_answer_deinit(&w->ranks[i].answer);
		json_decref(w->ranks[i].process);
	}
	free(w->ranks);
	cmd_job_deinit(&w->job);
	*w = (struct cmd_watch){ .n = 0 };
}
