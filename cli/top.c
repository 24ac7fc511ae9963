/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg top: watches a job. Shows a line for each group of ranks in the same state, or one rank in detail.
 */
#include "commands.h"
#include "query_frame.h"
#include "screen.h"
#include "top_lines.h"
#include "watch_hosts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Seconds between two readings; limit of processor time of a reading, and of the first one, which reads all ranks. */
#define INTERVAL_S 1.0
#define BUDGET_S   0.03
#define FIRST_S    5.0

/* only a live job can be watched */
static bool check_words(struct cmd_options *o)
{
	if (o->kind != CMD_TARGET_JOB && o->kind != CMD_TARGET_PROCESS)
		cmd_message("top: only a running job can be watched: --job PID");
	return o->kind == CMD_TARGET_JOB || o->kind == CMD_TARGET_PROCESS;
}

static const struct cmd_about about = {
	.name = "top",
	.usage = "--job JOB  [OPTION]...",
	.what = "Watch a job: once a second, one line for each group of ranks in the same state, with the time in this "
		"state,\n"
		"the number of unexpected messages, the call, its peer and its location. A rank is stopped only while "
		"it is read.\n"
		"A few percent of a processor are used: many ranks are read in turn. The hosts of a job on several "
		"hosts are asked\n"
		"again every few seconds. Red: stuck or missing, as mpidbg deadlock has confirmed.\n"
		"Keys: arrows (or j, k) select a group, Enter shows its first rank, left and right (or p, n) the "
		"adjacent ranks,\n"
		"Escape returns, s sorts by rank, number, age, messages, q quits, ? helps.\n",
	.options = CMD_OPT_TARGET | CMD_OPT_HOSTS | CMD_OPT_OUTPUT,
	.check_words = check_words,
};

struct top {
	struct cmd_watch watch;
	struct cmd_watch_hosts hosts;
	struct cmd_view view;
	struct cmd_alarm alarm;
	struct cmd_top_lines lines;
	enum cmd_top_sort sort;
	size_t selected; /* index of a line; in detail: the first line shown */
	size_t watched;  /* same for the rank in detail */
	bool detail;
	bool help;
};

static const char *const help_lines[] = {
	"up, down, k, j       the previous or next line",
	"PgUp, PgDn, space    a page",
	"Enter                the ranks of the line: their calls, operations and stacks",
	"left, right, p, n    there, the previous or next rank",
	"Esc, Backspace       back",
	"s                    sort by rank, number of ranks, age, messages",
	"q                    quit",
	"",
	"Red: mpidbg deadlock, asked by top, has said that the ranks of the line wait",
	"for ever, or are missing.",
	"Ranks are read in turn, and stopped only while they are read.",
};

/* Find the rank shown in detail in the current view. @return false: it is not in it */
static bool find_rank(const struct top *t, size_t *ret)
{
	for (size_t i = 0; i < t->view.job.n_ranks; i++) {
		if (t->view.watched[i] != t->watched)
			continue;
		*ret = i;
		return true;
	}
	return false;
}

static void make_lines(struct top *t)
{
	size_t rank;

	cmd_top_lines_deinit(&t->lines);
	t->detail = t->detail && find_rank(t, &rank);
	if (t->detail)
		cmd_top_rank(&t->lines, &t->watch, &t->view, rank);
	else
		cmd_top_groups(&t->lines, &t->watch, &t->view, &t->alarm, t->sort, cmd_screen_columns());
	if (t->selected >= t->lines.n)
		t->selected = t->lines.n ? t->lines.n - 1 : 0;
}

static void draw_help(void)
{
	enum { N = sizeof(help_lines) / sizeof(help_lines[0]) };
	struct cmd_screen_line lines[N];

	for (size_t i = 0; i < N; i++)
		lines[i] = (struct cmd_screen_line){ .text = help_lines[i] };
	cmd_screen_draw("mpidbg top: keys", NULL, lines, N, "? or Esc back");
}

/* The first line to draw, so that the selected one is on the screen. */
static size_t first_shown(const struct top *t, size_t rows)
{
	size_t first = t->selected, used = 0;

	if (t->detail || !t->lines.n)
		return t->selected;
	for (;; first--) {
		used += t->lines.v[first].place ? 2 : 1;
		if (used > rows)
			return first < t->selected ? first + 1 : first;
		if (!first)
			return 0;
	}
}

static void draw(const struct top *t)
{
	size_t rows = cmd_screen_rows(), n_running = cmd_watch_running(&t->watch), n = 0;
	struct cmd_screen_line *lines = calloc(rows + 1, sizeof(*lines));
	char title[512], status[256], job[32];

	for (size_t i = first_shown(t, rows); lines && i < t->lines.n && n < rows; i++) {
		const struct cmd_top_line *x = &t->lines.v[i];
		const bool selected = !t->detail && i == t->selected;
		lines[n++] = (struct cmd_screen_line){ .text = x->text, .selected = selected, .alarm = x->alarm };
		if (x->place && n < rows)
			lines[n++] = (struct cmd_screen_line){ .text = x->place,
							       .selected = selected,
							       .alarm = x->alarm };
	}
	const char *name = t->watch.job.launcher_name;
	snprintf(job, sizeof(job), "%d", (int)t->watch.job.launcher);
	snprintf(title, sizeof(title), "mpidbg top  job %.64s  %zu rank%s%s", t->hosts.on && name ? name : job,
		 t->watch.n, t->watch.n == 1 ? "" : "s", n_running ? "" : "  the job has ended");
	if (n_running && n_running < t->watch.n)
		snprintf(title + strlen(title), sizeof(title) - strlen(title), "  %zu ended", t->watch.n - n_running);
	if (n_running && t->hosts.problems.n)
		snprintf(title + strlen(title), sizeof(title) - strlen(title), "  %.200s",
			 t->hosts.problems.line[t->hosts.problems.n - 1]);
	if (t->detail)
		snprintf(status, sizeof(status), "q quit  ? help  Esc back  left/right other ranks");
	else
		snprintf(status, sizeof(status), "q quit  ? help  Enter one rank  s sort (by %s)",
			 cmd_top_sort_text(t->sort));
	cmd_screen_draw(title, t->detail ? NULL : cmd_top_heading(cmd_screen_columns()), lines, n, status);
	free(lines);
}

/* Go to another rank, in the order of the view. */
static void other_rank(struct top *t, int by)
{
	size_t rank;

	if (!find_rank(t, &rank))
		return;
	size_t n = t->view.job.n_ranks;
	t->watched = t->view.watched[(rank + n + (size_t)by) % n];
	t->selected = 0;
}

static void move_by(struct top *t, long by)
{
	long to = (long)t->selected + by, last = (long)t->lines.n - 1;

	t->selected = (size_t)(to < 0 || last < 0 ? 0 : to > last ? last : to);
}

static void handle(struct top *t, enum cmd_key key)
{
	long page = (long)cmd_screen_rows();

	if (t->help) {
		t->help = key == CMD_KEY_NONE;
		return;
	}
	switch (key) {
	case CMD_KEY_UP:
		move_by(t, -1);
		break;
	case CMD_KEY_DOWN:
		move_by(t, 1);
		break;
	case CMD_KEY_PAGE_UP:
		move_by(t, -page);
		break;
	case CMD_KEY_PAGE_DOWN:
		move_by(t, page);
		break;
	case CMD_KEY_LEFT:
	case CMD_KEY_RIGHT:
		if (t->detail)
			other_rank(t, key == CMD_KEY_RIGHT ? 1 : -1);
		break;
	case CMD_KEY_OPEN:
		if (t->detail || !t->lines.n)
			break;
		t->watched = t->view.watched[t->lines.v[t->selected].first];
		t->detail = true;
		t->selected = 0;
		break;
	case CMD_KEY_HELP:
		t->help = true;
		break;
	case CMD_KEY_BACK:
		t->selected = 0;
		t->detail = false;
		break;
	case CMD_KEY_SORT:
		t->sort = (enum cmd_top_sort)((t->sort + 1) % CMD_TOP_N_SORTS);
		break;
	default:
		break;
	}
}

/* Read ranks here, or take what other hosts have answered. @return false: there is nothing new */
static bool read_ranks(struct top *t, double budget_s)
{
	if (t->hosts.on)
		return cmd_watch_hosts_round(&t->hosts, &t->watch);
	cmd_watch_collect(&t->watch);
	cmd_watch_round(&t->watch, budget_s);
	return true;
}

/* Group the ranks. @return false: out of memory */
static bool group_ranks(struct top *t)
{
	cmd_view_deinit(&t->view);
	if (!cmd_watch_view(&t->watch, &t->view))
		return false;
	if (t->hosts.on)
		cmd_alarm_set(&t->alarm, t->hosts.stuck, t->hosts.n_stuck);
	else
		cmd_alarm_look(&t->alarm, &t->watch, &t->view);
	return true;
}

/* Read ranks, and group them. @return false: out of memory */
static bool look(struct top *t, double budget_s)
{
	cmd_screen_hold();
	bool ok = !read_ranks(t, budget_s) || group_ranks(t);
	cmd_screen_let_go();
	return ok;
}

static int watch(struct top *t, bool color)
{
	bool ok = t->hosts.on ? group_ranks(t) : look(t, FIRST_S);

	if (!cmd_screen_begin(color)) {
		cmd_message("top: nothing is known of a terminal of the kind that TERM says (%s)", getenv("TERM"));
		return CMD_USAGE;
	}
	double next = cmd_watch_now() + INTERVAL_S;
	while (ok) {
		make_lines(t);
		if (t->help)
			draw_help();
		else
			draw(t);
		enum cmd_key key = cmd_screen_key(next - cmd_watch_now());
		if (key == CMD_KEY_QUIT)
			break;
		handle(t, key);
		if (cmd_watch_now() >= next) {
			ok = look(t, BUDGET_S);
			next = cmd_watch_now() + INTERVAL_S;
		}
	}
	cmd_screen_end();
	if (!ok)
		cmd_message("top: out of memory");
	return ok ? CMD_DONE : CMD_PARTIAL;
}

int cmd_top(int argc, char **argv)
{
	struct cmd_options o;
	struct host_plugin plugin = { 0 };
	struct top t = { .detail = false };
	int rc;

	if (!cmd_options_parse(&about, argc, argv, &o, &rc))
		return rc;
	if (!cmd_screen_is_there()) {
		cmd_message(
			"top: needs a terminal, and TERM to say of which kind: mpidbg deadlock and queues print once");
		cmd_options_deinit(&o);
		return CMD_USAGE;
	}
	rc = cmd_query_plugin(&o, &plugin);
	if (rc == CMD_DONE) {
		o.json = true; /* for each process: the JSON is parsed again */
		rc = cmd_watch_hosts_open(&o, &plugin, &t.watch, &t.hosts);
		if (rc == CMD_DONE && !t.hosts.on)
			rc = cmd_watch_open(&o, &plugin, &t.watch);
		if (rc == CMD_DONE)
			rc = watch(&t, o.color);
		cmd_query_print_problems(&t.watch.job);
	}
	cmd_top_lines_deinit(&t.lines);
	cmd_view_deinit(&t.view);
	cmd_alarm_deinit(&t.alarm);
	cmd_watch_hosts_deinit(&t.hosts);
	cmd_watch_deinit(&t.watch);
	host_plugin_unload(&plugin);
	cmd_options_deinit(&o);
	return rc;
}
