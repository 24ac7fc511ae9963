/* SPDX-License-Identifier: BSD-3-Clause */
/* Unmatched operations as text and as JSON. */
#include "unmatched.h"

#include "place.h"
#include "values.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 20, JSON_MAX = 1000 };

struct lones {
	const struct vd_job *job;
	const struct vd_lone *v;
};

static void append_bytes(struct vd_text *t, const struct vd_lone *x)
{
	if (x->bytes < 0)
		vd_append(t, ", size unavailable");
	else
		vd_append(t, ", %s%lld byte%s", x->kind == VD_LONE_RECEIVE ? "up to " : "", (long long)x->bytes,
			  x->bytes == 1 ? "" : "s");
}

/* "receive from rank 1, tag 5, up to 8 bytes", "2 messages to rank 0, tag 5, 8 bytes, arrived" */
static void append_what(struct vd_text *t, const struct vd_job *job, const struct vd_lone *x, bool relative)
{
	static const char *const kinds[] = { "receive", "send", "message" };
	static const char *const arrivals[] = { ", arrived", ", not arrived", "" };
	bool receive = x->kind == VD_LONE_RECEIVE;

	if (x->n > 1)
		vd_append(t, "%u ", x->n);
	vd_append(t, "%s%s %s ", kinds[x->kind], x->n > 1 ? "s" : "", receive ? "from" : "to");
	vd_append_peer(t, job, receive ? x->to : x->from, x->comm, receive ? x->from : x->to, relative);
	if (x->tag == VD_ANY_TAG)
		vd_append(t, ", any tag");
	else
		vd_append(t, ", tag %lld", (long long)x->tag);
	append_bytes(t, x);
	if (!receive)
		vd_append(t, "%s", arrivals[x->arrival]);
}

/* "MPI_Isend at solve.c:71 in residual, MPI_Waitall waits for it" */
static void append_how(struct vd_text *t, const struct vd_job *job, const struct vd_lone *x)
{
	const char *function = x->thread >= 0 ? job->threads[x->thread].function : NULL;
	const char *waits = x->wait == VD_WAIT_CERTAIN ? function : NULL;

	if (x->kind == VD_LONE_MESSAGE) {
		vd_append(t, x->n > 1 ? "the sends are complete" : "the send is complete");
		return;
	}
	if (x->function)
		vd_append(t, "%s", x->function);
	else if (waits)
		vd_append(t, "%s", waits);
	vd_append_at(t, " ", x->place);
	if (waits && x->function && strcmp(waits, x->function) != 0)
		vd_append(t, ", %s waits for it", waits);
	else if (waits && !x->function && !x->place) /* not the place of this call: what has begun it is unknown */
		vd_append(t, " waits for it");
	else if (x->wait == VD_WAIT_POSSIBLE)
		vd_append(t, "%s%s may wait for it", t->n ? ", " : "", function ? function : "a thread");
	else if (x->wait == VD_WAIT_POLLED)
		vd_append(t, "%s%s asks for it", t->n ? ", " : "", function ? function : "a thread");
	else if (x->wait == VD_WAIT_NONE)
		vd_append(t, "%sno thread waits for it", t->n ? ", " : "");
}

static int32_t lone_text(const void *context, size_t i, bool relative, struct vd_text *activity, struct vd_text *place,
			 char group[VD_GROUP_BYTES], bool *last)
{
	const struct lones *l = context;
	const struct vd_lone *x = &l->v[i];
	int32_t own = x->kind == VD_LONE_RECEIVE ? x->to : x->from;

	append_what(activity, l->job, x, relative);
	append_how(place, l->job, x);
	snprintf(group, VD_GROUP_BYTES, "%d", l->job->ranks[own].world);
	*last = x->kind == VD_LONE_MESSAGE;
	return own;
}

static int by_subject(const void *a, const void *b)
{
	const struct vd_lone *x = a, *y = b;
	int32_t own_x = x->kind == VD_LONE_RECEIVE ? x->to : x->from,
		own_y = y->kind == VD_LONE_RECEIVE ? y->to : y->from;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (own_x != own_y)
		return own_x < own_y ? -1 : 1;
	return x->tag != y->tag ? x->tag < y->tag ? -1 : 1 : (x->to > y->to) - (x->to < y->to);
}

static int by_number(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

/* The section of one communicator; @p v is sorted. */
static void make_section(const struct vd_job *job, struct vd_lone *v, size_t n, struct vd_lone_section *ret)
{
	const struct lones lones = { job, v };

	*ret = (struct vd_lone_section){ .comm = v->comm };
	qsort(v, n, sizeof(*v), by_subject);
	vd_group_items(&ret->lines, n, lone_text, &lones);
	for (size_t i = 0; i < ret->lines.n; i++)
		qsort(ret->lines.v[i].ranks, ret->lines.v[i].n, sizeof(*ret->lines.v[i].ranks), by_number);
}

size_t vd_lone_sections(const struct vd_job *job, struct vd_lone_section **ret)
{
	struct vd_unmatched u;
	size_t n = 0;

	*ret = NULL;
	if (!vd_find_unmatched(job, &u))
		return 0;
	for (size_t i = 0; i < u.n; i++)
		n += !i || u.v[i].comm != u.v[i - 1].comm;
	*ret = n ? malloc(n * sizeof(**ret)) : NULL;
	n = 0;
	for (size_t i = 0, end; *ret && i < u.n; i = end) {
		for (end = i + 1; end < u.n && u.v[i].comm == u.v[end].comm;)
			end++;
		make_section(job, u.v + i, end - i, &(*ret)[n++]);
	}
	vd_unmatched_deinit(&u);
	return n;
}

void vd_lone_sections_destroy(struct vd_lone_section *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		vd_groups_deinit(&v[i].lines);
	free(v);
}

/* @return how many of the @p n_lines lines are still available */
static size_t print_section(const struct vd_job *job, const struct vd_lone_section *x, size_t n_lines, FILE *out)
{
	const struct vd_groups *l = &x->lines;
	int rank_width = 0, width = 0;
	struct vd_text head = { .n = 0 };
	size_t shown = l->n < n_lines ? l->n : n_lines;

	vd_append(&head, "Not matched on %s:", vd_comm_name(job, x->comm));
	vd_print(out, head.bytes);
	putc('\n', out);
	for (size_t i = 0; i < shown; i++) {
		struct vd_text ranks = { .n = 0 };
		vd_append_ranks(&ranks, job, l->v[i].ranks, l->v[i].n);
		int w = l->v[i].activity ? (int)strlen(l->v[i].activity) : 0;
		rank_width = (int)ranks.n > rank_width ? (int)ranks.n : rank_width;
		width = w > width ? w : width;
	}
	for (size_t i = 0; i < shown; i++) {
		struct vd_text ranks = { .n = 0 }, line = { .n = 0 };
		vd_append_ranks(&ranks, job, l->v[i].ranks, l->v[i].n);
		vd_append(&line, "  %-*s  %-*s  %s", rank_width, ranks.bytes, width,
			  l->v[i].activity ? l->v[i].activity : "?", l->v[i].place ? l->v[i].place : "");
		vd_print(out, line.bytes);
		putc('\n', out);
	}
	if (l->n > shown)
		fprintf(out, "  and %zu more lines (--all shows them)\n", l->n - shown);
	return n_lines - shown;
}

void vd_print_unmatched(const struct vd_job *job, FILE *out)
{
	struct vd_lone_section *v;
	size_t n = vd_lone_sections(job, &v), n_lines = job->every_line ? SIZE_MAX : LINES_MAX, i = 0;

	for (; i < n && n_lines; i++) {
		putc('\n', out);
		n_lines = print_section(job, &v[i], n_lines, out);
	}
	if (i < n)
		fprintf(out, "Not matched on %zu more communicators\n", n - i);
	vd_lone_sections_destroy(v, n);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void set_text(json_t *o, const char *key, const char *text)
{
	if (text)
		json_object_set_new(o, key, vd_text_json(text));
}

static json_t *lone_json(const struct vd_job *job, const struct vd_lone *x)
{
	static const char *const kinds[] = { "receive", "send", "message" };
	json_t *o = json_object();

	json_object_set_new(o, "kind", json_string(kinds[x->kind]));
	set_text(o, "communicator", vd_comm_name(job, x->comm));
	json_object_set_new(o, "from", x->from == VD_ANY ? json_null() : vd_rank_json(job, x->from));
	if (x->from == VD_ANY)
		set_text(o, "from_why", "any");
	json_object_set_new(o, "to", vd_rank_json(job, x->to));
	json_object_set_new(o, "tag", x->tag == VD_ANY_TAG ? json_null() : json_integer(x->tag));
	if (x->tag == VD_ANY_TAG)
		set_text(o, "tag_why", "any");
	json_object_set_new(o, "bytes", x->bytes < 0 ? json_null() : json_integer(x->bytes));
	if (x->bytes < 0)
		set_text(o, "bytes_why", "unavailable");
	json_object_set_new(o, "n", json_integer(x->n));
	if (x->kind != VD_LONE_RECEIVE && x->arrival != VD_ARRIVAL_UNKNOWN)
		json_object_set_new(o, "arrived", json_boolean(x->arrival == VD_ARRIVED));
	set_text(o, "function", x->function);
	set_text(o, "place", x->place);
	if (x->kind == VD_LONE_MESSAGE)
		return o;
	if (x->wait == VD_WAIT_POSSIBLE)
		set_text(o, "waits_why", "a thread may wait for it");
	json_object_set_new(o, "waits",
			    x->wait == VD_WAIT_POSSIBLE ? json_null() : json_boolean(x->wait == VD_WAIT_CERTAIN));
	return o;
}

void vd_unmatched_json(const struct vd_job *job, json_t *ret)
{
	struct vd_unmatched u;
	json_t *list;

	if (!vd_find_unmatched(job, &u))
		return;
	list = json_array();
	for (size_t i = 0; i < u.n && i < JSON_MAX; i++)
		json_array_append_new(list, lone_json(job, &u.v[i]));
	json_object_set_new(ret, "unmatched", list);
	if (u.n > JSON_MAX)
		json_object_set_new(ret, "unmatched_more", json_integer((json_int_t)(u.n - JSON_MAX)));
	if (u.n_unknown)
		json_object_set_new(ret, "unmatched_unknown", json_integer((json_int_t)u.n_unknown));
	vd_unmatched_deinit(&u);
}
