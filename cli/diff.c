/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg diff: compares two snapshots of one job, or two readings of it, with verdict/.
 */
#include "../verdict/changes.h"
#include "commands.h"
#include "json.h"
#include "query_frame.h"
#include "seen.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define APART_S 1.0 /* between two readings of a job */

/* Two files, a file and a job, or a job. */
static bool check_words(struct cmd_options *o)
{
	bool job = o->kind == CMD_TARGET_JOB;

	if (!job && o->kind != CMD_TARGET_SNAPSHOT)
		cmd_message("diff: a job, or snapshots are compared: mpidbg diff --job JOB");
	else if (!job && o->n_words < 2)
		cmd_message("diff: two snapshots are needed: mpidbg diff EARLIER.json LATER.json, written by mpidbg "
			    "snapshot; or mpidbg diff --job JOB");
	else if (job && o->n_words > 1)
		cmd_message("diff: --job takes the place of the later snapshot: mpidbg diff EARLIER.json --job JOB");
	else
		return true;
	return false;
}

static const struct cmd_about about = {
	.name = "diff",
	.usage = "EARLIER LATER  [OPTION]...\n"
		 "       mpidbg diff [EARLIER] --job JOB  [OPTION]...",
	.what = "Compare two snapshots of a job: ranks and calls that have made progress, ranks without change, "
		"messages that have\n"
		"arrived. With --job, compare a snapshot with the job as it is now; without a snapshot, read the job "
		"twice. The last\n"
		"line says whether the job is stuck, slow, or spinning without progress.\n",
	.options = CMD_OPT_TARGET | CMD_OPT_HOSTS | CMD_OPT_OUTPUT | CMD_OPT_TWO | CMD_OPT_LINES,
	.n_words = 2,
	.check_words = check_words,
};

static void load_file(struct cmd_seen *s, const char *path)
{
	static const struct cmd_judging how = { .keep = false };
	const char *files[] = { path };
	struct cmd_options o = { .kind = CMD_TARGET_SNAPSHOT, .files = files, .n_files = 1 };

	cmd_seen_take(&o, NULL, &how, "diff", s);
	cmd_query_print_problems(&s->judged.job);
}

static void read_job(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_seen *s)
{
	static const struct cmd_judging how = { .once = true };

	cmd_seen_take(o, plugin, &how, "diff", s);
	cmd_query_print_problems(&s->judged.job);
}

static int64_t time_of(const struct cmd_seen *s)
{
	const json_t *v = json_object_get(s->judged.parts.head, "time");

	return json_is_integer(v) ? json_integer_value(v) : -1;
}

static const json_t *job_of(const struct cmd_seen *s)
{
	return json_object_get(s->judged.parts.head, "job");
}

/* Are they of different jobs, as far as known? By the name of the
 * job, which is the same on all its hosts, else by the launcher. */
static bool are_of_different_jobs(const struct cmd_seen *a, const struct cmd_seen *b)
{
	const char *x = json_string_value(json_object_get(job_of(a), "name"));
	const char *y = json_string_value(json_object_get(job_of(b), "name"));
	int64_t first = json_integer_value(json_object_get(job_of(a), "launcher"));
	int64_t second = json_integer_value(json_object_get(job_of(b), "launcher"));

	if (x && y && *x && *y)
		return strcmp(x, y) != 0;
	return first && second && first != second;
}

static void print_json(const struct vd_changes *c)
{
	json_t *o = json_object();

	json_object_set_new(o, "schema", json_string("mpidbg/1"));
	json_object_set_new(o, "command", json_string("diff"));
	json_object_set_new(o, "changes", vd_changes_json(c));
	cmd_json_dump(o, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(o);
}

static int compare_seen(const struct cmd_options *o, struct cmd_seen *a, struct cmd_seen *b)
{
	int rc = a->rc != CMD_DONE ? a->rc : b->rc;
	int64_t from = time_of(a), to = time_of(b);

	if (are_of_different_jobs(a, b)) {
		cmd_message("diff: the snapshots have different launchers: are they of the same job?");
		rc = CMD_PARTIAL;
	}
	if (from >= 0 && to >= 0 && from > to) {
		cmd_message("diff: %s is the earlier snapshot: compared in this order",
			    o->n_words > 1 ? o->words[1] : "that of the job");
		struct cmd_options turned = { .json = o->json, .all = o->all, .words = { o->words[1], o->words[0] } };
		return compare_seen(&turned, b, a);
	}
	b->judged.ranks.every_line = o->all;
	struct vd_seen before = { &a->judged.ranks, &a->verdict, &a->groups };
	struct vd_seen after = { &b->judged.ranks, &b->verdict, &b->groups };
	struct vd_changes c = { .n = 0 };
	vd_changes_find(&c, &before, &after, from >= 0 && to >= 0 ? to - from : -1);
	if (c.no_memory) {
		cmd_message("diff: out of memory");
		rc = CMD_PARTIAL;
	} else if (o->json) {
		print_json(&c);
	} else {
		vd_changes_print(&c, stdout);
	}
	vd_changes_deinit(&c);
	return rc;
}

static void pause_for(double s)
{
	struct timespec t = { .tv_sec = (time_t)s, .tv_nsec = (long)((s - (double)(time_t)s) * 1e9) };

	nanosleep(&t, NULL);
}

/* @return CMD_DONE, or why no job can be read */
static int load_both(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_seen *a, struct cmd_seen *b)
{
	int rc = o->kind == CMD_TARGET_JOB ? cmd_query_plugin(o, plugin) : CMD_DONE;

	if (rc != CMD_DONE)
		return rc;
	if (o->n_words)
		load_file(a, o->words[0]);
	else
		read_job(o, plugin, a);
	if (o->kind != CMD_TARGET_JOB)
		load_file(b, o->words[1]);
	else if (!o->n_words && !a->ok)
		return a->rc != CMD_DONE ? a->rc : CMD_PARTIAL;
	else {
		if (!o->n_words)
			pause_for(o->apart_s > 0 ? o->apart_s : APART_S);
		read_job(o, plugin, b);
	}
	return CMD_DONE;
}

int cmd_diff(int argc, char **argv)
{
	struct cmd_options o;
	struct host_plugin plugin = { 0 };
	struct cmd_seen a = { .ok = false }, b = { .ok = false };
	int rc;

	if (!cmd_options_parse(&about, argc, argv, &o, &rc))
		return rc;
	rc = load_both(&o, &plugin, &a, &b);
	if (rc == CMD_DONE)
		rc = a.ok && b.ok ? compare_seen(&o, &a, &b) : CMD_PARTIAL;
	cmd_seen_deinit(&a);
	cmd_seen_deinit(&b);
	host_plugin_unload(&plugin);
	cmd_options_deinit(&o);
	return rc;
}
