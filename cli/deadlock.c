/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg deadlock: a snapshot of the job, judged by verdict/. A live job is looked at twice, and its ranks have used a
 * processor in between: what was on its way at the first moment has arrived, and who has gone on is seen to.
 */
#include "commands.h"
#include "deadlock.h"
#include "query.h"
#include "snapshot.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	RUN_NS = 2000000,     /* a rank that polls has taken in what was on its way when it has run so long */
	BETWEEN_MS = 50,      /* at least, between two looks */
	BETWEEN_MAX_MS = 5000 /* a rank that does not get a processor counts as one that goes on */
};

static const struct cmd_about about = {
	.name = "deadlock",
	.usage = "--job PID | --cores DIR|FILE... | --snapshot FILE...  [OPTION]...",
	.what = "Say why a job hangs: who waits for whom, which rank is missing, what does not match, and where in the "
		"program.\n"
		"A live job is looked at twice.\n",
	.options = CMD_OPT_TARGET | CMD_OPT_OUTPUT | CMD_OPT_SNAPSHOT,
	.epilogue = "             4 the job stands still: a deadlock, a mismatch, or a rank that is missing and does "
		    "not run.\n",
};

/* ---- judging a snapshot -------------------------------------------------------------------------------- */

static int by_rank(const void *a, const void *b)
{
	const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
	json_int_t wx = json_integer_value(json_object_get(x, "world_number"));
	json_int_t wy = json_integer_value(json_object_get(y, "world_number"));
	json_int_t rx = json_integer_value(json_object_get(x, "rank")),
		   ry = json_integer_value(json_object_get(y, "rank"));

	return wx != wy ? (wx > wy) - (wx < wy) : (rx > ry) - (rx < ry);
}

bool cmd_deadlock_load(const json_t *snapshot, struct vd_job *ret, struct cmd_lines *problems)
{
	const json_t *list = json_object_get(snapshot, "processes");
	size_t n = json_array_size(list), n_taken = 0;
	json_t **sorted = calloc(n + 1, sizeof(*sorted));

	if (!sorted)
		return false;
	for (size_t i = 0; i < n; i++)
		sorted[i] = json_array_get(list, i);
	qsort(sorted, n, sizeof(json_t *), by_rank);
	for (size_t i = 0; i < n; i++) {
		if (vd_load_rank(ret, sorted[i]))
			sorted[n_taken++] = sorted[i];
		else
			cmd_lines_add(problems,
				      "process %lld: its rank is not known, or another process has it: it is left out",
				      (long long)json_integer_value(json_object_get(sorted[i], "pid")));
	}
	for (size_t i = 0; i < n_taken; i++)
		vd_load_process(ret, i, sorted[i]);
	free(sorted);
	return !ret->no_memory;
}

/* ---- two looks -------------------------------------------------------------------------------------------- */

struct look {
	int64_t pid;
	unsigned long long ran_ns;
};

/* How long all threads of a process have run. @return false: it is gone, or the kernel does not say. */
static bool run_time(int64_t pid, unsigned long long *ret)
{
	char path[64], file[400];
	bool any = false;

	snprintf(path, sizeof(path), "/proc/%lld/task", (long long)pid);
	DIR *d = opendir(path);
	*ret = 0;
	for (struct dirent *e; d && (e = readdir(d));) {
		unsigned long long ns;
		snprintf(file, sizeof(file), "%s/%s/schedstat", path, e->d_name);
		FILE *f = e->d_name[0] == '.' ? NULL : fopen(file, "re");
		if (!f)
			continue;
		if (fscanf(f, "%llu", &ns) == 1) {
			*ret += ns;
			any = true;
		}
		fclose(f);
	}
	if (d)
		closedir(d);
	return any;
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

/* Wait until each rank that wants a processor has had one. */
static void wait_for_runs(const struct cmd_job *job, const struct look *looks, size_t n)
{
	double start = now_ms();

	for (;;) {
		bool all = true;
		nanosleep(&(struct timespec){ .tv_nsec = BETWEEN_MS * 1000000L }, NULL);
		for (size_t i = 0; i < n; i++) {
			unsigned long long ns;
			if (looks[i].pid > 0 && run_time(looks[i].pid, &ns) && ns - looks[i].ran_ns < RUN_NS)
				all &= !is_running(job, looks[i].pid);
		}
		if (all || now_ms() - start > BETWEEN_MAX_MS)
			return;
	}
}

/* Ranks that had no processor between the looks may only look as if they stood still. */
static size_t mark_those_that_did_not_run(const struct cmd_job *job, const struct look *looks, size_t n,
					  struct vd_job *j)
{
	size_t n_marked = 0;

	for (size_t i = 0; i < n && i < j->n_ranks; i++) {
		unsigned long long ns;
		if (looks[i].pid != j->ranks[i].pid || looks[i].pid <= 0 || !run_time(looks[i].pid, &ns) ||
		    ns - looks[i].ran_ns >= RUN_NS || !is_running(job, looks[i].pid))
			continue;
		j->ranks[i].went_on = true;
		n_marked++;
	}
	return n_marked;
}

static struct look *look_at(const struct vd_job *j)
{
	struct look *looks = calloc(j->n_ranks + 1, sizeof(*looks));

	for (size_t i = 0; looks && i < j->n_ranks; i++) {
		looks[i].pid = j->ranks[i].pid;
		if (looks[i].pid > 0 && !run_time(looks[i].pid, &looks[i].ran_ns))
			looks[i].pid = -1;
	}
	return looks;
}

static bool may_hang(const struct vd_job *j)
{
	struct vd_verdict v;
	bool ret = !vd_judge(j, &v) || v.result != VD_NO_DEADLOCK;

	vd_verdict_deinit(&v);
	return ret;
}

/* The second look. @return false: it failed; what is known is what was seen first. */
static bool look_again(const struct cmd_options *o, struct host_plugin *plugin, const struct cmd_job *job,
		       struct vd_job *j)
{
	struct cmd_job again_job = { 0 };
	struct vd_job again = { 0 };
	json_t *snapshot = NULL;
	struct look *looks = look_at(j);
	double start = now_ms();
	bool ok = false;
	char basis[160];

	if (!looks)
		return false;
	wait_for_runs(job, looks, j->n_ranks);
	cmd_snapshot_take(o, plugin, &again_job, &snapshot);
	if (snapshot && cmd_deadlock_load(snapshot, &again, &again_job.problems)) {
		vd_compare(j, &again);
		size_t n = mark_those_that_did_not_run(&again_job, looks, j->n_ranks, &again);
		snprintf(basis, sizeof(basis), "seen at two moments, %.1f s apart%s", (now_ms() - start) / 1e3,
			 n ? "; some ranks had no processor in between: they count as able to go on" : "");
		vd_job_deinit(j);
		*j = again;
		j->basis = vd_string(j, basis);
		ok = true;
	} else {
		vd_job_deinit(&again);
	}
	free(looks);
	json_decref(snapshot);
	cmd_job_deinit(&again_job);
	return ok;
}

/* ---- the command -------------------------------------------------------------------------------------------- */

static void print_json(const struct cmd_job *job, const struct vd_job *j, const struct vd_verdict *v,
		       const json_t *snapshot)
{
	json_t *o = json_object(), *problems = json_array();

	json_object_set_new(o, "schema", json_string("mpidbg/1"));
	json_object_set_new(o, "command", json_string("deadlock"));
	json_object_set(o, "job", json_object_get(snapshot, "job"));
	json_object_set_new(o, "verdict", vd_report_json(j, v));
	for (size_t i = 0; i < job->problems.n; i++)
		json_array_append_new(problems, json_string(job->problems.line[i]));
	json_object_set_new(o, "problems", problems);
	json_dumpf(o, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(o);
}

static int judge(const struct cmd_options *o, const struct cmd_job *job, const struct vd_job *j, const json_t *snapshot,
		 int rc)
{
	struct vd_verdict v;

	if (!vd_judge(j, &v)) {
		cmd_say("deadlock: out of memory");
		return CMD_PARTIAL;
	}
	if (o->json)
		print_json(job, j, &v, snapshot);
	else
		vd_report(j, &v, stdout);
	int ret = v.result != VD_NO_DEADLOCK && v.stands_still ? CMD_DEADLOCK : rc;
	vd_verdict_deinit(&v);
	return ret;
}

static int run(const struct cmd_options *o, struct host_plugin *plugin)
{
	struct cmd_job job = { 0 };
	struct vd_job j = { 0 };
	json_t *snapshot = NULL;
	int rc = cmd_snapshot_take(o, plugin, &job, &snapshot);

	if (snapshot && cmd_deadlock_load(snapshot, &j, &job.problems) && j.n_ranks) {
		bool live = o->kind == CMD_TARGET_JOB;
		if (!live || !may_hang(&j) || !look_again(o, plugin, &job, &j))
			j.basis = vd_string(&j, "seen at one moment: a message that was on its way is not known");
		rc = judge(o, &job, &j, snapshot, rc);
	} else if (rc == CMD_DONE) {
		rc = CMD_PARTIAL;
	}
	cmd_query_say_problems(&job);
	vd_job_deinit(&j);
	json_decref(snapshot);
	cmd_job_deinit(&job);
	return rc;
}

int cmd_deadlock(int argc, char **argv)
{
	struct cmd_options o;
	struct host_plugin plugin = { 0 };
	int rc;

	if (!cmd_options_parse(&about, argc, argv, &o, &rc))
		return rc;
	rc = o.kind == CMD_TARGET_SNAPSHOT ? CMD_DONE : cmd_query_plugin(&o, &plugin);
	if (rc == CMD_DONE)
		rc = run(&o, &plugin);
	host_plugin_unload(&plugin);
	cmd_options_deinit(&o);
	return rc;
}
