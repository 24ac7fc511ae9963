/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes as text and as JSON. */
#include "changes.h"

#include "report.h"
#include "values.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 60 };

const char *vd_progress_text(enum vd_progress progress)
{
	static const char *const texts[] = { "stuck", "spinning without progress", "slow", "going on", "not known" };

	return texts[progress];
}

/* "no change", "went on" ... */
static const char *vd_change_text(enum vd_change change)
{
	static const char *const texts[] = { "no change", "went on",      "polls",           "computes",
					     "finished",  "had finished", "another process", "not known" };

	return texts[change];
}

static void append_where(struct vd_text *t, const struct vd_seen *s, int32_t group)
{
	const struct vd_group *g = group >= 0 ? &s->groups->v[group] : NULL;

	if (!g || !g->activity)
		vd_append(t, "not in this snapshot");
	else
		vd_append(t, "%s%s%s", g->activity, g->place && *g->place ? ", " : "", g->place ? g->place : "");
}

static const struct vd_job *job_of(const struct vd_changes *c, const struct vd_change_group *x)
{
	return x->after < 0 ? c->before.job : c->after.job;
}

static void append_calls(struct vd_text *t, const struct vd_change_group *x)
{
	if (x->calls_min < 0)
		return;
	vd_append(t, "  (%lld", (long long)x->calls_min);
	if (x->calls_max > x->calls_min)
		vd_append(t, " to %lld", (long long)x->calls_max);
	vd_append(t, " MPI call%s)", x->calls_max == 1 ? "" : "s");
}

static void print_group(const struct vd_changes *c, const struct vd_change_group *x, int width, FILE *out)
{
	struct vd_text ranks = { .n = 0 }, line = { .n = 0 }, before = { .n = 0 }, after = { .n = 0 };
	bool shows_both = x->change == VD_WENT_ON || x->change == VD_FINISHED || x->before < 0 || x->after < 0;

	vd_append_ranks(&ranks, job_of(c, x), x->ranks, x->n);
	vd_append(&line, "  %-*s  %-15s  ", width, ranks.bytes, vd_change_text(x->change));
	append_where(&before, &c->before, x->before);
	append_where(&after, &c->after, x->after);
	if (shows_both && strcmp(before.bytes, after.bytes) != 0)
		vd_append(&line, "%s  ->  %s", before.bytes, after.bytes);
	else
		vd_append(&line, "%s%s", shows_both ? "again " : "", after.bytes);
	append_calls(&line, x);
	vd_print(out, line.bytes);
	putc('\n', out);
}

/* All ranks with a change, as "ranks [0-2,5]". */
static void append_ranks_with(struct vd_text *t, const struct vd_changes *c, unsigned changes)
{
	const struct vd_job *job = c->after.job;
	uint8_t *mark = calloc(job->n_ranks + 1, 1);
	int32_t *ranks = malloc((job->n_ranks + 1) * sizeof(*ranks));
	size_t n = 0;

	for (size_t g = 0; mark && g < c->n; g++)
		for (size_t i = 0; i < c->v[g].n && c->v[g].after >= 0; i++)
			mark[c->v[g].ranks[i]] = changes >> c->v[g].change & 1;
	for (size_t i = 0; mark && ranks && i < job->n_ranks; i++)
		if (mark[i])
			ranks[n++] = (int32_t)i;
	if (n)
		vd_append_ranks(t, job, ranks, n);
	free(mark);
	free(ranks);
}

static void append_time(struct vd_text *t, const struct vd_changes *c)
{
	if (c->seconds > 0)
		vd_append(t, " in %lld s", (long long)c->seconds);
	else if (c->seconds == 0)
		vd_append(t, " in less than 1 s");
}

enum { STILL = 1 << VD_SAME | 1 << VD_POLLS | 1 << VD_COMPUTES, RUNS = 1 << VD_POLLS | 1 << VD_COMPUTES };

static void append_spinning(struct vd_text *t, const struct vd_changes *c)
{
	size_t n = c->n_of[VD_POLLS] + c->n_of[VD_COMPUTES];

	append_ranks_with(t, c, RUNS);
	if (!c->n_of[VD_COMPUTES])
		vd_append(t, n == 1 ? " polls" : " poll");
	else if (!c->n_of[VD_POLLS])
		vd_append(t, n == 1 ? " computes and makes no MPI call" : " compute and make no MPI call");
	else
		vd_append(t, " poll or compute");
	vd_append(t, c->n_of[VD_SAME] ? ", and no other rank has made progress" : ", and nothing has come of it");
}

void vd_changes_sentence(struct vd_text *t, const struct vd_changes *c)
{
	size_t moved = c->n_of[VD_WENT_ON] + c->n_of[VD_FINISHED];
	size_t known = moved + c->n_of[VD_SAME] + c->n_of[VD_POLLS] + c->n_of[VD_COMPUTES];

	vd_append(t, "%s: ", vd_progress_text(c->progress));
	switch (c->progress) {
	case VD_STUCK:
		vd_append(t, known == 1 ? "the rank has made no progress" : "none of %zu ranks has made progress",
			  known);
		break;
	case VD_SPINNING:
		append_spinning(t, c);
		break;
	case VD_SLOW:
		vd_append(t, "%zu of %zu ranks %s made progress", moved, known, moved == 1 ? "has" : "have");
		append_time(t, c);
		vd_append(t, "; ");
		append_ranks_with(t, c, STILL);
		vd_append(t, known - moved == 1 ? " has not" : " have not");
		return;
	case VD_GOES_ON:
		vd_append(t, known == 1 ? "the rank has made progress" : "all of %zu ranks have made progress", known);
		break;
	default:
		vd_append(t, "no rank is known well enough in both");
		return;
	}
	append_time(t, c);
}

static void print_messages(const struct vd_changes *c, FILE *out)
{
	if (!c->n_arrived && !c->n_received && !c->n_sent)
		fputs("no message has arrived, no receive and no send is done\n", out);
	else
		fprintf(out, "messages: %zu arrived unexpectedly, %zu received, %zu sent\n", c->n_arrived,
			c->n_received, c->n_sent);
}

/* Mark the lines with a rank that the verdict of the later snapshot names, but at most so many. @return how many */
static size_t mark_named(const struct vd_changes *c, size_t most, bool *shown)
{
	const struct vd_job *job = c->after.job;
	int32_t *ranks = malloc((job->n_ranks + 1) * sizeof(*ranks));
	bool *named = calloc(job->n_ranks + 1, sizeof(*named));
	size_t n = ranks && named ? vd_look_at(job, c->after.verdict, ranks) : 0, n_shown = 0;

	for (size_t i = 0; i < n; i++)
		named[ranks[i]] = true;
	for (size_t g = 0; named && g < c->n && n_shown < most; g++) {
		for (size_t i = 0; i < c->v[g].n && c->v[g].after >= 0 && !shown[g]; i++)
			shown[g] = named[c->v[g].ranks[i]];
		n_shown += shown[g];
	}
	free(named);
	free(ranks);
	return n_shown;
}

/* A line for each group. If there are too many, those that the verdict names are among those shown. */
static void print_groups(const struct vd_changes *c, FILE *out)
{
	size_t most = c->after.job->every_line || c->n < LINES_MAX ? c->n : LINES_MAX, n_shown;
	bool *shown = calloc(c->n + 1, sizeof(*shown));
	int width = 0;

	if (!shown)
		return;
	n_shown = mark_named(c, most, shown);
	for (size_t i = 0; i < c->n && n_shown < most; i++) {
		n_shown += !shown[i];
		shown[i] = true;
	}
	for (size_t i = 0; i < c->n; i++) {
		struct vd_text ranks = { .n = 0 };
		vd_append_ranks(&ranks, job_of(c, &c->v[i]), c->v[i].ranks, c->v[i].n);
		width = shown[i] && (int)ranks.n > width ? (int)ranks.n : width;
	}
	for (size_t i = 0; i < c->n; i++)
		if (shown[i])
			print_group(c, &c->v[i], width, out);
	if (c->n > n_shown)
		fprintf(out, "  and %zu more lines (--all shows them)\n", c->n - n_shown);
	free(shown);
}

void vd_changes_print(const struct vd_changes *c, FILE *out)
{
	struct vd_text end = { .n = 0 };

	print_groups(c, out);
	putc('\n', out);
	print_messages(c, out);
	vd_changes_sentence(&end, c);
	vd_print(out, end.bytes);
	putc('\n', out);
}

static json_t *text_json(const struct vd_text *t)
{
	json_t *s = json_string(t->bytes);

	return s ? s : json_string("(text that is no UTF-8)");
}

static json_t *group_json(const struct vd_changes *c, const struct vd_change_group *x)
{
	json_t *o = json_object();
	struct vd_text before = { .n = 0 }, after = { .n = 0 };

	json_object_set_new(o, "ranks", vd_ranks_json(job_of(c, x), x->ranks, x->n));
	json_object_set_new(o, "change", json_string(vd_change_text(x->change)));
	append_where(&before, &c->before, x->before);
	append_where(&after, &c->after, x->after);
	if (x->before >= 0)
		json_object_set_new(o, "before", text_json(&before));
	if (x->after >= 0)
		json_object_set_new(o, "after", text_json(&after));
	if (x->calls_min >= 0)
		json_object_set_new(o, "calls",
				    json_pack("[I, I]", (json_int_t)x->calls_min, (json_int_t)x->calls_max));
	return o;
}

json_t *vd_changes_json(const struct vd_changes *c)
{
	json_t *o = json_object(), *groups = json_array();
	struct vd_text end = { .n = 0 };

	vd_changes_sentence(&end, c);
	json_object_set_new(o, "result", json_string(vd_progress_text(c->progress)));
	json_object_set_new(o, "conclusion", text_json(&end));
	if (c->seconds >= 0)
		json_object_set_new(o, "seconds", json_integer(c->seconds));
	for (size_t i = 0; i < c->n; i++)
		json_array_append_new(groups, group_json(c, &c->v[i]));
	json_object_set_new(o, "groups", groups);
	json_object_set_new(o, "messages",
			    json_pack("{s:I, s:I, s:I}", "arrived", (json_int_t)c->n_arrived, "received",
				      (json_int_t)c->n_received, "sent", (json_int_t)c->n_sent));
	return o;
}
