/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg deadlock: reports why a job hangs, by the analysis in verdict/.
 */
#include "../host/clock.h"
#include "../verdict/changes.h"
#include "../verdict/source.h"
#include "commands.h"
#include "hosts_judged.h"
#include "json.h"
#include "query_frame.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const struct cmd_about about = {
	.name = "deadlock",
	.usage = "--job JOB | --cores DIR|FILE... | --snapshot FILE...  [OPTION]...",
	.what = "Say why a job hangs: which ranks wait for each other, which rank is missing, what does not match, and "
		"where in\n"
		"the program. A live job that may hang is read twice.\n",
	.options = CMD_OPT_TARGET | CMD_OPT_OUTPUT | CMD_OPT_SNAPSHOT | CMD_OPT_HOSTS | CMD_OPT_SOURCE | CMD_OPT_WATCH,
	.epilogue = "             4 the job stands still: a deadlock, a mismatch, or a rank that is missing and does "
		    "not run.\n"
		    "             5 the job spins: ranks poll, all others wait, and nothing has happened at several "
		    "moments.\n",
};

/* What has changed between a look at a live job and the one before. */
struct step {
	double seconds; /* since the first look */
	enum vd_progress progress;
	struct vd_text sentence;
};

enum { LOOKS = 5 };

struct steps {
	struct step v[LOOKS];
	size_t n;
};

static json_t *steps_json(const struct steps *steps)
{
	json_t *list = json_array();

	for (size_t i = 0; i < steps->n; i++) {
		const struct step *s = &steps->v[i];
		json_t *o = json_pack("{s:f, s:s, s:s}", "seconds", (double)(int64_t)(s->seconds * 1e3) / 1e3, "result",
				      vd_progress_text(s->progress), "conclusion", s->sentence.bytes);
		json_array_append_new(list, o ? o : json_null());
	}
	return list;
}

/* Equal ones that follow each other are one line. */
static void print_steps(const struct steps *steps)
{
	if (!steps->n)
		return;
	puts("\nEach look, compared with the one before:");
	for (size_t i = 0, end; i < steps->n; i = end) {
		for (end = i + 1;
		     end < steps->n && strcmp(steps->v[i].sentence.bytes, steps->v[end].sentence.bytes) == 0;)
			end++;
		printf("  after %.1f s", steps->v[i].seconds);
		if (end - i > 1)
			printf(" to %.1f s (%zu looks)", steps->v[end - 1].seconds, end - i);
		fputs("  ", stdout);
		vd_print(stdout, steps->v[i].sentence.bytes);
		putchar('\n');
	}
}

static void print_json(const struct cmd_judged *j, const struct vd_verdict *v, const struct vd_changes *changes,
		       const struct steps *steps)
{
	json_t *o = json_object(), *problems = json_array();

	json_object_set_new(o, "schema", json_string("mpidbg/1"));
	json_object_set_new(o, "command", json_string("deadlock"));
	json_object_set(o, "job", json_object_get(j->parts.head, "job"));
	json_object_set_new(o, "verdict", vd_report_json(&j->ranks, v));
	if (changes)
		json_object_set_new(o, "changes", vd_changes_json(changes));
	if (changes)
		json_object_set_new(o, "looks", steps_json(steps));
	for (size_t i = 0; i < j->job.problems.n; i++)
		json_array_append_new(problems, json_string(j->job.problems.line[i]));
	json_object_set_new(o, "problems", problems);
	cmd_json_dump(o, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(o);
}

/* The job at one time, analyzed. */
struct look {
	struct cmd_judged judged;
	struct vd_verdict verdict;
	struct vd_groups groups;
	double at_s;
	int rc;
	bool ok;
};

static void look(const struct cmd_options *o, struct host_plugin *plugin, struct look *ret)
{
	*ret = (struct look){ .at_s = host_now_ms() / 1e3 };
	ret->rc = cmd_hosts_judge(o, plugin, false, &ret->judged);
	ret->judged.ranks.sources = vd_sources_create(o->source_dir);
	ret->ok = ret->judged.ranks.n_ranks && vd_judge(&ret->judged.ranks, &ret->verdict);
	if (ret->judged.ranks.n_ranks && !ret->ok) {
		cmd_message("deadlock: out of memory");
		ret->rc = CMD_PARTIAL;
	}
	if (ret->ok && o->watch_s > 0)
		vd_group_ranks(&ret->groups, &ret->judged.ranks, &ret->verdict);
}

static void look_deinit(struct look *l)
{
	vd_groups_deinit(&l->groups);
	vd_verdict_deinit(&l->verdict);
	cmd_judged_deinit(&l->judged);
}

static void compare(const struct look *first, const struct look *last, int64_t seconds, struct vd_changes *ret)
{
	struct vd_seen before = { &first->judged.ranks, &first->verdict, &first->groups };
	struct vd_seen after = { &last->judged.ranks, &last->verdict, &last->groups };

	vd_changes_find(ret, &before, &after, seconds);
}

/* @param first what was seen before; NULL: nothing */
static int print(const struct cmd_options *o, const struct look *first, const struct look *last,
		 const struct steps *steps)
{
	struct vd_changes changes = { .n = 0 };
	const struct vd_verdict *v = &last->verdict;
	bool compared = first && first->ok;

	if (compared)
		compare(first, last, (int64_t)(last->at_s - first->at_s + 0.5), &changes);
	compared = compared && !changes.no_memory;
	if (o->json)
		print_json(&last->judged, v, compared ? &changes : NULL, steps);
	else
		vd_report(&last->judged.ranks, v, o->color, stdout);
	if (compared && !o->json) {
		putchar('\n');
		vd_changes_print(&changes, stdout);
		print_steps(steps);
	}
	vd_changes_deinit(&changes);
	if (v->result == VD_SPINS)
		return CMD_SPINNING;
	return v->result != VD_NO_DEADLOCK && v->stands_still ? CMD_DEADLOCK : last->rc;
}

static void add_step(struct steps *steps, const struct look *first, const struct look *before, const struct look *now)
{
	struct vd_changes changes = { .n = 0 };
	struct step *s = &steps->v[steps->n++];

	compare(before, now, -1, &changes);
	*s = (struct step){ .seconds = now->at_s - first->at_s, .progress = (enum vd_progress)changes.progress };
	vd_changes_sentence(&s->sentence, &changes);
	vd_changes_deinit(&changes);
}

/* Look again, several times in all. The first look is kept for the comparison; of the others only the last. */
static void look_again(const struct cmd_options *o, struct host_plugin *plugin, const struct look *first,
		       struct look *last, struct steps *steps)
{
	double step_s = o->watch_s / LOOKS;

	for (int i = 1; i <= LOOKS; i++) {
		double left_s = first->at_s + i * step_s - host_now_ms() / 1e3;
		if (left_s > 0)
			nanosleep(&(struct timespec){ (time_t)left_s, (long)((left_s - (double)(time_t)left_s) * 1e9) },
				  NULL);
		else if (i < LOOKS)
			continue;
		struct look next;
		look(o, plugin, &next);
		if (!next.ok) {
			look_deinit(&next);
			return;
		}
		add_step(steps, first, last->ok ? last : first, &next);
		look_deinit(last);
		*last = next;
	}
}

static int run(const struct cmd_options *o, struct host_plugin *plugin)
{
	struct look first, last = { .ok = false };
	struct steps steps = { .n = 0 };
	bool watches = o->watch_s > 0 && o->kind == CMD_TARGET_JOB;

	look(o, plugin, &first);
	if (watches && first.ok)
		look_again(o, plugin, &first, &last, &steps);
	const struct look *shown = last.ok ? &last : &first;
	int rc = shown->ok ? print(o, last.ok ? &first : NULL, shown, &steps) : first.rc;
	cmd_query_print_problems(&shown->judged.job);
	look_deinit(&first);
	look_deinit(&last);
	return rc;
}

int cmd_deadlock(int argc, char **argv)
{
	return cmd_query_run(&about, argc, argv, run);
}
