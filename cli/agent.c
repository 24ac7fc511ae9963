/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg agent: reads the ranks of a job on this host at two moments, and writes both to the mpidbg on another host
 * that has started it (hosts/lines.h). It exits with 0 whenever it has written an answer: a launcher takes any other
 * code for the failure of a task, and may end those of other hosts.
 */
#include "answer.h"
#include "ask_job.h"
#include "collect.h"
#include "commands.h"
#include "cpu.h"
#include "hosts_query.h"
#include "judged.h"
#include "query_frame.h"
#include "returns.h"
#include "snapshot.h"
#include "started.h"

#include "../hosts/lines.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	UNTIL_MAX_S = 10, /* --until later than this is the time of another clock */
	RUN_MS = 3000     /* for which threads that only wait are given time to run */
};
#define APART_S 0.3 /* between the readings, at least */

static const struct cmd_about about = {
	.name = "agent",
	.usage = "slurm:JOB[.STEP] | pmix:NAMESPACE | hydra:ADDRESS:PORT | launcher:PID  [OPTION]...",
	.what = "Read the ranks of a job on this host at two moments, for mpidbg on another host, which starts it by "
		"srun, ssh "
		"or\n"
		"the like (mpidbg deadlock --job). The output is not meant for people.\n",
	.options = CMD_OPT_AGENT | CMD_OPT_OUTPUT | CMD_OPT_ALL | CMD_OPT_HANDLES,
	.n_words = 1,
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The name by which Slurm knows this host, which may differ from its own; "-": the way to it knows it. */
static const char *name_of_host(void)
{
	const char *name = getenv("SLURMD_NODENAME");

	return name && *name && strlen(name) < HS_HOST_MAX && !strpbrk(name, " \t\n") ? name : "-";
}

static bool write_text(enum hs_kind kind, const json_t *json)
{
	char *text = json ? json_dumps(json, JSON_COMPACT) : strdup("");
	bool ok = text && hs_lines_write(stdout, name_of_host(), kind, text, strlen(text));

	free(text);
	return ok;
}

static bool write_parts(enum hs_kind kind, struct cmd_parts *parts, const struct cmd_lines *problems)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	bool ok = f && (!parts->head || cmd_parts_write(parts, true, problems, f));

	if (f)
		ok = fclose(f) == 0 && ok;
	ok = ok && hs_lines_write(stdout, name_of_host(), kind, text, n);
	free(text);
	return ok;
}

static void wait_between(const struct cmd_options *o)
{
	double now = now_s(), end = now + (o->apart_s > APART_S ? o->apart_s : APART_S);

	if (o->until > end && o->until < now + UNTIL_MAX_S)
		end = o->until;
	double s = end - now;
	struct timespec t = { .tv_sec = (time_t)s, .tv_nsec = (long)((s - (double)(time_t)s) * 1e9) };
	nanosleep(&t, NULL);
}

/*
 * The end of a reading, and what was read. Which calls return is counted from before the end of the first reading, so
 * that a thread that has not returned is in that call at each time between the readings of all hosts.
 */
static bool deliver(enum hs_kind kind, json_t *times, struct cmd_judged *j)
{
	json_array_append_new(times, json_real(now_s()));
	return write_parts(kind, &j->parts, &j->job.problems);
}

/* Read it again later. The time at which threads begin to be given time to run is that of the second reading. */
static bool deliver_again(const struct cmd_options *o, struct host_plugin *plugin, json_t *times,
			  struct cmd_returns *returns)
{
	struct cmd_judged second = { .n_processes = 0 };
	struct cmd_options asked = *o;

	asked.last = true;
	wait_between(o);
	json_array_append_new(times, json_real(now_s()));
	cmd_returns_settle(returns);
	cmd_returns_wait(returns, RUN_MS);
	cmd_snapshot_take(&asked, plugin, &second.job, &second.parts);
	bool ok = deliver(HS_KIND_SECOND, times, &second);
	cmd_judged_deinit(&second);
	return ok;
}

/* @param[out] about_it why this host has no answer */
static bool deliver_both(const struct cmd_options *o, struct host_plugin *plugin, json_t *about_it)
{
	struct cmd_judged first = { .n_processes = 0 };
	struct cmd_returns returns = { .threads = NULL };
	struct cmd_lines ignored = { 0 };
	json_t *times[2] = { json_array(), json_array() };

	json_array_append_new(times[0], json_real(now_s()));
	enum cmd_exit rc = cmd_snapshot_take(o, plugin, &first.job, &first.parts);
	if (first.job.n && cmd_judged_load(&first, false, &ignored))
		cmd_returns_begin(&returns, &first.ranks);
	bool ok = deliver(HS_KIND_FIRST, times[0], &first);
	if (first.job.n) {
		ok = ok && deliver_again(o, plugin, times[1], &returns);
		json_object_set_new(about_it, "returns", cmd_returns_json(&returns));
	} else {
		ok = ok && write_text(HS_KIND_SECOND, NULL);
		if (rc != CMD_ABSENT)
			json_object_set_new(about_it, "why",
					    json_string(first.job.problems.n ? first.job.problems.line[0] : "failed"));
	}
	json_object_set_new(about_it, "first", times[0]);
	json_object_set_new(about_it, "second", times[1]);
	cmd_lines_deinit(&ignored);
	cmd_returns_deinit(&returns);
	cmd_judged_deinit(&first);
	return ok;
}

/* What --show may ask for. */
static const struct {
	const char *name;
	int what; /* enum mpidbg_what; -1: only the processes */
} queries[] = {
	{ "queues", MPIDBG_WHAT_QUEUES },
	{ "comms", MPIDBG_WHAT_COMMS },
	{ "calls", MPIDBG_WHAT_CALLS },
	{ "handles", MPIDBG_WHAT_HANDLES },
	{ "procs", -1 },
};

/* @param[out] word the word of the subcommand, as in handles:comm; NULL: none */
static bool find_query(const char *name, int *what, const char **word)
{
	size_t n = strcspn(name, ":");

	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
		if (strncmp(name, queries[i].name, n) != 0 || queries[i].name[n])
			continue;
		*what = queries[i].what;
		*word = name[n] ? name + n + 1 : NULL;
		return true;
	}
	return false;
}

/* Ask the processes as the subcommand does. @param[out] about_it why this host has no answer */
static bool deliver_answers(const struct cmd_options *o, struct host_plugin *plugin, int what, json_t *about_it)
{
	struct cmd_job job;
	enum cmd_exit rc = cmd_job_collect(o, plugin, &job);
	struct cmd_answer *answers = calloc(job.n + 1, sizeof(*answers));

	for (size_t i = 0; answers && what >= 0 && i < job.n; i++)
		job.procs[i].answer = &answers[i];
	if (answers && what >= 0 && rc == CMD_DONE)
		cmd_ask_all(o, plugin, what, &job);
	if (rc != CMD_DONE && rc != CMD_ABSENT)
		json_object_set_new(about_it, "why", json_string(job.problems.n ? job.problems.line[0] : "failed"));
	if (rc != CMD_DONE) {
		cmd_lines_deinit(&job.problems);
		job.n = 0;
	}
	json_t *json = answers ? cmd_hosts_answers_json(&job) : NULL;
	bool ok = json && write_text(HS_KIND_FIRST, json) && write_text(HS_KIND_SECOND, NULL);
	json_decref(json);
	for (size_t i = 0; answers && i < job.n; i++)
		cmd_answer_deinit(&answers[i]);
	free(answers);
	cmd_job_deinit(&job);
	return ok;
}

static bool answer(const struct cmd_options *o, struct host_plugin *plugin)
{
	json_t *about_it = json_object();
	enum cmd_exit rc = cmd_query_plugin(o, plugin);
	const char *word;
	bool ok = true;
	int what = -1;

	json_object_set_new(about_it, "version", json_string(MPIDBG_VERSION));
	json_object_set_new(about_it, "host", json_string(cmd_this_host()));
	json_object_set_new(about_it, "started", json_integer(cmd_started_ms()));
	if (rc != CMD_DONE) {
		json_object_set_new(about_it, "why", json_string("its mpidbg has no plugin"));
		ok = write_text(HS_KIND_FIRST, NULL) && write_text(HS_KIND_SECOND, NULL);
	} else if (o->show && find_query(o->show, &what, &word)) {
		struct cmd_options asked = *o;
		asked.words[0] = word;
		asked.n_words = word != NULL;
		ok = deliver_answers(&asked, plugin, what, about_it);
	} else {
		ok = deliver_both(o, plugin, about_it);
	}
	json_object_set_new(about_it, "cpu", json_real(cmd_cpu_s()));
	ok = ok && write_text(HS_KIND_ABOUT, about_it);
	json_decref(about_it);
	return ok;
}

/* It was copied for this question only. */
static void unlink_own_file(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n <= 0)
		return;
	path[n] = '\0';
	const char *slash = strrchr(path, '/');
	if (slash && strncmp(slash, "/mpidbg.", 8) == 0)
		unlink(path);
}

int cmd_agent(int argc, char **argv)
{
	struct host_plugin plugin = { 0 };
	struct cmd_options o;
	int rc;

	if (!cmd_options_parse(&about, argc, argv, &o, &rc))
		return rc;
	if (!o.n_words) {
		cmd_message("agent: no job given: slurm:JOB.STEP, pmix:NAMESPACE or launcher:PID");
		cmd_options_deinit(&o);
		return CMD_USAGE;
	}
	const char *word;
	int what;
	if (o.show && !find_query(o.show, &what, &word)) {
		cmd_message("agent: --show is queues, comms, calls, handles or procs, not \"%s\"", o.show);
		cmd_options_deinit(&o);
		return CMD_USAGE;
	}
	if (o.unlink)
		unlink_own_file();
	o.kind = CMD_TARGET_JOB;
	o.named = o.words[0];
	rc = answer(&o, &plugin) ? CMD_DONE : CMD_PARTIAL;
	host_plugin_unload(&plugin);
	cmd_options_deinit(&o);
	return rc;
}
