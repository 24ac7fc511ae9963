/* SPDX-License-Identifier: BSD-3-Clause */
#include "flows.h"

#include "loading.h"

#include "../access/grow.h"

#include <stdlib.h>
#include <string.h>

enum { HALF = 1 << 15 }; /* numbers have 16 bits and wrap: a difference above half the range is negative */

/* ---- loading ---------------------------------------------------------------------------------------------- */

static struct vd_flow *add_flow(struct vd_job *job)
{
	if (!ACC_GROW(job->flows, job->n_flows)) {
		job->no_memory = true;
		return NULL;
	}
	job->flows[job->n_flows] = (struct vd_flow){ .expected = 1 };
	return &job->flows[job->n_flows++];
}

/* @return false: a number is out of range */
static bool load_numbers(struct vd_loading *l, const struct vd_view *v, const json_t *numbers)
{
	size_t n = json_array_size(numbers), n_arrived = json_array_size(json_object_get(v->json, "unexpected"));
	uint64_t sums[2] = { 0, 0 };

	for (size_t i = 0; i + 2 < n; i += 3) {
		const json_t *peer = json_array_get(numbers, i), *sent = json_array_get(numbers, i + 1),
			     *expected = json_array_get(numbers, i + 2);
		json_int_t s = json_integer_value(sent), e = json_integer_value(expected);
		if (!json_is_integer(peer) || !json_is_integer(sent) || !json_is_integer(expected) || s < 0 ||
		    s > UINT16_MAX || e < 0 || e > UINT16_MAX)
			return false;
		sums[0] += (uint64_t)s;
		sums[1] += (uint64_t)e;
		int32_t other = vd_peer_at(v, json_integer_value(peer));
		struct vd_flow *f = other >= 0 ? add_flow(l->job) : NULL;
		if (!f)
			continue;
		f->owner = (int32_t)l->rank;
		f->peer = other;
		f->comm = v->comm;
		f->sent = (uint16_t)s;
		f->expected = (uint16_t)e;
	}
	/* the rank has made progress if it has sent something, or has received more than has arrived and
	 * is still there */
	sums[1] -= n_arrived;
	l->print = vd_hash(l->print, sums, sizeof(sums));
	return n % 3 == 0;
}

/* Messages that arrived before one with a lower number. */
static void load_early(struct vd_loading *l, const struct vd_view *v)
{
	const json_t *message;
	size_t i;

	json_array_foreach(json_object_get(v->json, "unexpected"), i, message)
	{
		int32_t peer = vd_peer_at(v, vd_json_number(message, "peer", -1));
		struct vd_flow *f = vd_json_true(message, "out_of_order") && peer >= 0 ? add_flow(l->job) : NULL;
		if (!f)
			continue;
		f->owner = (int32_t)l->rank;
		f->peer = peer;
		f->comm = v->comm;
		f->n_early = 1;
	}
}

void vd_load_flows(struct vd_loading *l)
{
	for (size_t i = 0; i < l->n_views; i++) {
		const struct vd_view *v = &l->views[i];
		const json_t *numbers = json_object_get(v->json, "flows");
		size_t before = l->job->n_flows;

		/* without the list of arrived messages it is unknown which ones arrived early */
		if (!json_is_array(numbers) || json_object_get(v->json, "flows_why") || v->comm < 0 ||
		    json_object_get(v->json, "unexpected_more") ||
		    !json_is_array(json_object_get(v->json, "unexpected")))
			continue;
		struct vd_flow *mark = add_flow(l->job);
		if (!mark)
			return;
		*mark = (struct vd_flow){ .owner = (int32_t)l->rank, .peer = VD_ANY, .comm = v->comm };
		if (load_numbers(l, v, numbers))
			load_early(l, v);
		else
			l->job->n_flows = before;
	}
}

/* ---- comparing ---------------------------------------------------------------------------------------------- */

/* What one rank of a pair knows; the sender comes first in the key. */
struct side {
	int32_t comm, from, to;
	bool is_sender;
	uint16_t sent, expected;
	uint32_t n_early;
};

static int by_pair(const void *a, const void *b)
{
	const struct side *x = a, *y = b;

	if (x->comm != y->comm)
		return x->comm < y->comm ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

static int by_owner(const void *a, const void *b)
{
	const struct vd_known *x = a, *y = b;

	if (x->comm != y->comm)
		return x->comm < y->comm ? -1 : 1;
	return (x->owner > y->owner) - (x->owner < y->owner);
}

static void add_transit(struct vd_job *job, const struct vd_transit *x)
{
	if (!ACC_GROW(job->transits, job->n_transits)) {
		job->no_memory = true;
		return;
	}
	job->transits[job->n_transits++] = *x;
}

/* Compare what both ranks of one pair know: the last number sent, and the next number expected. */
static void compare_sides(struct vd_job *job, const struct side *v, size_t n)
{
	struct vd_transit x = { .comm = v->comm, .from = v->from, .to = v->to, .expected = 1 };
	uint32_t n_early = 0;

	for (size_t i = 0; i < n; i++) {
		if (v[i].is_sender) {
			x.sent = v[i].sent;
		} else {
			n_early += v[i].n_early;
			if (!v[i].n_early)
				x.expected = v[i].expected;
		}
	}
	if (!vd_flows_known(job, x.comm, x.from) || !vd_flows_known(job, x.comm, x.to))
		return;
	uint16_t missing = (uint16_t)(x.sent + 1 - x.expected);
	if (!missing)
		return;
	if (missing < HALF && missing > n_early && job->ranks[x.from].part == job->ranks[x.to].part)
		x.n = missing - n_early;
	add_transit(job, &x);
}

bool vd_flows_known(const struct vd_job *job, int32_t comm, int32_t rank)
{
	return job->n_known &&
	       bsearch((&(struct vd_known){ comm, rank }), job->known, job->n_known, sizeof(*job->known), by_owner);
}

/* Index of the first entry that is not before the communicator's. */
static size_t first_known(const struct vd_job *job, int32_t comm)
{
	size_t low = 0, high = job->n_known;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (job->known[middle].comm < comm)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool vd_flows_all_known(const struct vd_job *job, int32_t comm)
{
	size_t n = first_known(job, comm + 1) - first_known(job, comm);

	return n > 0 && n >= (size_t)job->comms[comm].n;
}

void vd_find_transits(struct vd_job *job)
{
	struct side *sides = calloc(2 * job->n_flows + 1, sizeof(*sides));
	struct vd_known *known = calloc(job->n_flows + 1, sizeof(*known));
	size_t n = 0, n_known = 0;

	job->n_transits = 0;
	free(job->known);
	job->known = known;
	for (size_t i = 0; sides && known && i < job->n_flows; i++) {
		const struct vd_flow *f = &job->flows[i];
		if (f->peer == VD_ANY) {
			known[n_known++] = (struct vd_known){ f->comm, f->owner };
			continue;
		}
		if (!f->n_early)
			sides[n++] = (struct side){
				.comm = f->comm, .from = f->owner, .to = f->peer, .is_sender = true, .sent = f->sent
			};
		sides[n++] = (struct side){
			.comm = f->comm, .from = f->peer, .to = f->owner, .expected = f->expected, .n_early = f->n_early
		};
	}
	if (!sides || !known)
		job->no_memory = true;
	else if (n)
		qsort(sides, n, sizeof(*sides), by_pair);
	if (known && n_known)
		qsort(known, n_known, sizeof(*known), by_owner);
	job->n_known = known ? n_known : 0;
	for (size_t i = 0, end; sides && known && i < n; i = end) {
		for (end = i + 1; end < n && by_pair(&sides[i], &sides[end]) == 0;)
			end++;
		compare_sides(job, &sides[i], end - i);
	}
	free(sides);
}

static int by_transit(const void *a, const void *b)
{
	const struct vd_transit *x = a, *y = b;

	return by_pair(&(struct side){ .comm = x->comm, .from = x->from, .to = x->to },
		       &(struct side){ .comm = y->comm, .from = y->from, .to = y->to });
}

const struct vd_transit *vd_transit_between(const struct vd_job *job, int32_t comm, int32_t from, int32_t to)
{
	const struct vd_transit x = { .comm = comm, .from = from, .to = to };

	return job->n_transits ? bsearch(&x, job->transits, job->n_transits, sizeof(x), by_transit) : NULL;
}

/* ---- two snapshots ---------------------------------------------------------------------------------------------- */

/*
 * Does the rank drive MPI progress, as far as can be seen: does it use a processor, in a function that waits? A
 * function that only tests may return early with a request that is already complete.
 */
static bool is_polling(const struct vd_job *job, int32_t i)
{
	const struct vd_rank *r = &job->ranks[i];
	const struct vd_thread *t = vd_thread_of(job, i);

	return r->state == VD_READ && t && r->process_state && strcmp(r->process_state, "running") == 0 &&
	       (t->call == VD_CALL_ALL || t->call == VD_CALL_SOME || t->call == VD_CALL_COLLECTIVE ||
		t->call == VD_CALL_NEIGHBORS);
}

bool vd_is_transit_odd(const struct vd_job *job, const struct vd_transit *x)
{
	return x->n && is_polling(job, x->from) && is_polling(job, x->to);
}

bool vd_may_be_lost(const struct vd_job *job)
{
	for (size_t i = 0; i < job->n_transits; i++)
		if (vd_is_transit_odd(job, &job->transits[i]))
			return true;
	return false;
}

/* A communicator has the same index in both snapshots if it is the same one. */
static bool is_same_comm(const struct vd_job *a, const struct vd_job *b, int32_t comm)
{
	return (size_t)comm < a->n_comms && (size_t)comm < b->n_comms && a->comms[comm].n == b->comms[comm].n &&
	       strcmp(a->comms[comm].name ? a->comms[comm].name : "", b->comms[comm].name ? b->comms[comm].name : "") ==
		       0;
}

static bool is_same_rank(const struct vd_job *a, const struct vd_job *b, int32_t i)
{
	return (size_t)i < a->n_ranks && (size_t)i < b->n_ranks && a->ranks[i].pid == b->ranks[i].pid &&
	       a->ranks[i].rank == b->ranks[i].rank;
}

void vd_compare_transits(const struct vd_job *earlier, struct vd_job *later)
{
	for (size_t i = 0; i < later->n_transits; i++) {
		struct vd_transit *x = &later->transits[i];
		const struct vd_transit *before = vd_transit_between(earlier, x->comm, x->from, x->to);
		bool alike = before && is_same_comm(earlier, later, x->comm) && is_same_rank(earlier, later, x->from) &&
			     is_same_rank(earlier, later, x->to);
		/*
		 * Nothing has arrived in between, although the receiver has polled and the sender has had time to
		 * hand the message to the transport: a short send completes before its message leaves.
		 */
		x->stayed = alike && x->n && before->expected == x->expected && is_polling(earlier, x->to) &&
			    is_polling(later, x->to) && is_polling(earlier, x->from) && is_polling(later, x->from) &&
			    !later->ranks[x->to].had_no_processor && !later->ranks[x->from].had_no_processor;
	}
}

/* ---- text ---------------------------------------------------------------------------------------------------- */

void vd_append_transit(struct vd_text *t, const struct vd_job *job, const struct vd_transit *x)
{
	vd_append(t, "%s%u message%s from ", x->stayed ? "missing message: " : "on its way: ", x->n,
		  x->n == 1 ? "" : "s");
	vd_append_rank(t, job, x->from);
	vd_append(t, " to ");
	vd_append_rank(t, job, x->to);
	vd_append(t, " on %s %s not arrived (number %u was sent, %u is expected next)", vd_comm_name(job, x->comm),
		  x->n == 1 ? "has" : "have", x->sent, x->expected);
	if (x->stayed) {
		vd_append(t,
			  ", though both have polled: lost, held by the transport or the MPI library, or never sent: a "
			  "failed MPI_Bsend uses a number, too");
	} else if (!is_polling(job, x->to) || !is_polling(job, x->from)) {
		vd_append(t, ": ");
		vd_append_rank(t, job, is_polling(job, x->to) ? x->from : x->to);
		vd_append(t, " is not polling");
	}
}
