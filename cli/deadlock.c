/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg deadlock: reports why a job hangs, by the analysis in verdict/.
 */
#include "../host/clock.h"
#include "commands.h"
#include "json.h"
#include "query_frame.h"
#include "seen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static const struct cmd_about about = {
	.name = "deadlock",
	.usage = "--job JOB | --cores DIR|FILE... | --snapshot FILE...  [OPTION]...",
	.what = "Say why a job hangs: which ranks wait for each other, which rank is missing, what does not match, and "
		"where in\n"
		"the program. A live job that may hang is read twice.\n",
	.options = CMD_OPT_TARGET | CMD_OPT_OUTPUT | CMD_OPT_SNAPSHOT | CMD_OPT_HOSTS | CMD_OPT_SOURCE | CMD_OPT_WATCH |
		   CMD_OPT_LINES,
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

static void look_at_job(const struct cmd_options *o, struct host_plugin *plugin, struct cmd_seen *ret)
{
	cmd_seen_take(o, plugin, &(struct cmd_judging){ .keep = false }, about.name, ret);
}

/* Of the terminal that is standard output: what COLUMNS says, or the kernel. 0: no terminal, or unknown */
static size_t terminal_columns(void)
{
	enum { COLUMNS_MIN = 40, COLUMNS_MAX = 10000 };
	const char *text = getenv("COLUMNS");
	struct winsize size = { 0 };

	if (!isatty(STDOUT_FILENO))
		return 0;
	long n = text ? strtol(text, NULL, 10) : 0;
	if (n <= 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
		n = size.ws_col;
	return n < COLUMNS_MIN || n > COLUMNS_MAX ? 0 : (size_t)n;
}

/* @param first what was seen before; NULL: nothing */
static int print(const struct cmd_options *o, const struct cmd_seen *first, struct cmd_seen *last,
		 const struct steps *steps)
{
	struct vd_changes changes = { .n = 0 };
	const struct vd_verdict *v = &last->verdict;
	bool compared = first && first->ok;

	if (compared)
		cmd_seen_compare(first, last, true, &changes);
	compared = compared && !changes.no_memory;
	if (o->json)
		print_json(&last->judged, v, compared ? &changes : NULL, steps);
	else {
		last->judged.ranks.every_line = o->all;
		last->judged.ranks.columns = terminal_columns();
		vd_report(&last->judged.ranks, v, o->color, stdout);
	}
	if (compared && !o->json) {
		putchar('\n');
		vd_changes_print(&changes, stdout);
		print_steps(steps);
	}
	vd_changes_deinit(&changes);
	return cmd_seen_exit(last);
}

static void add_step(struct steps *steps, const struct cmd_seen *first, const struct cmd_seen *before,
		     const struct cmd_seen *now)
{
	struct vd_changes changes = { .n = 0 };
	struct step *s = &steps->v[steps->n++];

	cmd_seen_compare(before, now, false, &changes);
	*s = (struct step){ .seconds = now->at_s - first->at_s, .progress = (enum vd_progress)changes.progress };
	vd_changes_sentence(&s->sentence, &changes);
	vd_changes_deinit(&changes);
}

/* Look again, several times in all. The first look is kept for the comparison; of the others only the last. */
static void look_again(const struct cmd_options *o, struct host_plugin *plugin, const struct cmd_seen *first,
		       struct cmd_seen *last, struct steps *steps)
{
	double step_s = o->watch_s / LOOKS;

	for (int i = 1; i <= LOOKS; i++) {
		double left_s = first->at_s + i * step_s - host_now_ms() / 1e3;
		if (left_s > 0)
			nanosleep(&(struct timespec){ (time_t)left_s, (long)((left_s - (double)(time_t)left_s) * 1e9) },
				  NULL);
		else if (i < LOOKS)
			continue;
		struct cmd_seen next;
		look_at_job(o, plugin, &next);
		if (!next.ok) {
			cmd_seen_deinit(&next);
			return;
		}
		add_step(steps, first, last->ok ? last : first, &next);
		cmd_seen_deinit(last);
		*last = next;
	}
}

static int run_deadlock(const struct cmd_options *o, struct host_plugin *plugin)
{
	struct cmd_seen first, last = { .ok = false };
	struct steps steps = { .n = 0 };
	bool watches = o->watch_s > 0 && o->kind == CMD_TARGET_JOB;

	look_at_job(o, plugin, &first);
	if (watches && first.ok)
		look_again(o, plugin, &first, &last, &steps);
	struct cmd_seen *shown = last.ok ? &last : &first;
	int rc = shown->ok ? print(o, last.ok ? &first : NULL, shown, &steps) : first.rc;
	cmd_query_print_problems(&shown->judged.job);
	cmd_seen_deinit(&first);
	cmd_seen_deinit(&last);
	return rc;
}

int cmd_deadlock(int argc, char **argv)
{
	return cmd_query_run(&about, argc, argv, run_deadlock);
}
