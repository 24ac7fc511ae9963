/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg diff: compares two snapshots of one job, with verdict/.
 */
#include "../verdict/changes.h"
#include "commands.h"
#include "judged.h"
#include "json.h"
#include "query_frame.h"

#include <stdio.h>
#include <string.h>

/* Both files are needed. */
static bool check_words(struct cmd_options *o)
{
	if (o->n_words < 2)
		cmd_message("diff: two snapshots are needed: mpidbg diff EARLIER.json LATER.json, written by mpidbg "
			    "snapshot");
	return o->n_words == 2;
}

static const struct cmd_about about = {
	.name = "diff",
	.usage = "EARLIER LATER  [OPTION]...",
	.what = "Compare two snapshots of a job: ranks and calls that have made progress, ranks without change, "
		"messages that have\n"
		"arrived. The last line says whether the job is stuck, slow, or spinning without progress.\n",
	.options = CMD_OPT_OUTPUT | CMD_OPT_TWO,
	.n_words = 2,
	.check_words = check_words,
};

/* A snapshot that was loaded and analyzed. */
struct side {
	struct cmd_judged judged;
	struct vd_verdict verdict;
	struct vd_groups groups;
	enum cmd_exit rc;
	bool ok;
};

static void load(struct side *s, const char *path)
{
	const char *files[] = { path };
	struct cmd_options o = { .kind = CMD_TARGET_SNAPSHOT, .files = files, .n_files = 1 };

	s->rc = cmd_judged_take(&o, NULL, false, &s->judged);
	s->ok = s->judged.ranks.n_ranks && vd_judge(&s->judged.ranks, &s->verdict);
	if (s->ok)
		vd_group_ranks(&s->groups, &s->judged.ranks, &s->verdict);
	s->ok = s->ok && !s->groups.no_memory;
	cmd_query_print_problems(&s->judged.job);
}

static void side_deinit(struct side *s)
{
	vd_groups_deinit(&s->groups);
	vd_verdict_deinit(&s->verdict);
	cmd_judged_deinit(&s->judged);
}

static int64_t time_of(const struct side *s)
{
	const json_t *v = json_object_get(s->judged.parts.head, "time");

	return json_is_integer(v) ? json_integer_value(v) : -1;
}

static int64_t launcher_of(const struct side *s)
{
	return json_integer_value(json_object_get(json_object_get(s->judged.parts.head, "job"), "launcher"));
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

static int compare(const struct cmd_options *o, struct side *a, struct side *b)
{
	int rc = a->rc != CMD_DONE ? a->rc : b->rc;
	int64_t from = time_of(a), to = time_of(b);

	if (launcher_of(a) && launcher_of(b) && launcher_of(a) != launcher_of(b)) {
		cmd_message("diff: the snapshots have different launchers: are they of the same job?");
		rc = CMD_PARTIAL;
	}
	if (from >= 0 && to >= 0 && from > to) {
		cmd_message("diff: %s is the earlier snapshot: compared in this order", o->words[1]);
		return compare(&(struct cmd_options){ .json = o->json, .words = { o->words[1], o->words[0] } }, b, a);
	}
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

int cmd_diff(int argc, char **argv)
{
	struct cmd_options o;
	struct side a = { .ok = false }, b = { .ok = false };
	int rc;

	if (!cmd_options_parse(&about, argc, argv, &o, &rc))
		return rc;
	load(&a, o.words[0]);
	load(&b, o.words[1]);
	rc = a.ok && b.ok ? compare(&o, &a, &b) : CMD_PARTIAL;
	side_deinit(&a);
	side_deinit(&b);
	cmd_options_deinit(&o);
	return rc;
}
