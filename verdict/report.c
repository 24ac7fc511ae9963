/* SPDX-License-Identifier: BSD-3-Clause */
/* The verdict as text and JSON. */
#include "report.h"

#include "flows.h"
#include "groups.h"
#include "unmatched.h"
#include "values.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 40 };

/* ---- lines --------------------------------------------------------------------------------------------------- */

static void print_lines(const struct vd_job *job, const struct vd_verdict *v, FILE *out)
{
	struct vd_groups l = { .n = 0 };
	int width = 0, rank_width = 0;

	vd_group_ranks(&l, job, v);
	for (size_t i = 0; i < l.n && i < LINES_MAX; i++) {
		struct vd_text ranks = { .n = 0 };
		vd_append_ranks(&ranks, job, l.v[i].ranks, l.v[i].n);
		int n = l.v[i].activity ? (int)strlen(l.v[i].activity) : 0;
		width = n > width && n <= 60 ? n : width;
		rank_width = (int)ranks.n > rank_width ? (int)ranks.n : rank_width;
	}
	for (size_t i = 0; i < l.n && i < LINES_MAX; i++) {
		struct vd_text ranks = { .n = 0 }, line = { .n = 0 };
		vd_append_ranks(&ranks, job, l.v[i].ranks, l.v[i].n);
		bool place = l.v[i].place && *l.v[i].place;
		vd_append(&line, "  %-*s  %-*s%s%s", rank_width, ranks.bytes, place ? width : 0,
			  l.v[i].activity ? l.v[i].activity : "?", place ? "  " : "", place ? l.v[i].place : "");
		vd_print(out, line.bytes);
		putc('\n', out);
	}
	if (l.n > LINES_MAX)
		fprintf(out, "  and %zu more lines\n", l.n - LINES_MAX);
	vd_groups_deinit(&l);
}

/* ---- headline and conclusion ------------------------------------------------------------------------------------ */

/* Members of the communicator that are not in the collective but wait in another operation. */
static size_t not_in_it(const struct vd_job *job, const struct vd_verdict *v, int32_t **ret)
{
	const struct vd_comm *c = &job->comms[v->comm];
	size_t n = 0;

	*ret = malloc(((size_t)c->n + 1) * sizeof(**ret));
	for (int32_t i = 0; *ret && i < c->n; i++) {
		int32_t r = c->members ? c->members[i] : i;
		if (r < 0 || (size_t)r >= job->n_ranks)
			continue;
		const struct vd_thread *t = vd_thread_of(job, r);
		if (!t || t->function != v->function || t->comm != v->comm)
			(*ret)[n++] = r;
	}
	return n;
}

static void collective_headline(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v)
{
	int32_t *others = NULL;
	size_t n = not_in_it(job, v, &others);

	vd_append(t, "%zu of %d ranks wait in %s on %s", v->n_in_collective, job->comms[v->comm].n, v->function,
		  vd_comm_name(job, v->comm));
	if (n && others) {
		vd_append(t, "; ");
		vd_append_ranks(t, job, others, n);
		vd_append(t, vd_synchronizes(v->function) ? " %s not entered it" : " %s not in it",
			  vd_synchronizes(v->function) ? n == 1 ? "has" : "have"
			  : n == 1                     ? "is"
						       : "are");
	}
	vd_append(t, ".");
	free(others);
}

void vd_headline(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v)
{
	if (v->result != VD_NO_DEADLOCK && v->comm >= 0 && 2 * v->n_in_collective >= v->n_waiting) {
		collective_headline(t, job, v);
		return;
	}
	if (v->result == VD_NO_DEADLOCK && !v->n_waiting) {
		vd_append(t, "No rank waits for another.");
		return;
	}
	if (v->n_dead && !v->uncertain)
		vd_append(t, "%zu of %zu ranks wait for something that can never happen.", v->n_dead, job->n_ranks);
	else
		vd_append(t, "%zu of %zu ranks wait.", v->n_waiting, job->n_ranks);
}

static void append_missing(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v)
{
	int32_t first = v->suspects[0];

	vd_append(t, "missing rank%s: look at ", v->n_suspects > 1 ? "s" : "");
	vd_append_ranks(t, job, v->suspects, v->n_suspects);
	const struct vd_thread *x = vd_thread_of(job, first);
	bool finalizes = x &&
			 x->call == VD_CALL_FINALIZE; /* MPICH has finished by then, but the process waits for others */
	if (job->ranks[first].state == VD_ENDED && !finalizes)
		vd_append(t, ", which %s", v->n_suspects > 1 ? "have ended" : job->ranks[first].ended);
	else if (v->classes[first] == VD_OVER)
		vd_append(t, ", in MPI_Finalize");
	else if (v->classes[first] == VD_STOPPED)
		vd_append(t, ", which %s stopped by a signal", v->n_suspects > 1 ? "are" : "is");
	else
		vd_append_short_place(t, job, first);
}

static void append_cycle(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v)
{
	enum { SHOWN = 6 };

	vd_append(t, v->uncertain ? "possible deadlock: as of this moment " : "deadlock: ");
	if (v->n_cycle < 2 && !v->knot) {
		vd_append_rank(t, job, v->cycle[0]);
		vd_append(t, " waits for itself");
	} else if (v->knot) {
		vd_append_ranks(t, job, v->dead, v->n_dead);
		vd_append(t, v->n_dead > 1 ? " wait for each other, and no other rank can wake them"
					   : " waits for another rank, and none is left");
	} else {
		for (size_t i = 0; i < v->n_cycle && i < SHOWN; i++) {
			if (i)
				vd_append(t, ", which");
			else
				vd_append_rank(t, job, v->cycle[0]);
			vd_append(t, " waits for ");
			if (i + 1 == SHOWN && v->n_cycle > SHOWN)
				vd_append(t, "... (%zu ranks in a cycle)", v->n_cycle);
			else
				vd_append_rank(t, job, v->cycle[(i + 1) % v->n_cycle]);
		}
	}
	vd_append_short_place(t, job, v->cycle[0]);
}

static void append_argument(struct vd_text *t, const struct vd_job *job, enum vd_field field, const struct vd_thread *x)
{
	switch (field) {
	case VD_FIELD_ROOT:
		vd_append(t, " with root ");
		vd_append_rank(t, job, x->root);
		break;
	case VD_FIELD_COUNT:
		vd_append(t, " with count %lld", (long long)x->count);
		break;
	case VD_FIELD_DATATYPE:
		vd_append(t, " with %lld of %s", (long long)x->count,
			  x->datatype && *x->datatype ? x->datatype : "a datatype without name");
		if (x->signature && (!x->datatype || !*x->datatype))
			vd_append(t, " (%.80s)", x->signature);
		break;
	case VD_FIELD_TAG:
		vd_append(t, " with tag %lld", (long long)x->tag);
		break;
	case VD_FIELD_COMM:
		vd_append(t, " with the other leader in %s", vd_comm_name(job, x->peers));
		break;
	case VD_FIELD_LEADER:
		if (x->leader != VD_UNKNOWN) {
			vd_append(t, " with remote leader ");
			vd_append_rank(t, job, x->leader);
		} else {
			vd_append(t, " with leader ");
			vd_append_rank(t, job, x->root);
		}
		break;
	case VD_FIELD_OPERATION:
		vd_append(t, " with %s", x->operation);
		break;
	default:
		break;
	}
}

static void append_mismatch(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v)
{
	vd_append(t, v->uncertain ? "possible mismatch: as of this moment " : "mismatch: ");
	vd_append_rank(t, job, v->at_rank);
	if (v->wanted) {
		vd_append(t, " waits for a message");
		vd_append_op(t, job, v->at_rank, v->wanted, false, true);
		vd_append(t, "; ");
		vd_append_rank(t, job, v->there_rank);
		vd_append(t, " has sent one with tag %lld on %s: the %s differs", (long long)v->there->tag,
			  vd_comm_name(job, v->there->comm), vd_field_text(v->field));
	} else {
		vd_append(t, " is in %s on %s", v->here->function, vd_comm_name(job, v->here->comm));
		append_argument(t, job, v->field, v->here);
		vd_append(t, ", ");
		vd_append_rank(t, job, v->other_rank);
		vd_append(t, " in %s", v->other->function);
		append_argument(t, job, v->field, v->other);
		vd_append(t, ": the %s differs", vd_field_text(v->field));
	}
	vd_append_short_place(t, job, v->at_rank);
}

static size_t ranks_of_class(const struct vd_job *job, const struct vd_verdict *v, enum vd_class class, bool unread,
			     int32_t **ret)
{
	size_t n = 0;

	*ret = malloc((job->n_ranks + 1) * sizeof(**ret));
	for (size_t i = 0; *ret && i < job->n_ranks; i++)
		if (v->classes[i] == class && (job->ranks[i].state == VD_UNREAD) == unread)
			(*ret)[n++] = (int32_t)i;
	return n;
}

static void append_none(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v)
{
	static const struct {
		enum vd_class class;
		bool unread;
		const char *one, *many;
	} why[] = { { VD_MOVING, false, " goes on", " go on" },
		    { VD_STOPPED, false, " is stopped by a signal (kill -CONT continues it)",
		      " are stopped by a signal (kill -CONT continues them)" },
		    { VD_BUSY, false, " has a thread outside MPI that may still call it",
		      " have threads outside MPI that may still call it" },
		    { VD_POLLING, false, " polls, and may make progress", " poll, and may make progress" },
		    { VD_OPAQUE, false, " waits for something unknown", " wait for something unknown" },
		    { VD_OPAQUE, true, " could not be read", " could not be read" },
		    { VD_FREE, false, " is in no MPI function", " are in no MPI function" } };
	size_t n_absent = vd_n_absent(job);
	bool any = false;

	bool open = v->n_unknown || (v->n_waiting && (n_absent || v->guessed));
	for (size_t i = 0; i < job->n_ranks && !open; i++)
		open = v->classes[i] == VD_STOPPED || v->classes[i] == VD_BUSY;
	vd_append(t, "no deadlock%s", open ? " is known" : "");
	for (size_t i = 0; i < sizeof(why) / sizeof(why[0]); i++) {
		int32_t *ranks = NULL;
		size_t n = ranks_of_class(job, v, why[i].class, why[i].unread, &ranks);
		if (n && ranks) {
			vd_append(t, any ? "; " : ": ");
			vd_append_ranks(t, job, ranks, n);
			vd_append(t, "%s", n == 1 ? why[i].one : why[i].many);
			any = true;
		}
		free(ranks);
	}
	if (n_absent && v->n_waiting) {
		vd_append(t, any ? "; " : ": ");
		vd_append(t, "%zu rank%s of %s %s not here", n_absent, n_absent == 1 ? "" : "s", job->comms[0].name,
			  n_absent == 1 ? "is" : "are");
	} else if (!any && v->n_waiting) {
		vd_append(t, ": what each waits for is on its way or can still come");
	}
}

void vd_conclusion(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v)
{
	switch (v->result) {
	case VD_DEADLOCK:
		append_cycle(t, job, v);
		break;
	case VD_MISMATCH:
		append_mismatch(t, job, v);
		break;
	case VD_MISSING_RANK:
		append_missing(t, job, v);
		break;
	default:
		append_none(t, job, v);
	}
}

/* ---- the report -------------------------------------------------------------------------------------------------- */

static void print_headline(const struct vd_job *job, const struct vd_verdict *v, FILE *out)
{
	struct vd_text head = { .n = 0 };

	vd_headline(&head, job, v);
	vd_print(out, head.bytes);
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

static void print_end(const struct vd_job *job, const struct vd_verdict *v, FILE *out)
{
	struct vd_text end = { .n = 0 };

	vd_conclusion(&end, job, v);
	for (int i = 0; i < VD_REMARKS; i++) {
		struct vd_text t = { .n = 0 };
		if (!vd_remark(&t, job, v, i))
			continue;
		vd_print(out, t.bytes);
		putc('\n', out);
	}
	print_transits(job, false, out);
	if (job->basis && v->result != VD_NO_DEADLOCK) {
		vd_print(out, job->basis);
		putc('\n', out);
	}
	vd_print(out, end.bytes);
	putc('\n', out);
	print_transits(job, true, out);
}

void vd_report(const struct vd_job *job, const struct vd_verdict *v, FILE *out)
{
	print_headline(job, v, out);
	putc('\n', out);
	print_lines(job, v, out);
	putc('\n', out);
	if (v->result != VD_NO_DEADLOCK)
		vd_print_unmatched(job, out);
	print_end(job, v, out);
}

void vd_summary(const struct vd_job *job, const struct vd_verdict *v, FILE *out)
{
	print_headline(job, v, out);
	print_end(job, v, out);
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
	struct vd_text head = { .n = 0 }, end = { .n = 0 };
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
		if (place.n)
			json_object_set_new(g, "place", vd_text_json(place.bytes));
		json_array_append_new(groups, g);
	}
	vd_groups_deinit(&l);
	json_object_set_new(o, "groups", groups);
	for (int i = 0; i < VD_REMARKS; i++) {
		struct vd_text t = { .n = 0 };
		if (vd_remark(&t, job, v, i))
			json_array_append_new(remarks, vd_text_json(t.bytes));
	}
	json_object_set_new(o, "unavailable", remarks);
	json_object_set_new(o, "on_their_way", transits_json(job));
	vd_unmatched_json(job, o);
	if (job->basis)
		json_object_set_new(o, "basis", json_string(job->basis));
	return o;
}
