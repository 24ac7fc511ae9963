/* SPDX-License-Identifier: BSD-3-Clause */
#include "unmatched.h"

#include "flows.h"
#include "matching.h"

#include "../access/grow.h"

#include <stdlib.h>
#include <string.h>

/* Limit of comparisons for the wildcard receives of one rank in one communicator; the rest count as unknown. */
enum { SCANS_MAX = 1 << 20 };

/* Limit of different operations between two partners with which one is compared before it gets an entry of its own. */
enum { ALIKE_MAX = 16 };

/* An operation as one side of a message. */
struct side {
	int32_t comm, to, from; /* from: VD_ANY for a receive from any rank */
	int32_t op, thread;
	int64_t tag;
	int64_t bytes; /* of a send or message; -1: not known */
	uint8_t kind;  /* enum vd_op_kind */
	uint8_t arrival;
	uint8_t wait; /* enum vd_wait */
	bool gone;    /* matched, or a duplicate of another one */
};

struct search {
	const struct vd_job *job;
	struct side *v;
	size_t n;
	int32_t *thread_of; /* of each operation; -1 */
	int8_t *is_read;    /* of each communicator, whether all its members were read; -1: not known yet */
	bool *is_sent_to;   /* of each rank, whether messages to it are in transit */
	struct vd_unmatched *u;
	bool no_memory;
};

static int compare_numbers(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int by_partners(const void *a, const void *b)
{
	const struct side *x = a, *y = b;
	int ret = compare_numbers(x->comm, y->comm);

	ret = ret ? ret : compare_numbers(x->to, y->to);
	ret = ret ? ret : compare_numbers(x->from, y->from);
	ret = ret ? ret : compare_numbers(x->tag, y->tag);
	ret = ret ? ret : compare_numbers(x->kind, y->kind);
	ret = ret ? ret : compare_numbers(x->bytes, y->bytes);
	return ret ? ret : compare_numbers(x->op, y->op);
}

static bool is_wild(const struct side *x)
{
	return x->from == VD_ANY || x->tag == VD_ANY_TAG;
}

static uint8_t wait_of(const struct vd_job *job, int32_t thread)
{
	if (thread < 0)
		return VD_WAIT_NONE;
	if (job->threads[thread].call == VD_CALL_POLL)
		return VD_WAIT_POLLED;
	return job->threads[thread].possible ? VD_WAIT_POSSIBLE : VD_WAIT_CERTAIN;
}

static void add_side(struct search *s, int32_t rank, int32_t at)
{
	const struct vd_op *op = &s->job->ops[at];
	const struct vd_comm *c = op->comm == VD_UNKNOWN ? NULL : &s->job->comms[op->comm];
	bool receive = op->kind == VD_RECEIVE;

	if (op->matched || op->inactive || op->internal || op->of_leaders ||
	    (c && (c->internal || c->kind != VD_COMM)) || (!receive && op->kind != VD_SEND && op->kind != VD_MESSAGE))
		return;
	if (!c || op->peer == VD_UNKNOWN || (op->peer == VD_ANY && !receive)) {
		s->u->n_unknown++;
		return;
	}
	s->v[s->n++] = (struct side){ .comm = op->comm,
				      .to = op->kind == VD_SEND ? op->peer : rank,
				      .from = op->kind == VD_SEND ? rank : op->peer,
				      .op = at,
				      .thread = s->thread_of[at],
				      .wait = wait_of(s->job, s->thread_of[at]),
				      .tag = op->tag,
				      .bytes = receive ? 0 : op->bytes,
				      .kind = op->kind };
}

/* A thread that may wait for any operation of its rank; -1: none. */
static int32_t waits_for_more(const struct vd_job *job, const struct vd_rank *r)
{
	for (size_t t = r->first_thread; t < r->first_thread + r->n_threads; t++)
		if (job->threads[t].waits_for_more)
			return (int32_t)t;
	return -1;
}

static void add_sides(struct search *s)
{
	const struct vd_job *job = s->job;

	for (size_t i = 0; i < job->n_ops; i++)
		s->thread_of[i] = -1;
	for (size_t t = 0; t < job->n_threads; t++) {
		const struct vd_thread *x = &job->threads[t];
		for (size_t k = x->first_polled; k < x->first_polled + x->n_polled; k++)
			s->thread_of[job->awaits[k]] = (int32_t)t;
		for (size_t k = x->first_await; k < x->first_await + x->n_awaits; k++)
			s->thread_of[job->awaits[k]] = (int32_t)t;
	}
	for (size_t r = 0; r < job->n_ranks; r++) {
		int32_t other = waits_for_more(job, &job->ranks[r]);
		for (size_t i = job->ranks[r].first_op; i < job->ranks[r].first_op + job->ranks[r].n_ops; i++) {
			size_t before = s->n;
			add_side(s, (int32_t)r, (int32_t)i);
			if (s->n > before && other >= 0 && s->thread_of[i] < 0) {
				s->v[before].thread = other;
				s->v[before].wait = VD_WAIT_POSSIBLE;
			}
		}
	}
	qsort(s->v, s->n, sizeof(*s->v), by_partners);
}

/* ---- matching ------------------------------------------------------------------------------------------------- */

/* Index of the next remaining one of a kind, from @p i; n: none */
static size_t next_of(const struct side *v, size_t n, size_t i, enum vd_op_kind kind)
{
	while (i < n && (v[i].kind != kind || v[i].gone))
		i++;
	return i;
}

/* A message in the receiver's queue whose send is pending appears twice: keep the send. */
static void join(struct side *v, size_t n)
{
	size_t send = next_of(v, n, 0, VD_SEND), message = next_of(v, n, 0, VD_MESSAGE);

	while (send < n && message < n) {
		if (v[send].bytes >= 0 && v[message].bytes >= 0 && v[send].bytes != v[message].bytes) {
			if (v[send].bytes < v[message].bytes)
				send = next_of(v, n, send + 1, VD_SEND);
			else
				message = next_of(v, n, message + 1, VD_MESSAGE);
			continue;
		}
		v[send].arrival = VD_ARRIVED;
		v[message].gone = true;
		send = next_of(v, n, send + 1, VD_SEND);
		message = next_of(v, n, message + 1, VD_MESSAGE);
	}
}

/* Match operations that share communicator, sender, receiver and tag. Those that have not arrived come first. */
static void match_alike(struct side *v, size_t n)
{
	size_t receive = next_of(v, n, 0, VD_RECEIVE);

	for (size_t i = 0; i < n; i++)
		v[i].arrival = v[i].kind == VD_MESSAGE ? VD_ARRIVED : VD_NOT_ARRIVED;
	join(v, n);
	for (int arrived = 0; arrived < 2; arrived++) {
		for (size_t i = 0; i < n && receive < n; i++) {
			if (v[i].kind == VD_RECEIVE || v[i].gone || (v[i].arrival == VD_ARRIVED) != arrived)
				continue;
			v[i].gone = v[receive].gone = true;
			receive = next_of(v, n, receive + 1, VD_RECEIVE);
		}
	}
}

/* Match the wildcard receives (source or tag) of one rank in one communicator, in the order they were posted. */
static void match_wild(struct search *s, struct side *v, size_t n)
{
	size_t n_scans = 0;

	for (size_t i = 0; i < n; i++) {
		if (v[i].kind != VD_RECEIVE || !is_wild(&v[i]))
			continue;
		for (size_t k = 0; k < n && !v[i].gone; k++) {
			if (n_scans++ >= SCANS_MAX) {
				v[i].gone = true;
				s->u->n_unknown++;
				break;
			}
			if (v[k].kind == VD_RECEIVE || v[k].gone || (v[i].from != VD_ANY && v[i].from != v[k].from) ||
			    (v[i].tag != VD_ANY_TAG && v[i].tag != v[k].tag))
				continue;
			v[i].gone = v[k].gone = true;
		}
	}
}

static void match(struct search *s)
{
	struct side *v = s->v;

	for (size_t i = 0, end; i < s->n; i = end) {
		for (end = i + 1; end < s->n && v[i].comm == v[end].comm && v[i].to == v[end].to;)
			end++;
		for (size_t k = i, e; k < end; k = e) {
			for (e = k + 1; e < end && v[k].from == v[e].from && v[k].tag == v[e].tag;)
				e++;
			match_alike(v + k, e - k);
		}
		match_wild(s, v + i, end - i);
	}
}

/* ---- unmatched ---------------------------------------------------------------------------------------------- */

/* Are all sends of the rank known? */
static bool is_read(const struct vd_job *job, int32_t rank)
{
	return rank >= 0 && (size_t)rank < job->n_ranks &&
	       (job->ranks[rank].state == VD_ENDED ||
		(job->ranks[rank].state == VD_READ && !job->ranks[rank].no_operations &&
		 !job->ranks[rank].n_more_sends));
}

static bool are_read(struct search *s, int32_t comm)
{
	const struct vd_comm *c = &s->job->comms[comm];

	if (s->is_read[comm] < 0) {
		s->is_read[comm] = 1;
		for (int32_t i = 0; i < c->n && s->is_read[comm]; i++)
			s->is_read[comm] = is_read(s->job, c->members ? c->members[i] : i);
	}
	return s->is_read[comm];
}

static bool is_known(struct search *s, struct side *x)
{
	const struct vd_job *job = s->job;

	if (x->kind == VD_MESSAGE)
		return is_read(job, x->from); /* otherwise its send may be pending */
	if (x->kind == VD_RECEIVE)
		return x->from == VD_ANY ? are_read(s, x->comm) && !s->is_sent_to[x->to]
					 : is_read(job, x->from) && !vd_transit_between(job, x->comm, x->from, x->to);
	if (x->to < 0 || (size_t)x->to >= job->n_ranks || job->ranks[x->to].state == VD_UNREAD)
		return false;
	if (x->arrival == VD_ARRIVED)
		return true;
	/* an arrived message would be in the queue: it is in transit, or received without the sender knowing yet */
	if (vd_shows_arrivals(job, x->to) || job->ranks[x->to].n_more || job->ranks[x->to].n_more_receives)
		return false;
	if (job->ranks[x->to].state == VD_READ && job->ranks[x->to].no_unexpected)
		x->arrival = VD_ARRIVAL_UNKNOWN;
	return true;
}

static bool are_alike(const struct vd_lone *a, const struct vd_lone *b)
{
	return a->comm == b->comm && a->from == b->from && a->to == b->to && a->tag == b->tag && a->kind == b->kind &&
	       a->bytes == b->bytes && a->arrival == b->arrival && a->function == b->function && a->place == b->place &&
	       a->wait == b->wait && a->thread == b->thread;
}

static void keep_side(struct search *s, const struct side *x)
{
	const struct vd_op *op = &s->job->ops[x->op];
	struct vd_unmatched *u = s->u;
	struct vd_lone lone = { .comm = x->comm,
				.from = x->from,
				.to = x->to,
				.thread = x->thread,
				.wait = x->wait,
				.n = 1,
				.tag = x->tag,
				.bytes = op->bytes,
				.arrival = x->arrival,
				.kind = x->kind == VD_RECEIVE ? VD_LONE_RECEIVE
					: x->kind == VD_SEND  ? VD_LONE_SEND
							      : VD_LONE_MESSAGE };

	if (lone.kind != VD_LONE_MESSAGE) {
		lone.function = op->function;
		lone.place = x->wait == VD_WAIT_CERTAIN && s->job->threads[x->thread].function == op->function
				     ? s->job->threads[x->thread].place
				     : op->place;
	}
	for (size_t i = u->n; i > 0 && u->n - i < ALIKE_MAX; i--)
		if (are_alike(&u->v[i - 1], &lone)) {
			u->v[i - 1].n++;
			return;
		}
	if (!ACC_GROW(u->v, u->n)) {
		s->no_memory = true;
		return;
	}
	u->v[u->n++] = lone;
}

bool vd_find_unmatched(const struct vd_job *job, struct vd_unmatched *ret)
{
	struct search s = { .job = job, .u = ret };

	*ret = (struct vd_unmatched){ .n = 0 };
	s.v = calloc(job->n_ops + 1, sizeof(*s.v));
	s.thread_of = calloc(job->n_ops + 1, sizeof(*s.thread_of));
	s.is_read = malloc(job->n_comms + 1);
	s.is_sent_to = calloc(job->n_ranks + 1, sizeof(*s.is_sent_to));
	s.no_memory = !s.v || !s.thread_of || !s.is_read || !s.is_sent_to;
	if (!s.no_memory) {
		memset(s.is_read, -1, job->n_comms + 1);
		for (size_t i = 0; i < job->n_transits; i++)
			s.is_sent_to[job->transits[i].to] = true;
		add_sides(&s);
		match(&s);
	}
	for (size_t i = 0; !s.no_memory && i < s.n; i++) {
		if (s.v[i].gone)
			continue;
		if (is_known(&s, &s.v[i]))
			keep_side(&s, &s.v[i]);
		else
			ret->n_unknown++;
	}
	free(s.v);
	free(s.thread_of);
	free(s.is_read);
	free(s.is_sent_to);
	if (s.no_memory)
		vd_unmatched_deinit(ret);
	return !s.no_memory;
}

void vd_unmatched_deinit(struct vd_unmatched *u)
{
	free(u->v);
	*u = (struct vd_unmatched){ .n = 0 };
}
