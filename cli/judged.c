/* SPDX-License-Identifier: BSD-3-Clause */
#include "judged.h"

#include "look.h"
#include "returns.h"
#include "runs.h"
#include "sends.h"
#include "snapshot.h"

#include "../host/clock.h"
#include "../host/tracer.h"
#include "../verdict/flows.h"
#include "../verdict/leaders.h"
#include "../verdict/locks.h"
#include "../verdict/polls.h"
#include "../verdict/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	SPINNING_MOMENTS = 6,
	OUTSIDE_MOMENTS = 10, /* if a rank that polls was between two calls at one of them */
	READINGS_MAX = 2,     /* after the first, if a rank gets no processor meanwhile */
	BETWEEN_MS = 50,      /* minimum time between two readings */
	BETWEEN_MAX_MS = 5000 /* a rank that gets no processor for this time counts as making progress */
};

/* ---- loading a snapshot -------------------------------------------------------------------------------- */

/*
 * Two processes with the same rank, perhaps from different jobs: it is unknown which one is meant, so the rank counts
 * as not read.
 */
static void leave_out(const struct cmd_part_process *p, struct cmd_lines *problems)
{
	if (p->json && json_is_string(json_object_get(p->json, "core")) && p->rank >= 0)
		return; /* cmd_cores_check() has reported it */
	if (p->rank >= 0)
		cmd_lines_add(problems, "process %lld: another process has rank %lld as well: both are omitted",
			      (long long)p->pid, (long long)p->rank);
	else
		cmd_lines_add(problems, "process %lld: its rank is unknown: it is omitted", (long long)p->pid);
}

/* A process whose text cannot be read any more counts as not read. */
static void load_process(struct cmd_judged *j, size_t rank, size_t i, bool keep, struct cmd_lines *problems)
{
	json_t *process = keep ? cmd_parts_copy(&j->parts, i) : cmd_parts_process(&j->parts, i);

	if (!process)
		cmd_lines_add(problems, "rank %lld: no JSON: its line, or it cannot be read any more",
			      (long long)j->parts.processes[i].rank);
	vd_load_process(&j->ranks, rank, process);
	if (keep)
		j->processes[j->n_processes++] = process;
	else
		json_decref(process);
}

bool cmd_judged_load(struct cmd_judged *j, bool keep, struct cmd_lines *problems)
{
	struct cmd_parts *parts = &j->parts;
	struct vd_job *ret = &j->ranks;
	size_t n_ranks = 0;
	bool *taken = calloc(parts->n + 1, sizeof(*taken));

	if (keep)
		j->processes = calloc(parts->n + 1, sizeof(*j->processes));
	if (!taken || (keep && !j->processes)) {
		free(taken);
		return false;
	}
	for (size_t i = 0; i < parts->n; i++) {
		const struct cmd_part_process *p = &parts->processes[i];
		taken[i] = vd_name_rank(ret, p->world, p->rank, p->mpi_job);
		if (!taken[i])
			leave_out(p, problems);
	}
	for (size_t i = 0; i < parts->n; i++)
		if (taken[i])
			load_process(j, n_ranks++, i, keep, problems);
	for (size_t i = 0; i < parts->n; i++)
		if (!taken[i])
			vd_forget_rank(ret, parts->processes[i].world, parts->processes[i].rank);
	free(taken);
	if (ret->n_refused)
		cmd_lines_add(problems,
			      "%zu lists name more members than the snapshot or the communicator can have, or too few: "
			      "they are omitted",
			      ret->n_refused);
	vd_name_comms(ret);
	vd_find_transits(ret);
	vd_mark_leaders(ret);
	vd_find_passed(ret);
	for (size_t i = 0; i < ret->n_ranks; i++)
		ret->ranks[i].one_moment = ret->ranks[i].state == VD_READ;
	cmd_returns_doubt(ret);
	return !parts->no_memory && !ret->no_memory;
}

/* ---- two readings -------------------------------------------------------------------------------------------- */

/* Also if another mpidbg has stopped it for a moment. */
static bool is_running(const struct cmd_job *job, int64_t pid)
{
	for (size_t i = 0; i < job->n; i++)
		if (job->procs[i].pid == pid && job->procs[i].here)
			return strcmp(cmd_proc_state(&job->procs[i]), "running") == 0 ||
			       host_is_reader(host_tracer((pid_t)pid));
	return false;
}

static struct cmd_run *take_samples(const struct vd_job *j)
{
	struct cmd_run *samples = calloc(j->n_ranks + 1, sizeof(*samples));

	for (size_t i = 0; samples && i < j->n_ranks; i++)
		if (!cmd_run_take(j->ranks[i].pid, &samples[i]))
			samples[i].pid = -1;
	return samples;
}

/* Wait until each runnable rank has run. @return false: one has not, and the time is over */
static bool wait_for_runs(const struct cmd_job *job, const struct cmd_run *samples, size_t n)
{
	double start = host_now_ms();

	for (;;) {
		bool all = true;
		nanosleep(&(struct timespec){ .tv_nsec = BETWEEN_MS * 1000000L }, NULL);
		for (size_t i = 0; i < n; i++)
			if (cmd_run_is_short(&samples[i]))
				all &= !is_running(job, samples[i].pid);
		if (all || host_now_ms() - start > BETWEEN_MAX_MS)
			return all;
	}
}

/* Wait until each runnable rank has run, several times in turn. @return false: one has not */
static bool wait_for_rounds(const struct cmd_job *job, const struct vd_job *j)
{
	enum { ROUNDS = 4 };
	bool ret = true;

	for (int i = 0; i < ROUNDS && ret; i++) {
		struct cmd_run *samples = take_samples(j);
		ret = samples && wait_for_runs(job, samples, j->n_ranks);
		free(samples);
	}
	return ret;
}

/*
 * Ranks that got no processor between the readings may only seem to make no progress. The state before the second
 * reading decides, because a sleeping rank that was just resumed needs a processor to fall asleep again.
 */
static size_t mark_not_scheduled(const struct cmd_run *samples, const struct vd_job *first, struct vd_job *j)
{
	size_t n_marked = 0;

	for (size_t i = 0; i < j->n_ranks; i++) {
		struct vd_rank *r = &j->ranks[i];
		const struct vd_rank *before = vd_find_rank(first, r->world, r->rank);
		const struct cmd_run *sample = before ? &samples[before - first->ranks] : NULL;
		if (!sample || sample->pid != r->pid || !r->process_state || strcmp(r->process_state, "running") != 0 ||
		    !cmd_run_is_short(sample))
			continue;
		r->went_on = true;
		r->had_no_processor = true;
		n_marked++;
	}
	return n_marked;
}

/* Ranks that were stopped at one of the readings. */
static size_t n_stopped_of(const struct vd_job *j)
{
	size_t n = 0;

	for (size_t i = 0; i < j->n_ranks; i++)
		n += j->ranks[i].one_moment;
	return n;
}

/*
 * May the job hang? Also if a second reading could show that a rank with an unknown wait makes progress.
 * @param[out] look_ms for how long its threads should be watched
 */
static bool may_hang(const struct vd_job *j, int *look_ms)
{
	struct vd_verdict v;

	*look_ms = 0;
	if (!vd_judge(j, &v))
		return true;
	*look_ms = cmd_look_needed(j, &v);
	bool ret = v.result != VD_NO_DEADLOCK || v.n_unknown || (*look_ms && v.n_waiting);
	for (size_t i = 0; i < j->n_ranks; i++) /* a second reading may show that nothing comes of it */
		ret |= v.classes[i] == VD_POLLING;
	for (size_t i = 0; i < j->n_ranks && !ret; i++)
		ret = vd_is_locked(j, &j->ranks[i], false);
	vd_verdict_deinit(&v);
	return ret;
}

/* ---- ranks that end in between --------------------------------------------------------------------------------- */

static const struct cmd_proc *proc_of(const struct cmd_job *job, int64_t pid)
{
	for (size_t i = 0; i < job->n; i++)
		if (job->procs[i].pid == pid && job->procs[i].here)
			return &job->procs[i];
	return NULL;
}

/*
 * Add ranks of the first reading that have ended and are therefore missing in the second. If a whole world has
 * ended, the other worlds have other numbers; then nothing is added.
 */
static void add_ended(const struct cmd_job *job, const struct cmd_judged *first, struct cmd_judged *again)
{
	const struct vd_rank *last = first->ranks.n_ranks ? &first->ranks.ranks[first->ranks.n_ranks - 1] : NULL;
	const struct cmd_parts *parts = &again->parts;
	size_t at = 0;

	if (!last || parts->n_worlds != (size_t)last->world + 1)
		return;
	for (size_t i = 0; i < first->ranks.n_ranks; i++) {
		const struct vd_rank *r = &first->ranks.ranks[i];
		const struct cmd_proc *p = proc_of(job, r->pid);
		while (at < parts->n &&
		       ((int64_t)parts->processes[at].world < r->world ||
			(parts->processes[at].world == (uint32_t)r->world && parts->processes[at].rank < r->rank)))
			at++;
		bool there = at < parts->n && parts->processes[at].world == (uint32_t)r->world &&
			     parts->processes[at].rank == r->rank;
		if (there || !p || strcmp(cmd_proc_state(p), "gone") != 0)
			continue;
		json_t *process = json_pack("{s:I, s:I, s:I, s:s}", "rank", (json_int_t)r->rank, "pid",
					    (json_int_t)r->pid, "world_number", (json_int_t)r->world, "state", "gone");
		if (process && *p->host)
			json_object_set_new(process, "host", json_string(p->host));
		cmd_parts_insert(&again->parts, process);
		json_decref(process);
	}
}

/* @return true: a rank has ended */
static bool report_ended(const struct vd_job *before, const struct vd_job *j, struct cmd_lines *problems)
{
	bool any = false;

	for (size_t i = 0; i < j->n_ranks; i++) {
		const struct vd_rank *r = &j->ranks[i];
		const struct vd_rank *was = vd_find_rank(before, r->world, r->rank);
		bool ended = r->state == VD_ENDED && r->process_state &&
			     (strcmp(r->process_state, "gone") == 0 || strcmp(r->process_state, "zombie") == 0);
		if (!ended || !was || was->state == VD_ENDED)
			continue;
		cmd_lines_add(problems, "rank %d (process %lld) has ended while the job was read", (int)r->rank,
			      (long long)r->pid);
		any = true;
	}
	return any;
}

/* ---- the second reading ---------------------------------------------------------------------------------------- */

/*
 * Read the job again. If that fails, the result of the first reading is used.
 *
 * @return true: it has reported that a rank has ended
 */
static bool read_again(const struct cmd_options *o, struct host_plugin *plugin, const struct cmd_job *job, int look_ms,
		       bool keep, struct cmd_judged *first)
{
	struct cmd_look look = { .ranks = NULL };
	struct cmd_returns returns = { .threads = NULL };
	struct cmd_judged again = { .n_processes = 0 };
	struct cmd_run *samples = take_samples(&first->ranks);
	struct cmd_options last = *o;
	double start = host_now_ms();
	bool any_ended = false;
	char basis[160];

	last.last = true;
	if (!samples)
		return false;
	cmd_returns_begin(&returns, &first->ranks);
	wait_for_runs(job, samples, first->ranks.n_ranks);
	returns.all_ran = returns.any_lock && wait_for_rounds(job, &first->ranks);
	cmd_returns_settle(&returns);
	cmd_returns_wait(&returns, BETWEEN_MAX_MS);
	if (look_ms)
		cmd_look(&look, &first->ranks, look_ms);
	cmd_snapshot_take(&last, plugin, &again.job, &again.parts);
	if (again.parts.head)
		add_ended(job, first, &again);
	if (again.parts.head && cmd_judged_load(&again, keep, &again.job.problems)) {
		vd_compare(&first->ranks, &again.ranks);
		vd_fold_polls(&first->ranks, &again.ranks);
		size_t n = mark_not_scheduled(samples, &first->ranks, &again.ranks);
		size_t n_stopped = n_stopped_of(&again.ranks);
		cmd_look_apply(&look, &again.ranks);
		cmd_returns_apply(&returns, &again.ranks);
		vd_compare_transits(&first->ranks, &again.ranks);
		snprintf(basis, sizeof(basis), "seen at two moments, %.1f s apart%s%s", (host_now_ms() - start) / 1e3,
			 n_stopped == again.ranks.n_ranks ? ", but stopped in between"
			 : n_stopped                      ? "; some ranks were stopped in between"
							  : "",
			 n ? "; some ranks had no processor in between: they count as able to go on" : "");
		again.ranks.basis = vd_string(&again.ranks, basis);
		struct cmd_judged old = *first;
		*first = again;
		first->job = old.job;
		old.job = again.job;
		any_ended = report_ended(&old.ranks, &first->ranks, &first->job.problems);
		again = old;
	}
	free(samples);
	cmd_look_deinit(&look);
	cmd_returns_deinit(&returns);
	cmd_judged_deinit(&again);
	return any_ended;
}

static bool spins(const struct vd_job *j)
{
	struct vd_verdict v;

	if (!vd_judge(j, &v))
		return false;
	bool ret = v.result == VD_SPINS;
	vd_verdict_deinit(&v);
	return ret;
}

/* Do some ranks poll, all others wait, and some were between two calls at each moment so far, perhaps? */
static bool may_spin(const struct vd_job *j)
{
	struct vd_verdict v;
	bool polls = false, ret = true;

	if (!vd_judge(j, &v))
		return false;
	for (size_t i = 0; i < j->n_ranks; i++) {
		enum vd_class class = v.classes[i];
		polls |= class == VD_POLLING;
		ret &= class == VD_POLLING || class == VD_WAITING || class == VD_OVER || j->ranks[i].may_poll;
	}
	ret &= polls && v.result == VD_NO_DEADLOCK;
	vd_verdict_deinit(&v);
	return ret;
}

/* Ranks that exchange messages by polling may look alike at two moments: read them at more. */
static bool read_spinning(const struct cmd_options *o, struct host_plugin *plugin, const struct cmd_job *job, bool keep,
			  struct cmd_judged *j)
{
	struct cmd_sends sends = { .threads = NULL };
	double start = host_now_ms();
	int n = 2;
	bool any_ended = false;
	char basis[160];

	if (!spins(&j->ranks) && !may_spin(&j->ranks))
		return false;
	cmd_sends_begin(&sends, &j->ranks);
	for (; n < (vd_any_outside(&j->ranks) ? OUTSIDE_MOMENTS : SPINNING_MOMENTS) &&
	       (spins(&j->ranks) || may_spin(&j->ranks));
	     n++)
		any_ended |= read_again(o, plugin, job, 0, keep, j);
	cmd_sends_apply(&sends, &j->ranks);
	cmd_sends_deinit(&sends);
	if (vd_limit_polls(&j->ranks, n) || !spins(&j->ranks))
		return any_ended;
	snprintf(basis, sizeof(basis), "seen at %d moments, nothing has changed in %.1f s", n,
		 (host_now_ms() - start) / 1e3);
	j->ranks.basis = vd_string(&j->ranks, basis);
	return any_ended;
}

static void set_basis_of_parts(struct cmd_judged *j)
{
	const json_t *parts = json_object_get(j->parts.head, "parts");
	long long n = (long long)json_integer_value(json_object_get(parts, "n"));
	char basis[160];

	if (n < 2)
		return;
	snprintf(basis, sizeof(basis),
		 "merged from %lld snapshots, taken within %lld s: messages in flight between them are unknown", n,
		 (long long)json_integer_value(json_object_get(parts, "seconds")) + 1);
	j->ranks.basis = vd_string(&j->ranks, basis);
}

/* Is it only for want of a processor that ranks count as able to go on? Another reading may show that they do not. */
static bool only_had_no_processor(const struct vd_job *j)
{
	bool any = false;

	for (size_t i = 0; i < j->n_ranks; i++) {
		if (j->ranks[i].went_on && !j->ranks[i].had_no_processor)
			return false;
		any |= j->ranks[i].had_no_processor;
	}
	return any;
}

/*
 * @param job from the first reading
 * @return true: it has reported that a rank has ended
 */
static bool read_until_sure(const struct cmd_options *o, struct host_plugin *plugin, const struct cmd_job *job,
			    bool keep, struct cmd_judged *j)
{
	int look_ms = 0;
	bool again = o->kind == CMD_TARGET_JOB && (may_hang(&j->ranks, &look_ms) || vd_may_be_lost(&j->ranks));
	bool any_ended = false;

	for (int i = 0; again && i < READINGS_MAX; i++) {
		any_ended |= read_again(o, plugin, job, look_ms, keep, j);
		again = only_had_no_processor(&j->ranks);
	}

	if (o->kind == CMD_TARGET_JOB)
		any_ended |= read_spinning(o, plugin, job, keep, j);
	if (!j->ranks.basis)
		set_basis_of_parts(j);
	if (!j->ranks.basis)
		j->ranks.basis_is_moment = (j->ranks.basis = vd_string(&j->ranks, "seen at one moment"));
	return any_ended;
}

static enum cmd_exit read_first(const struct cmd_options *o, struct host_plugin *plugin, bool keep, size_t *n_problems,
				struct cmd_judged *ret)
{
	*ret = (struct cmd_judged){ .n_processes = 0 };
	enum cmd_exit rc = cmd_snapshot_take(o, plugin, &ret->job, &ret->parts);
	*n_problems = ret->job.problems.n;
	bool loaded = ret->parts.head && cmd_judged_load(ret, keep, &ret->job.problems);

	return (!loaded || !ret->ranks.n_ranks) && rc == CMD_DONE ? CMD_PARTIAL : rc;
}

enum cmd_exit cmd_judged_once(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_judged *ret)
{
	size_t n_problems;

	return read_first(o, plugin, false, &n_problems, ret);
}

enum cmd_exit cmd_judged_take(const struct cmd_options *o, struct host_plugin *plugin, bool keep,
			      struct cmd_judged *ret)
{
	size_t n_problems;
	enum cmd_exit rc = read_first(o, plugin, keep, &n_problems, ret);

	if (!ret->ranks.n_ranks)
		return rc;
	bool incomplete = read_until_sure(o, plugin, &ret->job, keep, ret) || ret->ranks.n_refused;
	if (o->kind == CMD_TARGET_SNAPSHOT)
		incomplete |= ret->job.problems.n > n_problems || cmd_parts_missing(&ret->parts) > 0;
	return incomplete && rc == CMD_DONE ? CMD_PARTIAL : rc;
}

bool cmd_judged_answers(const struct cmd_options *o, struct host_plugin *plugin, const struct cmd_job *job,
			struct cmd_judged *ret)
{
	*ret = (struct cmd_judged){ .n_processes = 0 };
	cmd_snapshot_of_answers(job, &ret->parts);
	if (!ret->parts.head || !cmd_judged_load(ret, false, &ret->job.problems) || !ret->ranks.n_ranks)
		return false;
	read_until_sure(o, plugin, job, false, ret);
	return true;
}

void cmd_judged_deinit(struct cmd_judged *j)
{
	vd_sources_destroy(j->ranks.sources);
	vd_job_deinit(&j->ranks);
	for (size_t i = 0; i < j->n_processes; i++)
		json_decref(j->processes[i]);
	free(j->processes);
	cmd_parts_deinit(&j->parts);
	cmd_job_deinit(&j->job);
	*j = (struct cmd_judged){ .n_processes = 0 };
}
