/* SPDX-License-Identifier: BSD-3-Clause */
#include "query.h"

#include "answer.h"
#include "ask_job.h"
#include "collect.h"
#include "commands.h"
#include "cores.h"
#include "files_query.h"
#include "grouping.h"
#include "hosts_query.h"
#include "json.h"
#include "problems.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- asking all of them -------------------------------------------------------------------------- */

struct query {
	const struct cmd_about *about;
	int what;
	struct cmd_options o;
	struct host_plugin plugin;
	struct cmd_job job;
	struct cmd_answer *answers; /* n_answers elements, one for each process, which points to it */
	size_t n_answers;
	size_t n_done, n_absent, n_failed;
	bool json; /* as requested by the user */
	enum cmd_exit (*print)(struct cmd_job *job, const struct cmd_options *o, bool json);
	cmd_query_end *end;
};

static void print_stats(const struct query *q)
{
	struct cmd_answer total = { 0 };
	char name[4200];
	size_t n = 0;

	for (size_t i = 0; i < q->job.n; i++) {
		const struct cmd_answer *a = q->job.procs[i].answer;
		if (a->left_out)
			continue;
		cmd_proc_name(&q->job, &q->job.procs[i], name, sizeof(name));
		cmd_message("stats: %s: %llu reads, %llu bytes, stopped %.1f ms, %.1f ms in all", name,
			    (unsigned long long)a->n_reads, (unsigned long long)a->read_bytes, a->stopped_ms,
			    a->all_ms);
		total.n_reads += a->n_reads;
		total.read_bytes += a->read_bytes;
		total.stopped_ms += a->stopped_ms;
		total.all_ms += a->all_ms;
		n++;
	}
	if (n > 1)
		cmd_message("stats: total: %llu reads, %llu bytes, stopped %.1f ms, %.1f ms in all",
			    (unsigned long long)total.n_reads, (unsigned long long)total.read_bytes, total.stopped_ms,
			    total.all_ms);
}

static void count_answer(struct query *q, const struct cmd_answer *a)
{
	if (a->left_out)
		return;
	q->n_done += a->rc == CMD_DONE;
	q->n_absent += a->rc == CMD_ABSENT || a->rc == CMD_USAGE;
	q->n_failed += a->rc == CMD_PARTIAL;
}

static void ask_all(struct query *q)
{
	cmd_ask_all(&q->o, &q->plugin, q->what, &q->job);
	for (size_t i = 0; i < q->job.n; i++)
		count_answer(q, q->job.procs[i].answer);
}

static void print_json(struct query *q)
{
	bool first = true;

	cmd_query_json_begin(q->about->name, &q->job);
	for (size_t i = 0; i < q->job.n; i++) {
		struct cmd_answer *a = q->job.procs[i].answer;
		if (a->left_out)
			continue;
		if (!a->text.n)
			cmd_answer_stand_in(a, &q->job.procs[i], &a->text);
		fputs(first ? "  " : "  ,", stdout);
		first = false;
		cmd_spool_copy(&a->text, 0, stdout);
		if (a->text.text[a->text.n - 1] != '\n')
			putchar('\n');
	}
	cmd_query_json_end(&q->job);
}

static int result(const struct query *q, enum cmd_exit ranks)
{
	if (q->n_answers && q->answers[0].rc == CMD_USAGE)
		return CMD_USAGE; /* the same query was sent to all of them */
	if (q->n_failed || (q->n_absent && q->n_done))
		return CMD_PARTIAL;
	if (q->n_absent || !q->n_done)
		return CMD_ABSENT;
	return ranks;
}

/* Does a verdict follow the text of the job? */
static bool has_end(const struct query *q)
{
	bool live = q->o.kind == CMD_TARGET_JOB || q->o.kind == CMD_TARGET_CORES;
	bool job = (live && q->plugin.mpidbg_describe) || q->o.kind == CMD_TARGET_SNAPSHOT;

	return job && q->end && !q->o.no_verdict && !q->json;
}

/*
 * Ask the other hosts of the job. A host that did not answer makes the answer partial.
 *
 * @return false: the job has no other hosts
 */
static bool ask_hosts(struct query *q, enum cmd_exit *rc)
{
	bool elsewhere = false;

	if (!(q->about->options & CMD_OPT_HOSTS) || q->o.kind != CMD_TARGET_JOB)
		return false;
	*rc = cmd_hosts_answers(&q->o, &q->plugin, q->about->name, &q->job, &q->answers, &elsewhere);
	if (!elsewhere)
		return false;
	q->n_answers = q->answers ? q->job.n : 0;
	if (!q->n_answers)
		return true;
	for (size_t i = 0; i < q->job.n; i++)
		count_answer(q, q->job.procs[i].answer);
	q->n_failed += *rc == CMD_PARTIAL;
	*rc = CMD_DONE;
	return true;
}

/* Take the answers from snapshots. What is missing in them makes
 * the answer partial. @return false: they are asked for elsewhere */
static bool read_files(struct query *q, enum cmd_exit *rc)
{
	if (q->o.kind != CMD_TARGET_SNAPSHOT)
		return false;
	*rc = cmd_files_answers(&q->o, q->what, &q->job, &q->answers);
	q->n_answers = q->answers ? q->job.n : 0;
	for (size_t i = 0; i < q->n_answers; i++)
		count_answer(q, q->job.procs[i].answer);
	q->n_failed += *rc == CMD_PARTIAL;
	if (q->n_answers)
		*rc = CMD_DONE;
	return true;
}

static int run_query(struct query *q)
{
	enum cmd_exit rc = q->o.kind == CMD_TARGET_SNAPSHOT ? CMD_DONE : cmd_query_plugin(&q->o, &q->plugin);
	if (rc != CMD_DONE)
		return rc;
	q->o.judged = has_end(q);
	size_t n_problems = 0;
	if (!read_files(q, &rc) && !ask_hosts(q, &rc)) {
		rc = cmd_job_collect(&q->o, &q->plugin, &q->job);
		q->answers = calloc(q->job.n + 1, sizeof(*q->answers));
		if (!q->answers) {
			cmd_message("%s: out of memory", q->about->name);
			return CMD_PARTIAL;
		}
		q->n_answers = q->job.n;
		for (size_t i = 0; i < q->job.n; i++)
			q->job.procs[i].answer = &q->answers[i];
		n_problems = q->job.problems.n;
		if (rc == CMD_DONE)
			ask_all(q);
	}
	if (q->o.kind == CMD_TARGET_CORES) {
		cmd_job_sort(&q->job); /* ranks of cores are known only now */
		cmd_cores_check(&q->job, &q->o);
	}
	enum cmd_exit ranks = cmd_job_check_ranks(&q->job, &q->o);
	cmd_problems_gather(&q->job);
	enum cmd_exit printed = CMD_DONE;
	if (q->o.diff && rc == CMD_DONE) {
		printed = q->print(&q->job, &q->o, q->json);
	} else if (q->json) {
		print_json(q);
	} else if (rc == CMD_DONE && q->job.n) {
		cmd_query_heading(&q->job);
		cmd_grouping_print(&q->job);
		if (q->o.judged && q->n_done)
			q->end(&q->o, &q->plugin, &q->job);
	}
	cmd_query_print_problems(&q->job);
	if (q->o.stats)
		print_stats(q);
	if (rc != CMD_DONE)
		return rc;
	if (n_problems && !q->n_failed && q->n_done && ranks == CMD_DONE)
		return CMD_PARTIAL;
	int all = result(q, ranks);
	return all == CMD_DONE ? (int)printed : all;
}

static int answer(struct query *q, int argc, char **argv)
{
	int rc;

	if (!cmd_options_parse(q->about, argc, argv, &q->o, &rc))
		return rc;
	q->json = q->o.json;
	q->o.json |= q->o.diff;
	rc = run_query(q);
	for (size_t i = 0; i < q->n_answers; i++)
		cmd_answer_deinit(&q->answers[i]);
	free(q->answers);
	cmd_job_deinit(&q->job);
	host_plugin_unload(&q->plugin);
	cmd_options_deinit(&q->o);
	return rc;
}

int cmd_query(const struct cmd_about *about, int what, int argc, char **argv)
{
	struct query q = { .about = about, .what = what };

	return answer(&q, argc, argv);
}

int cmd_query_diff(const struct cmd_about *about, int what, int argc, char **argv,
		   enum cmd_exit (*print)(struct cmd_job *job, const struct cmd_options *o, bool json))
{
	struct query q = { .about = about, .what = what, .print = print };

	return answer(&q, argc, argv);
}

int cmd_query_judged(const struct cmd_about *about, int what, int argc, char **argv, cmd_query_end *end)
{
	struct query q = { .about = about, .what = what, .end = end };

	return answer(&q, argc, argv);
}
