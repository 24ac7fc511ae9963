/* SPDX-License-Identifier: BSD-3-Clause */
#include "judged.h"

#include "look.h"
#include "snapshot.h"

#include "../verdict/flows.h"
#include "../verdict/leaders.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	RUN_NS = 2000000, /* run time after which a polling rank has received messages in transit */
	RUNS = 20,        /* the same for a rank that sleeps between its polls: how often it was given a processor */
	BETWEEN_MS = 50,  /* minimum time between two readings */
	BETWEEN_MAX_MS = 5000 /* a rank that gets no processor for this time counts as making progress */
};

/* ---- loading a snapshot -------------------------------------------------------------------------------- */

/* A process and the numbers by which it is sorted. */
struct numbered {
	json_int_t world, rank;
	const json_t *process;
};

static int by_rank(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	return x->world != y->world ? (x->world > y->world) - (x->world < y->world)
				    : (x->rank > y->rank) - (x->rank < y->rank);
}

/* The processes in the order of their ranks; NULL: out of memory */
static const json_t **sort(const json_t *list)
{
	size_t n = json_array_size(list);
	struct numbered *numbered = calloc(n + 1, sizeof(*numbered));
	const json_t **ret = calloc(n + 1, sizeof(*ret));

	for (size_t i = 0; numbered && i < n; i++) {
		const json_t *p = json_array_get(list, i);
		numbered[i] = (struct numbered){ json_integer_value(json_object_get(p, "world_number")),
						 json_integer_value(json_object_get(p, "rank")), p };
	}
	if (numbered)
		qsort(numbered, n, sizeof(*numbered), by_rank);
	for (size_t i = 0; numbered && ret && i < n; i++)
		ret[i] = numbered[i].process;
	if (!numbered) {
		free(ret);
		ret = NULL;
	}
	free(numbered);
	return ret;
}

/*
 * Two processes with the same rank, perhaps from different jobs: it is unknown which one is meant, so the rank counts
 * as not read.
 */
static void leave_out(const json_t *process, struct cmd_lines *problems)
{
	if (json_is_string(json_object_get(process, "core")) && json_is_integer(json_object_get(process, "rank")))
		return; /* cmd_cores_check() has reported it */
	const json_t *rank = json_object_get(process, "rank");
	long long pid = json_integer_value(json_object_get(process, "pid"));

	if (json_is_integer(rank))
		cmd_lines_add(problems, "process %lld: another process has rank %lld as well: both are omitted", pid,
			      (long long)json_integer_value(rank));
	else
		cmd_lines_add(problems, "process %lld: its rank is unknown: it is omitted", pid);
}

/*
 * @param texts of the processes; NULL: the snapshot has them all
 * @return false: out of memory, or a process cannot be read
 */
static bool load(struct cmd_judged *j, struct cmd_texts *texts, struct cmd_lines *problems)
{
	json_t *list = json_object_get(j->snapshot, "processes");
	size_t n = json_array_size(list), n_taken = 0, n_left = 0;
	const json_t **sorted = sort(list), **left = calloc(n + 1, sizeof(*left));
	struct vd_job *ret = &j->ranks;
	bool ok = true;

	if (!sorted || !left) {
		free(sorted);
		free(left);
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		if (vd_load_rank(ret, sorted[i])) {
			sorted[n_taken++] = sorted[i];
			continue;
		}
		leave_out(sorted[i], problems);
		left[n_left++] = sorted[i];
	}
	for (size_t i = 0; ok && i < n_taken; i++) {
		json_t *process = NULL;
		ok = !texts || cmd_texts_process(texts, sorted[i], &process);
		vd_load_process(ret, i, process ? process : sorted[i]);
		json_decref(process);
	}
	for (size_t i = 0; i < n_left; i++)
		vd_forget_rank(ret, left[i]);
	free(left);
	vd_find_transits(ret);
	vd_mark_leaders(ret);
	for (size_t i = 0; i < ret->n_ranks; i++)
		ret->ranks[i].one_moment = ret->ranks[i].state == VD_READ;
	if (texts) { /* the identities are not needed any more */
		json_array_clear(list);
		free(sorted);
		sorted = NULL;
	}
	j->processes = sorted;
	return ok && !ret->no_memory;
}

bool cmd_judged_load(struct cmd_judged *j, struct cmd_lines *problems)
{
	return load(j, NULL, problems);
}

/* ---- two readings -------------------------------------------------------------------------------------------- */

struct run_sample {
	int64_t pid;
	unsigned long long ran_ns, n_runs;
};

/* Run time of all threads of a process. @return false: it has ended, or the kernel does not report it. */
static bool take_sample(int64_t pid, struct run_sample *ret)
{
	char path[64], file[400];
	bool any = false;

	snprintf(path, sizeof(path), "/proc/%lld/task", (long long)pid);
	DIR *d = pid > 0 ? opendir(path) : NULL;
	*ret = (struct run_sample){ .pid = pid };
	for (struct dirent *e; d && (e = readdir(d));) {
		unsigned long long ns, n_runs;
		snprintf(file, sizeof(file), "%s/%s/schedstat", path, e->d_name);
		FILE *f = e->d_name[0] == '.' ? NULL : fopen(file, "re");
		if (!f)
			continue;
		if (fscanf(f, "%llu %*u %llu", &ns, &n_runs) == 2) {
			ret->ran_ns += ns;
			ret->n_runs += n_runs;
			any = true;
		}
		fclose(f);
	}
	if (d)
		closedir(d);
	return any;
}

/* Has the process had no processor, or hardly any, since the sample? False also if that is unknown. */
static bool has_hardly_run(const struct run_sample *since)
{
	struct run_sample now;

	return take_sample(since->pid, &now) && now.ran_ns - since->ran_ns < RUN_NS &&
	       now.n_runs - since->n_runs < RUNS;
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static bool is_running(const struct cmd_job *job, int64_t pid)
{
	for (size_t i = 0; i < job->n; i++)
		if (job->procs[i].pid == pid && job->procs[i].here)
			return strcmp(cmd_proc_state(&job->procs[i]), "running") == 0;
	return false;
}

/* Wait until each runnable rank has run. */
static void wait_for_runs(const struct cmd_job *job, const struct run_sample *samples, size_t n)
{
	double start = now_ms();

	for (;;) {
		bool all = true;
		nanosleep(&(struct timespec){ .tv_nsec = BETWEEN_MS * 1000000L }, NULL);
		for (size_t i = 0; i < n; i++)
			if (has_hardly_run(&samples[i]))
				all &= !is_running(job, samples[i].pid);
		if (all || now_ms() - start > BETWEEN_MAX_MS)
			return;
	}
}

/*
 * Ranks that got no processor between the readings may only seem to make no progress. The state before the second
 * reading decides, because a sleeping rank that was just resumed needs a processor to fall asleep again.
 */
static size_t mark_not_scheduled(const struct run_sample *samples, const struct vd_job *first, struct vd_job *j)
{
	size_t n_marked = 0;

	for (size_t i = 0; i < j->n_ranks; i++) {
		struct vd_rank *r = &j->ranks[i];
		const struct vd_rank *before = vd_find_rank(first, r->world, r->rank);
		const struct run_sample *sample = before ? &samples[before - first->ranks] : NULL;
		if (!sample || sample->pid != r->pid || !r->process_state || strcmp(r->process_state, "running") != 0 ||
		    !has_hardly_run(sample))
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

static struct run_sample *take_samples(const struct vd_job *j)
{
	struct run_sample *samples = calloc(j->n_ranks + 1, sizeof(*samples));

	for (size_t i = 0; samples && i < j->n_ranks; i++)
		if (!take_sample(j->ranks[i].pid, &samples[i]))
			samples[i].pid = -1;
	return samples;
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
	json_t *list = json_object_get(again->snapshot, "processes");
	const struct vd_rank *last = first->ranks.n_ranks ? &first->ranks.ranks[first->ranks.n_ranks - 1] : NULL;
	json_t *there = json_object(), *process;
	json_int_t n_worlds = 0;
	char key[64];
	size_t i;

	json_array_foreach(list, i, process)
	{
		json_int_t world = json_integer_value(json_object_get(process, "world_number"));
		n_worlds = world + 1 > n_worlds ? world + 1 : n_worlds;
		snprintf(key, sizeof(key), "%lld.%lld", (long long)world,
			 (long long)json_integer_value(json_object_get(process, "rank")));
		json_object_set_new(there, key, json_true());
	}
	for (i = 0; last && n_worlds == last->world + 1 && i < first->ranks.n_ranks; i++) {
		const struct vd_rank *r = &first->ranks.ranks[i];
		const struct cmd_proc *p = proc_of(job, r->pid);
		snprintf(key, sizeof(key), "%lld.%lld", (long long)r->world, (long long)r->rank);
		if (json_object_get(there, key) || !p || strcmp(cmd_proc_state(p), "gone") != 0)
			continue;
		process = json_pack("{s:I, s:I, s:I, s:s}", "rank", (json_int_t)r->rank, "pid", (json_int_t)r->pid,
				    "world_number", (json_int_t)r->world, "state", "gone");
		if (process && *p->host)
			json_object_set_new(process, "host", json_string(p->host));
		if (process)
			json_array_append_new(list, process);
	}
	json_decref(there);
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
		       struct cmd_judged *first)
{
	struct cmd_look look = { .ranks = NULL };
	struct cmd_judged again = { .snapshot = NULL };
	struct run_sample *samples = take_samples(&first->ranks);
	double start = now_ms();
	bool any_ended = false;
	char basis[160];

	if (!samples)
		return false;
	wait_for_runs(job, samples, first->ranks.n_ranks);
	if (look_ms)
		cmd_look(&look, &first->ranks, look_ms);
	cmd_snapshot_take(o, plugin, &again.job, NULL, &again.snapshot);
	if (again.snapshot)
		add_ended(job, first, &again);
	if (again.snapshot && load(&again, NULL, &again.job.problems)) {
		vd_compare(&first->ranks, &again.ranks);
		size_t n = mark_not_scheduled(samples, &first->ranks, &again.ranks);
		size_t n_stopped = n_stopped_of(&again.ranks);
		cmd_look_apply(&look, &again.ranks);
		vd_compare_transits(&first->ranks, &again.ranks);
		snprintf(basis, sizeof(basis), "seen at two moments, %.1f s apart%s%s", (now_ms() - start) / 1e3,
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
	cmd_judged_deinit(&again);
	return any_ended;
}

static void set_basis_of_parts(struct cmd_judged *j)
{
	const json_t *parts = json_object_get(j->snapshot, "parts");
	long long n = (long long)json_integer_value(json_object_get(parts, "n"));
	char basis[160];

	if (n < 2)
		return;
	snprintf(basis, sizeof(basis),
		 "merged from %lld snapshots, taken within %lld s: messages in flight between them are unknown", n,
		 (long long)json_integer_value(json_object_get(parts, "seconds")) + 1);
	j->ranks.basis = vd_string(&j->ranks, basis);
}

/*
 * @param job from the first reading
 * @return true: it has reported that a rank has ended
 */
static bool read_until_sure(const struct cmd_options *o, struct host_plugin *plugin, const struct cmd_job *job,
			    struct cmd_judged *j)
{
	int look_ms = 0;
	bool any_ended = o->kind == CMD_TARGET_JOB && (may_hang(&j->ranks, &look_ms) || vd_may_be_lost(&j->ranks)) &&
			 read_again(o, plugin, job, look_ms, j);

	if (!j->ranks.basis)
		set_basis_of_parts(j);
	if (!j->ranks.basis)
		j->ranks.basis = vd_string(&j->ranks, "seen at one moment: messages in flight are unknown");
	return any_ended;
}

/* Load snapshot files process by process. @return false: a process cannot be read, or out of memory; *ret is all-zero. */
static bool take_texts(const struct cmd_options *o, struct cmd_judged *ret, enum cmd_exit *rc)
{
	struct cmd_texts texts = { .n_files = 0 };

	*rc = cmd_snapshot_take(o, NULL, &ret->job, &texts, &ret->snapshot);
	bool ok = !ret->snapshot || load(ret, &texts, &ret->job.problems);
	cmd_texts_deinit(&texts);
	if (!ok)
		cmd_judged_deinit(ret);
	return ok;
}

enum cmd_exit cmd_judged_take(const struct cmd_options *o, struct host_plugin *plugin, bool keep,
			      struct cmd_judged *ret)
{
	bool loaded = false;
	enum cmd_exit rc = CMD_DONE;

	*ret = (struct cmd_judged){ .snapshot = NULL };
	if (!keep && o->kind == CMD_TARGET_SNAPSHOT)
		loaded = take_texts(o, ret, &rc);
	if (!loaded) {
		rc = cmd_snapshot_take(o, plugin, &ret->job, NULL, &ret->snapshot);
		loaded = ret->snapshot && load(ret, NULL, &ret->job.problems);
	}
	if (!ret->snapshot || !loaded || !ret->ranks.n_ranks)
		return rc == CMD_DONE ? CMD_PARTIAL : rc;
	bool any_ended = read_until_sure(o, plugin, &ret->job, ret);
	return any_ended && rc == CMD_DONE ? CMD_PARTIAL : rc;
}

bool cmd_judged_answers(const struct cmd_options *o, struct host_plugin *plugin, const struct cmd_job *job,
			struct cmd_judged *ret)
{
	*ret = (struct cmd_judged){ .snapshot = cmd_snapshot_of_answers(job) };
	if (!ret->snapshot || !load(ret, NULL, &ret->job.problems) || !ret->ranks.n_ranks)
		return false;
	read_until_sure(o, plugin, job, ret);
	return true;
}

void cmd_judged_deinit(struct cmd_judged *j)
{
	vd_job_deinit(&j->ranks);
	free(j->processes);
	json_decref(j->snapshot);
	cmd_job_deinit(&j->job);
	*j = (struct cmd_judged){ .snapshot = NULL };
}
