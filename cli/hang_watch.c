/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg watch: looks at a job now and then, and writes a report when nothing has moved for some time.
 */
#include "../host/absent.h"
#include "commands.h"
#include "cpu.h"
#include "hang_job.h"
#include "hang_report.h"
#include "query_frame.h"

#include <string.h>

/* What a look may cost, as a share of a processor, and how many looks there are in --after if they cost less. */
#define SHARE 0.001
enum { LOOKS = 8 };

enum then { THEN_CONTINUE, THEN_EXIT, THEN_END };
static const char *const thens[] = { "continue", "exit", "end", NULL };

static const struct cmd_about about = {
	.name = "watch",
	.usage = "--job JOB --after SECONDS -o DIR  [OPTION]...\n"
		 "       mpidbg watch --after SECONDS -o DIR  [OPTION]... -- COMMAND [ARGUMENT]...",
	.what = "Look at a job now and then, and write why it hangs when nothing has moved for some time: the verdict "
		"as text, the\n"
		"page of mpidbg report, and a snapshot. Needs no preparation of the job, which goes on. With a "
		"command, start it\n"
		"first. For a look at a job at hand use mpidbg deadlock, with --watch for a few seconds.\n",
	.options = CMD_OPT_TARGET | CMD_OPT_HOSTS | CMD_OPT_HANG,
	.epilogue = "             With a command its own exit status, unless --then end has ended it. Otherwise, if "
		    "there was a\n"
		    "             report: 4 deadlock, 5 spinning, 6 nothing moves, and the reason is not certain.\n",
};

struct watch {
	const struct cmd_options *o;
	struct host_plugin *plugin;
	struct cmd_hang_job job;
	enum then then;
	struct cmd_seen since; /* the first look since which nothing has moved; not ok: none */
	double last_s;         /* when the last look began */
	double interval_s;     /* between two looks */
	double cpu_s;          /* used so far, here or on the host that has used most */
	size_t n_looks;
	bool seen;     /* there were ranks */
	bool reported; /* this hang */
	bool warned;   /* that there are no ranks */
	int exit_code; /* of the last report; 0: none */
};

/* Account for the look that has just ended. */
static void set_interval(struct watch *w, double cost_s)
{
	double shortest = w->o->after_s / LOOKS, wanted = cost_s / SHARE;

	w->cpu_s += cost_s;
	w->n_looks++;
	w->interval_s = wanted < shortest ? shortest : wanted > w->o->after_s ? w->o->after_s : wanted;
}

/* A look in which there is nothing to see. */
static void note_nothing(struct watch *w, const struct cmd_seen *s)
{
	const struct cmd_lines *problems = &s->judged.job.problems;

	if (cmd_hang_job_is_over(&w->job, w->seen) || w->warned || w->job.child)
		return;
	w->warned = true;
	cmd_message("watch: no rank can be read yet%s%s", problems->n ? ": " : "",
		    problems->n ? problems->line[0] : "");
}

/* @return has anything moved, as far as it is known, since the look that is kept? */
static bool has_moved(const struct watch *w, const struct cmd_seen *s)
{
	struct vd_changes changes = { .n = 0 };

	if (!w->since.ok)
		return true;
	cmd_seen_compare(&w->since, s, true, &changes);
	bool ret = changes.no_memory || (changes.progress != VD_STUCK && changes.progress != VD_SPINNING);
	vd_changes_deinit(&changes);
	return ret;
}

static void look_for_hang(struct watch *w)
{
	struct cmd_seen s;
	double cpu_s = cmd_cpu_s();

	cmd_seen_take(w->o, w->plugin, &(struct cmd_judging){ .once = true }, about.name, &s);
	w->last_s = s.at_s;
	if (!s.ok) {
		note_nothing(w, &s);
	} else if (has_moved(w, &s)) {
		if (w->reported)
			cmd_message("watch: the job moves again");
		w->reported = false;
		w->seen = true;
		cmd_seen_deinit(&w->since);
		w->since = s;
		s = (struct cmd_seen){ .ok = false };
	}
	cpu_s = cmd_cpu_s() - cpu_s;
	double host_s = w->since.judged.cpu_s > s.judged.cpu_s ? w->since.judged.cpu_s : s.judged.cpu_s;
	set_interval(w, cpu_s > host_s ? cpu_s : host_s);
	cmd_seen_deinit(&s);
}

/* @return true: the watch is over */
static bool report(struct watch *w)
{
	int exit_code = 0;
	enum cmd_hang_result result = cmd_hang_report(w->o, w->plugin, &w->since, w->o->output ? w->o->output : ".",
						      &exit_code);

	w->last_s = cmd_hang_now();
	if (result == CMD_HANG_MOVES)
		cmd_seen_deinit(&w->since);
	w->reported = result == CMD_HANG_WRITTEN;
	if (!w->reported)
		return false;
	w->exit_code = exit_code;
	if (w->then == THEN_END) {
		cmd_message("watch: the job is ended");
		if (!cmd_hang_job_end(&w->job))
			cmd_message("watch: the job has not ended");
	}
	return w->then != THEN_CONTINUE;
}

static int watch(struct watch *w, bool stats)
{
	double start = cmd_hang_now(), next_s = start;

	w->interval_s = w->o->after_s / LOOKS;
	while (cmd_hang_job_sleep(&w->job, next_s)) {
		look_for_hang(w);
		if (w->job.ended)
			break;
		bool waits = w->since.ok && !w->reported;
		double due_s = waits ? w->since.at_s + w->o->after_s : w->last_s + w->interval_s;
		if (waits && w->last_s >= due_s && report(w))
			break;
		next_s = waits && due_s > w->last_s && due_s < w->last_s + w->interval_s ? due_s
											 : w->last_s + w->interval_s;
	}
	if (stats)
		cmd_message("stats: %zu looks in %.0f s, %.4f %% of a processor", w->n_looks, cmd_hang_now() - start,
			    100 * w->cpu_s / (cmd_hang_now() - start + 1e-9));
	bool by_us = w->then == THEN_END && w->exit_code;
	cmd_seen_deinit(&w->since);
	return w->job.child && !by_us ? w->job.exit_code : w->exit_code;
}

static bool parse_then(const char *text, enum then *ret)
{
	*ret = THEN_CONTINUE;
	for (int i = 0; text && thens[i]; i++)
		if (strcmp(text, thens[i]) == 0) {
			*ret = (enum then)i;
			return true;
		}
	if (text)
		cmd_message("watch: --then is continue, exit or end, not \"%s\"", text);
	return !text;
}

/* @param words the command; NULL: none */
static bool check(const struct cmd_options *o, char *const *words, enum then then)
{
	const char *wrong = NULL;

	if (o->kind != CMD_TARGET_JOB)
		wrong = "goes with --job, or with a command";
	else if (!words == !(o->pid || o->job))
		wrong = words ? "either --job or a command" : "no job given: --job JOB, or -- COMMAND";
	else if (words && !*words)
		wrong = "there is no command after --";
	else if (o->after_s <= 0)
		wrong = "after how many seconds without movement? --after SECONDS";
	else if (words && then == THEN_EXIT)
		wrong = "--then exit goes with --job: a command is waited for";
	if (wrong)
		cmd_message("watch: %s", wrong);
	return !wrong;
}

static int run_watch(const struct cmd_options *o, struct host_plugin *plugin, char *const *words, enum then then)
{
	struct cmd_options asked = *o;
	struct watch w = { .o = &asked, .plugin = plugin, .then = then };

	asked.progress = asked.stats = false;
	cmd_progress_lines(false);
	if (words && !cmd_hang_job_start(&w.job, words))
		return CMD_PARTIAL;
	if (words)
		asked.pid = w.job.pid;
	else
		cmd_hang_job_named(&w.job, o);
	if (!words && !cmd_hang_job_sleep(&w.job, 0)) {
		struct host_error err;
		enum host_errc why = host_error_absent("process", o->pid, &err);
		cmd_message("watch: %s", err.text);
		return cmd_exit_of(why);
	}
	return watch(&w, o->stats);
}

int cmd_watch(int argc, char **argv)
{
	struct cmd_options o;
	struct host_plugin plugin = { 0 };
	char *const *words = NULL;
	enum then then;
	int n = 0, rc;

	while (n < argc && strcmp(argv[n], "--") != 0)
		n++;
	if (n < argc)
		words = argv + n + 1;
	if (!cmd_options_parse(&about, n, argv, &o, &rc))
		return rc;
	rc = parse_then(o.then, &then) && check(&o, words, then) ? cmd_query_plugin(&o, &plugin) : CMD_USAGE;
	if (rc == CMD_DONE)
		rc = run_watch(&o, &plugin, words, then);
	host_plugin_unload(&plugin);
	cmd_options_deinit(&o);
	return rc;
}
