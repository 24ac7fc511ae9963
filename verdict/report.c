/* SPDX-License-Identifier: BSD-3-Clause */
/* The verdict as text and JSON; its sentences are in conclusion.c and remarks.c. */
#include "report.h"

#include "children.h"
#include "flows.h"
#include "folds.h"
#include "groups.h"
#include "source.h"
#include "thread_errors.h"
#include "unmatched.h"
#include "values.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 40 };

static const char BAD[] = "\033[1;31m", DOUBTFUL[] = "\033[1;33m", BOLD[] = "\033[1m", PLAIN[] = "\033[0m";

/* ---- lines --------------------------------------------------------------------------------------------------- */

/* Does the conclusion name one of these ranks? */
static bool is_named(const bool *named, const struct vd_fold *x)
{
	for (size_t i = 0; i < x->n; i++)
		if (named[x->ranks[i]])
			return true;
	return false;
}

/* Of each rank, whether the conclusion names it; NULL: out of memory. */
static bool *find_named(const struct vd_job *job, const struct vd_verdict *v)
{
	int32_t *ranks = malloc((job->n_ranks + 1) * sizeof(*ranks));
	bool *ret = calloc(job->n_ranks + 1, sizeof(*ret));
	size_t n = ranks ? vd_look_at(job, v, ranks) : 0;

	for (size_t i = 0; ret && i < n; i++)
		ret[ranks[i]] = true;
	free(ranks);
	return ret;
}

static void print_line(const struct vd_job *job, const struct vd_fold *x, const char *activity, const int widths[2],
		       bool red, FILE *out)
{
	struct vd_text ranks = { .n = 0 }, line = { .n = 0 };
	const char *place = x->place ? x->place : "";

	vd_append_ranks(&ranks, job, x->ranks, x->n);
	fprintf(out, "  %s", red ? BAD : "");
	vd_print(out, ranks.bytes);
	int indent = 2 + widths[0] + 2, used = activity ? (int)strlen(activity) : 1;
	bool fits = !job->columns ||
		    (size_t)(indent + (used > widths[1] ? used : widths[1]) + 2) + strlen(place) <= job->columns;
	vd_append(&line, "%*s  %-*s%s%s", widths[0] - (int)ranks.n, "", *place && fits ? widths[1] : 0,
		  activity ? activity : "?", *place && fits ? "  " : "", fits ? place : "");
	fputs(red ? PLAIN : "", out);
	vd_print(out, line.bytes);
	putc('\n', out);
	if (!fits) {
		fprintf(out, "%*s", indent, "");
		vd_print(out, place);
		putc('\n', out);
	}
	struct vd_source source;
	if (x->n_groups == 1 && vd_source_read(job, vd_thread_of(job, x->ranks[0]), &source))
		vd_source_print(&source, 2 + widths[0] + 2, out);
	vd_children_print(job, x->ranks[0], x->n > 1, 2 + widths[0] + 2, out);
}

/* What each group of ranks does. If there are too many lines, those that the conclusion names are among those shown. */
static void print_lines(const struct vd_job *job, const struct vd_verdict *v, bool color, FILE *out)
{
	struct vd_groups groups = { .n = 0 };
	struct vd_folds l = { .n = 0 };
	int widths[2] = { 0, 0 };
	size_t n_shown = 0, n_named = 0, most = job->every_line ? SIZE_MAX : LINES_MAX;
	bool *named = find_named(job, v);

	vd_group_ranks(&groups, job, v);
	vd_fold_groups(&l, job, v, &groups);
	size_t n = l.no_memory || !named ? 0 : l.n;
	for (size_t i = 0; i < n; i++)
		n_named += is_named(named, &l.v[i]);
	n_named = n_named < most ? n_named : most;
	for (size_t i = 0; i < n && i < most; i++) {
		struct vd_text ranks = { .n = 0 };
		const char *activity = groups.v[l.v[i].groups[0]].activity;
		vd_append_ranks(&ranks, job, l.v[i].ranks, l.v[i].n);
		int width = activity ? (int)strlen(activity) : 0;
		widths[1] = width > widths[1] && width <= 60 ? width : widths[1];
		widths[0] = (int)ranks.n > widths[0] ? (int)ranks.n : widths[0];
	}
	for (size_t i = 0; i < n && n_shown < most; i++) {
		bool is = is_named(named, &l.v[i]);
		if (n > most && !is && n_shown + n_named >= most)
			continue;
		print_line(job, &l.v[i], groups.v[l.v[i].groups[0]].activity, widths, color && is, out);
		n_named -= is;
		n_shown++;
	}
	if (l.n > n_shown)
		fprintf(out, "  and %zu more lines (--all shows them)\n", l.n - n_shown);
	free(named);
	vd_folds_deinit(&l);
	vd_groups_deinit(&groups);
}

/* ---- the report -------------------------------------------------------------------------------------------------- */

static void print_text(const struct vd_text *t, FILE *out)
{
	vd_print(out, t->bytes);
	putc('\n', out);
}

/* Messages that are lost, or may be. Messages to a rank that is not polling are not reported: it has not looked yet. */
static void print_transits(const struct vd_job *job, bool lost, FILE *out)
{
	enum { SHOWN = 8 };
	size_t n = 0;

	for (size_t i = 0; i < job->n_transits; i++) {
		struct vd_text t = { .n = 0 };
		if (job->transits[i].stayed != lost || !vd_is_transit_odd(job, &job->transits[i]) || n++ >= SHOWN)
			continue;
		vd_append_transit(&t, job, &job->transits[i]);
		vd_print(out, t.bytes);
		putc('\n', out);
	}
	if (n > SHOWN)
		fprintf(out, "and %zu more pairs of ranks\n", n - SHOWN);
}

/* Red: nothing moves. Yellow: that is not certain, or a rank computes. */
static const char *color_of(const struct vd_verdict *v)
{
	return v->result == VD_NO_DEADLOCK ? BOLD : v->stands_still ? BAD : DOUBTFUL;
}

void vd_summary(const struct vd_job *job, const struct vd_verdict *v, bool color, FILE *out)
{
	struct vd_text end = { .n = 0 }, head = { .n = 0 }, basis = { .n = 0 }, error = { .n = 0 };

	vd_conclusion(&end, job, v);
	vd_headline(&head, job, v);
	vd_append_basis(&basis, job, v);
	fputs(color ? color_of(v) : "", out);
	vd_print(out, end.bytes);
	fputs(color ? PLAIN : "", out);
	putc('\n', out);
	print_transits(job, true, out);
	print_text(&head, out);
	if (vd_append_thread_error(&error, job))
		print_text(&error, out);
	for (int i = 0; i < VD_REMARKS; i++) {
		struct vd_text t = { .n = 0 };
		if (vd_remark(&t, job, v, i))
			print_text(&t, out);
	}
	print_transits(job, false, out);
	if (basis.n && v->result != VD_NO_DEADLOCK)
		print_text(&basis, out);
}

void vd_report(const struct vd_job *job, const struct vd_verdict *v, bool color, FILE *out)
{
	vd_summary(job, v, color, out);
	putc('\n', out);
	print_lines(job, v, color, out);
	if (v->result != VD_NO_DEADLOCK)
		vd_print_unmatched(job, out);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

static json_t *transits_json(const struct vd_job *job)
{
	json_t *list = json_array();

	for (size_t i = 0; i < job->n_transits; i++) {
		const struct vd_transit *x = &job->transits[i];
		if (!x->n)
			continue;
		json_t *from = vd_rank_json(job, x->from), *to = vd_rank_json(job, x->to);
		json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:i, s:i, s:i, s:b}", "from", from, "to", to,
						      "communicator", vd_text_json(vd_comm_name(job, x->comm)),
						      "messages", (int)x->n, "sent", (int)x->sent, "expected",
						      (int)x->expected, "lost", x->stayed));
	}
	return list;
}

json_t *vd_report_json(const struct vd_job *job, const struct vd_verdict *v)
{
	json_t *o = json_object(), *groups = json_array(), *remarks = json_array();
	struct vd_text head = { .n = 0 }, end = { .n = 0 }, basis = { .n = 0 };
	struct vd_groups l = { .n = 0 };

	vd_headline(&head, job, v);
	vd_conclusion(&end, job, v);
	json_object_set_new(o, "result", json_string(vd_result_text(v)));
	json_object_set_new(o, "stands_still", json_boolean(v->stands_still));
	json_object_set_new(o, "headline", vd_text_json(head.bytes));
	json_object_set_new(o, "conclusion", vd_text_json(end.bytes));
	json_object_set_new(o, "waiting", vd_ranks_json(job, v->waiting, v->n_waiting));
	json_object_set_new(o, "waiting_for_ever", vd_ranks_json(job, v->dead, v->uncertain ? 0 : v->n_dead));
	if (v->uncertain)
		json_object_set_new(o, "waiting_at_this_moment", vd_ranks_json(job, v->dead, v->n_dead));
	json_object_set_new(o, "cycle", vd_ranks_json(job, v->cycle, v->n_cycle));
	json_object_set_new(o, "missing",
			    vd_ranks_json(job, v->suspects, v->result == VD_MISSING_RANK ? v->n_suspects : 0));
	json_object_set_new(o, "unknown", vd_ranks_json(job, v->unknown, v->n_unknown));
	if (v->field != VD_FIELD_NONE)
		json_object_set_new(o, "field", json_string(vd_field_text(v->field)));
	vd_group_ranks(&l, job, v);
	for (size_t i = 0; i < l.n; i++) {
		struct vd_text activity = { .n = 0 }, place = { .n = 0 };
		vd_append(&activity, "%s", l.v[i].activity ? l.v[i].activity : "");
		vd_append(&place, "%s", l.v[i].place ? l.v[i].place : "");
		json_t *g = json_object();
		json_object_set_new(g, "ranks", vd_ranks_json(job, l.v[i].ranks, l.v[i].n));
		json_object_set_new(g, "activity", vd_text_json(activity.bytes));
		struct vd_source source;
		if (place.n)
			json_object_set_new(g, "place", vd_text_json(place.bytes));
		if (place.n && vd_source_read(job, vd_thread_of(job, l.v[i].ranks[0]), &source))
			json_object_set_new(g, "source", vd_source_json(&source));
		json_t *children = vd_children_json(job, l.v[i].ranks[0]);
		if (children)
			json_object_set_new(g, "children", children);
		json_array_append_new(groups, g);
	}
	vd_groups_deinit(&l);
	json_object_set_new(o, "groups", groups);
	for (int i = 0; i < VD_REMARKS; i++) {
		struct vd_text t = { .n = 0 };
		if (vd_remark(&t, job, v, i))
			json_array_append_new(remarks, vd_text_json(t.bytes));
	}
	struct vd_text error = { .n = 0 };
	if (vd_append_thread_error(&error, job))
		json_object_set_new(o, "program_error", vd_text_json(error.bytes));
	json_object_set_new(o, "unavailable", remarks);
	json_object_set_new(o, "on_their_way", transits_json(job));
	vd_unmatched_json(job, o);
	vd_append_basis(&basis, job, v);
	if (basis.n)
		json_object_set_new(o, "basis", json_string(basis.bytes));
	return o;
}
