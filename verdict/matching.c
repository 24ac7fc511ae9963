/* SPDX-License-Identifier: BSD-3-Clause */
#include "matching.h"

#include "job.h"

#include <stdlib.h>
#include <string.h>

/* Limit of operations of one peer searched for a near match. */
enum { NEAR_MAX = 4096 };

static bool receives(const struct vd_op *op)
{
	return op->kind == VD_RECEIVE || op->kind == VD_PROBE;
}

static bool is_open(const struct vd_op *op)
{
	return !op->matched && !op->inactive && op->comm != VD_UNKNOWN;
}

static size_t head_of(const struct vd_matching *m, bool send, int32_t comm, int32_t from, int32_t to)
{
	int32_t key[4] = { send, comm, from, to };
	uint64_t hash = vd_hash(VD_HASH_SEED, key, sizeof(key));

	return (size_t)(hash ^ hash >> 29) & (m->n_heads - 1);
}

static void chain(const struct vd_matching *m, size_t head, int32_t *next, int32_t op)
{
	/* Both kinds of chains start in one table; the kind of an operation selects the array with its successor. */
	next[op] = m->heads[head];
	m->heads[head] = next == m->next_wild ? -2 - op : op;
}

bool vd_matching_init(struct vd_matching *m, const struct vd_job *job)
{
	*m = (struct vd_matching){ .job = job, .n_heads = 64 };
	while (m->n_heads < 2 * job->n_ops)
		m->n_heads *= 2;
	m->owner = malloc((job->n_ops + 1) * sizeof(*m->owner));
	m->heads = malloc(m->n_heads * sizeof(*m->heads));
	m->next = malloc((job->n_ops + 1) * sizeof(*m->next));
	m->next_wild = malloc((job->n_ops + 1) * sizeof(*m->next_wild));
	if (!m->owner || !m->heads || !m->next || !m->next_wild)
		return false;
	for (size_t i = 0; i < m->n_heads; i++)
		m->heads[i] = -1;
	for (size_t r = 0; r < job->n_ranks; r++) {
		m->more_sends |= job->ranks[r].n_more_sends > 0;
		for (size_t i = job->ranks[r].first_op; i < job->ranks[r].first_op + job->ranks[r].n_ops; i++) {
			const struct vd_op *op = &job->ops[i];
			int32_t own = (int32_t)r, at = (int32_t)i;
			m->owner[i] = own;
			if (!is_open(op) || (op->kind != VD_SEND && op->kind != VD_RECEIVE))
				continue;
			if (op->kind == VD_RECEIVE) {
				chain(m, head_of(m, false, op->comm, op->peer, own), m->next, at);
				continue;
			}
			chain(m, head_of(m, true, op->comm, own, op->peer), m->next, at);
			chain(m, head_of(m, true, op->comm, VD_ANY, op->peer), m->next_wild, at);
		}
	}
	return true;
}

void vd_matching_deinit(struct vd_matching *m)
{
	free(m->owner);
	free(m->heads);
	free(m->next);
	free(m->next_wild);
	free(m->coming);
	memset(m, 0, sizeof(*m));
}

static bool tags_match(const struct vd_op *receive, const struct vd_op *sent)
{
	return receive->internal == sent->internal && (receive->tag == VD_ANY_TAG || receive->tag == sent->tag);
}

/* Is there a send (receive) from @p from to @p to that matches @p op? */
static bool other_side(const struct vd_matching *m, bool send, int32_t from, int32_t to, const struct vd_op *op)
{
	int32_t at = m->heads[head_of(m, send, op->comm, from, to)];

	while (at != -1) {
		int32_t i = at < -1 ? -2 - at : at;
		const struct vd_op *o = &m->job->ops[i];
		bool is_send = o->kind == VD_SEND;
		int32_t source = is_send ? m->owner[i] : o->peer, target = is_send ? o->peer : m->owner[i];
		if (is_send == send && o->comm == op->comm && target == to &&
		    (source == from || (send && from == VD_ANY)) && (send ? tags_match(op, o) : tags_match(o, op)))
			return true;
		at = at < -1 ? m->next_wild[i] : m->next[i];
	}
	return false;
}

/* Has a message arrived that matches the receive? */
static bool has_arrived(const struct vd_job *job, int32_t rank, const struct vd_op *op)
{
	const struct vd_rank *r = &job->ranks[rank];

	if (op->kind == VD_PROBE && r->n_more)
		return true; /* perhaps one that was only counted; a receive that is still pending has none */
	for (size_t i = r->first_op; i < r->first_op + r->n_ops; i++) {
		const struct vd_op *o = &job->ops[i];
		if (o->kind == VD_MESSAGE && o->comm == op->comm && tags_match(op, o) &&
		    (op->peer == VD_ANY || op->peer == o->peer || o->peer == VD_UNKNOWN))
			return true;
	}
	return false;
}

static bool is_in_mpi(const struct vd_job *job, const struct vd_rank *r)
{
	for (size_t i = r->first_thread; i < r->first_thread + r->n_threads; i++)
		if (job->threads[i].call != VD_CALL_NONE)
			return true;
	return false;
}

bool vd_shows_arrivals(const struct vd_job *job, int32_t rank)
{
	const struct vd_rank *r = &job->ranks[rank];

	return r->state == VD_READ && !r->no_comms && !r->no_unexpected && !r->n_more && !r->no_operations &&
	       is_in_mpi(job, r);
}

/* Is the message one that MPI_Mprobe or MPI_Improbe has taken there? Then its sender waits for MPI_Mrecv. */
static bool is_held(const struct vd_op *there, int32_t sender, const struct vd_op *send)
{
	return there->kind == VD_PROBE && there->matched && there->comm == send->comm &&
	       (there->peer == VD_ANY || there->peer == sender) && tags_match(there, send);
}

static bool is_held_there(const struct vd_job *job, int32_t sender, const struct vd_op *send)
{
	const struct vd_rank *r = &job->ranks[send->peer];

	for (size_t i = r->first_op; i < r->first_op + r->n_ops; i++)
		if (is_held(&job->ops[i], sender, send))
			return true;
	return false;
}

/*
 * A message without a receive is in the queue of a receiver that is in MPI. If it is
 * not there, it has not arrived, or it was received and the sender does not know yet.
 */
static bool is_on_its_way(const struct vd_job *job, int32_t rank, const struct vd_op *send)
{
	if (send->peer < 0 || (size_t)send->peer >= job->n_ranks)
		return false;
	const struct vd_rank *r = &job->ranks[send->peer];
	if (r->n_more || r->n_more_receives)
		return true; /* it is unknown whether it is in the queue, or has a receive */
	if (!vd_shows_arrivals(job, send->peer))
		return false;
	for (size_t i = r->first_op; i < r->first_op + r->n_ops; i++) {
		const struct vd_op *o = &job->ops[i];
		bool arrived = o->kind == VD_MESSAGE && o->comm == send->comm && o->tag == send->tag &&
			       o->internal == send->internal && (o->peer == rank || o->peer == VD_UNKNOWN);
		if (arrived || is_held(o, rank, send))
			return false;
	}
	return true;
}

/* May the send be one that the snapshot has only counted? */
static bool may_be_sent(const struct vd_matching *m, int32_t from)
{
	return from == VD_ANY ? m->more_sends
			      : from >= 0 && (size_t)from < m->job->n_ranks && m->job->ranks[from].n_more_sends;
}

bool vd_is_matched(const struct vd_matching *m, int32_t rank, const struct vd_op *op)
{
	if (op->matched || op->inactive)
		return true;
	if (op->comm == VD_UNKNOWN || op->peer == VD_UNKNOWN)
		return false;
	if (receives(op))
		return has_arrived(m->job, rank, op) || other_side(m, true, op->peer, rank, op) ||
		       may_be_sent(m, op->peer);
	if (op->kind == VD_SEND)
		return other_side(m, false, rank, op->peer, op) || other_side(m, false, VD_ANY, op->peer, op) ||
		       is_on_its_way(m->job, rank, op);
	return false;
}

/* Mark the ranks to which messages are on their way. @return false: out of memory */
static bool find_coming(struct vd_matching *m)
{
	const struct vd_job *job = m->job;

	m->coming = calloc(job->n_ranks + 1, sizeof(*m->coming));
	if (!m->coming)
		return false;
	m->any_coming = m->more_sends;
	for (size_t i = 0; i < job->n_ranks; i++)
		m->any_coming |= job->ranks[i].no_operations;
	for (size_t i = 0; i < job->n_ops; i++) {
		const struct vd_op *op = &job->ops[i];
		if (op->kind != VD_SEND || op->matched || op->inactive)
			continue;
		if (op->peer < 0 || (size_t)op->peer >= job->n_ranks)
			m->any_coming |= op->absent < 0;
		else
			m->coming[op->peer] |= is_on_its_way(job, m->owner[i], op);
	}
	return true;
}

bool vd_any_may_come(struct vd_matching *m, int32_t rank)
{
	if (!m->coming && !find_coming(m))
		return true;
	return m->any_coming || m->coming[rank] || !vd_shows_arrivals(m->job, rank);
}

/* ---- near matches ------------------------------------------------------------------------------------ */

static enum vd_field difference(const struct vd_op *wanted, const struct vd_op *sent, int32_t sender)
{
	bool comm = wanted->comm == sent->comm, tag = wanted->tag == VD_ANY_TAG || wanted->tag == sent->tag;
	bool source = wanted->peer == VD_ANY || wanted->peer == sender;

	if (comm && source && !tag)
		return VD_FIELD_TAG;
	if (!comm && source && tag)
		return VD_FIELD_COMM;
	if (comm && !source && tag)
		return VD_FIELD_SOURCE;
	return VD_FIELD_NONE;
}

static void look_for_match(const struct vd_matching *m, int32_t owner, int32_t to, const struct vd_op *wanted,
			   const struct vd_op **best, enum vd_field *field, int32_t *there_rank)
{
	const struct vd_rank *r = &m->job->ranks[owner];
	size_t n = r->n_ops < NEAR_MAX ? r->n_ops : NEAR_MAX;

	for (size_t i = r->first_op; i < r->first_op + n; i++) {
		const struct vd_op *o = &m->job->ops[i];
		bool message = owner == to && o->kind == VD_MESSAGE;
		bool send = o->kind == VD_SEND && o->peer == to && is_open(o);
		if (o->internal || o->of_leaders || o->comm == VD_UNKNOWN || (!message && !send))
			continue;
		int32_t sender = message ? o->peer : owner;
		enum vd_field f = difference(wanted, o, sender);
		if (f == VD_FIELD_NONE || (*best && f >= *field) || (send && is_held_there(m->job, owner, o)))
			continue;
		*best = o;
		*field = f;
		*there_rank = sender == VD_UNKNOWN ? owner : sender;
	}
}

/*
 * A message of the awaited sender that went to another rank: the one whose number in the communicator is the number of
 * this rank in its world. The two numbers were confused.
 */
static const struct vd_op *misdirected(const struct vd_matching *m, int32_t rank, const struct vd_op *wanted)
{
	const struct vd_job *job = m->job;
	const struct vd_comm *c = &job->comms[wanted->comm];
	int32_t number = job->ranks[rank].rank,
		other = c->members && !c->inter && number < c->n ? c->members[number] : -1;

	if (wanted->peer < 0 || other < 0 || (size_t)other >= job->n_ranks || other == rank)
		return NULL;
	for (int k = 0; k < 2; k++) { /* messages that have arrived there, sends that are pending */
		int32_t owner = k ? wanted->peer : other;
		const struct vd_rank *r = &job->ranks[owner];
		size_t n = r->n_ops < NEAR_MAX ? r->n_ops : NEAR_MAX;
		for (size_t i = r->first_op; i < r->first_op + n; i++) {
			const struct vd_op *o = &job->ops[i];
			if (o->kind == (k ? VD_SEND : VD_MESSAGE) && o->comm == wanted->comm && !o->internal &&
			    !o->of_leaders && o->peer == (k ? other : wanted->peer) && tags_match(wanted, o) &&
			    (!k || (is_open(o) && !vd_is_matched(m, owner, o))))
				return o;
		}
	}
	return NULL;
}

const struct vd_op *vd_near_match(const struct vd_matching *m, int32_t rank, const struct vd_op *wanted,
				  enum vd_field *field, int32_t *there_rank)
{
	const struct vd_op *best = NULL;

	if (!receives(wanted) || wanted->internal || wanted->comm == VD_UNKNOWN || wanted->peer == VD_UNKNOWN)
		return NULL;
	look_for_match(m, rank, rank, wanted, &best, field, there_rank);
	if (wanted->peer >= 0 && wanted->peer != rank)
		look_for_match(m, wanted->peer, rank, wanted, &best, field, there_rank);
	if (!best && (best = misdirected(m, rank, wanted))) {
		*field = VD_FIELD_DESTINATION;
		*there_rank = wanted->peer;
	}
	return best;
}
