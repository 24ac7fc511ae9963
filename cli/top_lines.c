/* SPDX-License-Identifier: BSD-3-Clause */
#include "top_lines.h"

#include "../access/grow.h"
#include "../access/quote.h"
#include "../verdict/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPS_SHOWN = 200 };

const char *cmd_top_sort_text(enum cmd_top_sort sort)
{
	static const char *const texts[] = { "rank", "number of ranks", "age", "messages" };

	return texts[sort % CMD_TOP_N_SORTS];
}

static struct cmd_top_line *add_line(struct cmd_top_lines *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static struct cmd_top_line *add_line(struct cmd_top_lines *l, const char *format, ...)
{
	char text[2 * VD_TEXT_BYTES], quoted[4 * VD_TEXT_BYTES];
	va_list args;

	if (!ACC_GROW(l->v, l->n))
		return NULL;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	acc_quote(quoted, sizeof(quoted), text);
	l->v[l->n] = (struct cmd_top_line){ .text = strdup(quoted) };
	return &l->v[l->n++];
}

void cmd_top_lines_deinit(struct cmd_top_lines *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->v[i].text);
		free(l->v[i].place);
	}
	free(l->v);
	*l = (struct cmd_top_lines){ .n = 0 };
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* Terminals with fewer columns have less space before the call. */
enum { WIDE = 100 };

/* Widths of the columns before the call. */
struct widths {
	int ranks, n, since, messages;
};

static struct widths widths_for(size_t columns)
{
	return columns < WIDE ? (struct widths){ 10, 4, 5, 4 } : (struct widths){ 14, 5, 7, 5 };
}

const char *cmd_top_heading(size_t columns)
{
	return columns < CMD_TOP_NARROW ? "RANKS  CALL"
	       : columns < WIDE         ? "RANKS         N SINCE MSGS  CALL"
					: "RANKS              N   SINCE  MSGS  CALL";
}

/* "4s", "12m", "3h" */
static void format_age(double s, char ret[16])
{
	if (s < 100)
		snprintf(ret, 16, "%.0fs", s);
	else if (s < 6000)
		snprintf(ret, 16, "%.0fm", s / 60);
	else
		snprintf(ret, 16, "%.0fh", s / 3600);
}

static size_t messages_of(const struct vd_job *job, int32_t rank)
{
	const struct vd_rank *r = &job->ranks[rank];
	size_t n = 0;

	for (size_t i = r->first_op; i < r->first_op + r->n_ops; i++)
		n += job->ops[i].kind == VD_MESSAGE && !job->ops[i].internal;
	return n;
}

static int by_rank(const void *a, const void *b)
{
	const struct cmd_top_line *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

static int by_count(const void *a, const void *b)
{
	const struct cmd_top_line *x = a, *y = b;

	return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : by_rank(a, b);
}

static int by_age(const void *a, const void *b)
{
	const struct cmd_top_line *x = a, *y = b;

	return x->age < y->age ? 1 : x->age > y->age ? -1 : by_rank(a, b);
}

static int by_messages(const void *a, const void *b)
{
	const struct cmd_top_line *x = a, *y = b;

	return x->messages != y->messages ? (x->messages < y->messages) - (x->messages > y->messages) : by_rank(a, b);
}

static struct cmd_top_line *add_group(struct cmd_top_lines *ret, const struct vd_group *x, const char *ranks,
				      const char *since, size_t messages, size_t columns)
{
	const char *gap = *x->place ? "  " : "";

	if (columns < CMD_TOP_NARROW)
		return add_line(ret, "%.14s  %s%s%s", ranks, x->activity, gap, x->place);
	struct widths w = widths_for(columns);
	int before = w.ranks + w.n + w.since + w.messages + 5;
	bool fits = (size_t)before + strlen(x->activity) + strlen(gap) + strlen(x->place) <= columns;
	struct cmd_top_line *line = add_line(ret, "%-*.*s %*zu %*s %*zu  %s%s%s", w.ranks, w.ranks, ranks, w.n, x->n,
					     w.since, since, w.messages, messages, x->activity, fits ? gap : "",
					     fits ? x->place : "");
	if (line && !fits && *x->place) {
		char place[VD_TEXT_BYTES], quoted[4 * VD_TEXT_BYTES];
		snprintf(place, sizeof(place), "%*s%s", before, "", x->place);
		acc_quote(quoted, sizeof(quoted), place);
		line->place = strdup(quoted);
	}
	return line;
}

void cmd_top_groups(struct cmd_top_lines *ret, const struct cmd_watch *w, const struct cmd_view *v,
		    const struct cmd_alarm *alarm, enum cmd_top_sort sort, size_t columns)
{
	static int (*const sorts[])(const void *, const void *) = { by_rank, by_count, by_age, by_messages };
	double now = cmd_watch_now();

	for (size_t g = 0; g < v->groups.n; g++) {
		const struct vd_group *x = &v->groups.v[g];
		struct vd_text ranks = { .n = 0 };
		size_t messages = 0;
		double age = now;
		char since[16];

		vd_append_ranks(&ranks, &v->job, x->ranks, x->n);
		const char *set = strchr(ranks.bytes, ' '); /* without "ranks" */
		for (size_t i = 0; i < x->n; i++) {
			double mine = now - w->ranks[v->watched[x->ranks[i]]]->since_s;
			age = mine < age ? mine : age;
			messages += messages_of(&v->job, x->ranks[i]);
		}
		format_age(age, since);
		struct cmd_top_line *line = add_group(ret, x, set ? set + 1 : "?", since, messages, columns);
		if (!line)
			return;
		line->first = (size_t)x->ranks[0];
		line->n = x->n;
		line->age = age;
		line->messages = messages;
		line->alarm = cmd_alarm_is_stuck(alarm, v, x->ranks[0]);
	}
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), sorts[sort % CMD_TOP_N_SORTS]);
}

/* ---- one rank ------------------------------------------------------------------------------------------ */

static void add_stacks(struct cmd_top_lines *ret, const json_t *process)
{
	const json_t *thread, *frame;
	size_t i, k;

	json_array_foreach(json_object_get(process, "calls"), i, thread)
	{
		const char *function = json_string_value(json_object_get(thread, "function"));
		if (!function && i)
			continue;
		add_line(ret, "%s", "");
		add_line(ret, "thread %lld%s%s", (long long)json_integer_value(json_object_get(thread, "thread")),
			 function ? " in " : "", function ? function : "");
		json_array_foreach(json_object_get(thread, "backtrace"), k, frame)
		{
			const char *name = json_string_value(frame);
			add_line(ret, "  %s", name ? name : "?");
		}
	}
}

static void add_operations(struct cmd_top_lines *ret, const struct vd_job *job, size_t rank)
{
	const struct vd_rank *r = &job->ranks[rank];
	size_t n = 0;

	for (size_t i = r->first_op; i < r->first_op + r->n_ops; i++) {
		const struct vd_op *op = &job->ops[i];
		struct vd_text t = { .n = 0 };
		if (op->internal || op->inactive)
			continue;
		if (n++ == 0)
			add_line(ret, "%s", "");
		if (n > OPS_SHOWN)
			continue;
		vd_append_op(&t, job, (int32_t)rank, op, false, false);
		add_line(ret, "  %s%s", op->kind == VD_MESSAGE ? "arrived, not asked for: " : "", t.bytes);
	}
	if (n > OPS_SHOWN)
		add_line(ret, "  and %zu more", n - OPS_SHOWN);
}

void cmd_top_rank(struct cmd_top_lines *ret, const struct cmd_watch *w, const struct cmd_view *v, size_t rank)
{
	const struct cmd_watched *x = w->ranks[v->watched[rank]];
	const char *host = json_string_value(json_object_get(x->process, "host"));
	struct vd_text who = { .n = 0 }, does = { .n = 0 }, place = { .n = 0 };
	const json_t *problem;
	double now = cmd_watch_now();
	char since[16], seen[16];
	size_t i;

	vd_append_rank(&who, &v->job, (int32_t)rank);
	vd_append_activity(&does, &v->job, &v->verdict, (int32_t)rank, false);
	vd_append_place(&place, &v->job, &v->verdict, (int32_t)rank);
	format_age(now - x->since_s, since);
	format_age(now - x->seen_s, seen);
	add_line(ret, "%s  pid %lld  host %s  %s", who.bytes, (long long)v->job.ranks[rank].pid, host ? host : "?",
		 v->job.ranks[rank].process_state ? v->job.ranks[rank].process_state : "");
	add_line(ret, "%s", does.bytes);
	if (place.n)
		add_line(ret, "%s", place.bytes);
	add_line(ret, "for %s; read %s ago", since, seen);
	json_array_foreach(json_object_get(x->process, "problems"), i, problem)
	{
		const char *text = json_string_value(problem);
		add_line(ret, "%s", text ? text : "?");
	}
	add_operations(ret, &v->job, rank);
	add_stacks(ret, x->process);
}
