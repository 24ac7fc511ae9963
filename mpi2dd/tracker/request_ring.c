/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rounds and the ring. Only one table has them, and no thread calls MPI at the same time as another: whoever looks for a
 * request may change the table, whosever it is.
 */
#include "request_ring.h"

#include "request_slots.h"
#include "requests.h"
#include "where.h"

/*
 * RING: records of the first ring. PART: so many are used before it begins anew, so that what has ended stays known for a
 * while and few lines of the processor's cache are touched. Of those that are live then one in MOVED is moved away; when
 * there are more, more records are used. A ring that has become too small is replaced by one of LARGER times the size, up to
 * one OF_ALL of all records.
 */
enum { RING = 1024, PART = 320, MOVED = 8, LARGER = 4, OF_ALL = 4 };

/* Each time when it is closed it takes twice as many arrays to open it again, up to so many. */
enum { WANTED_MAX = 64 };

static bool is_in_round(const struct trk_request *r)
{
	return trk_request_in_round(__atomic_load_n(&r->state, __ATOMIC_RELAXED));
}

/* The next one to be written. */
static struct trk_request *next_of(const struct trk_table *own)
{
	return trk_record_with(own->slot->next);
}

/* ---- rounds ------------------------------------------------------------------------------------------- */

/* Those up to here may have been used since the numbers of rounds began. */
static void set_part(struct trk_table *own, struct trk_request *part)
{
	own->ring.part = part;
	own->n_records = (uint32_t)(part - own->ring.first);
}

/* Of no round any more: all have ended. */
static void forget_rounds(struct trk_table *own)
{
	__atomic_store_n(&trk_requests_slab->round, 0, __ATOMIC_SEQ_CST);
	for (struct trk_request *r = own->ring.first; r < own->ring.part; r++)
		if (__atomic_load_n(&r->state, __ATOMIC_RELAXED) >> TRK_ROUND_SHIFT)
			trk_request_set_state(r, TRK_FREED);
}

void trk_round_first(struct trk_table *own)
{
	forget_rounds(own);
	/* not when MPI2DD_release() has just been there (requests.c) */
	if (own->slot->limit > (uintptr_t)own->ring.first)
		set_part(own, trk_record_with(own->slot->limit));
	trk_round_begin(own, 1);
}

/* How many of these handles have this value? */
static uint32_t count(uint64_t handle, int n, const MPI_Request requests[])
{
	uint32_t ret = 0;

	for (int i = 0; i < n; i++)
		ret += TRK_BITS(requests[i]) == handle;
	return ret;
}

void trk_round_left(struct trk_thread *slot, int n, const MPI_Request requests[])
{
	struct trk_table *own = slot->table;

	for (struct trk_request *r = own->ring.first, *next = next_of(own); slot->limit && r < next; r++) {
		if (!is_in_round(r))
			continue;
		/* of those with a shared value as many are left, whichever they are */
		uint32_t left = count(r->handle, n, requests);
		for (const struct trk_request *k = own->ring.first; left && k < r; k++)
			left -= is_in_round(k) && k->handle == r->handle;
		if (left)
			continue;
		own->sum -= trk_request_term(r->handle);
		trk_request_set_state(r, TRK_FREED);
		TRK_COUNT(slot->n_retired);
	}
}

/* ---- the ring ----------------------------------------------------------------------------------------- */

/* For the thread's next message. The arguments of a call that has begun go there, too. */
static void set_next(struct trk_table *own, uint64_t *next)
{
	struct trk_thread *slot = own->slot;

	if (trk_depth(slot) && slot->frames[0].has & TRK_HAS_NEXT) {
		trk_arguments_at(slot->next)->caller = slot->frames[0].caller;
		trk_arguments_copy(next, &trk_arguments_at(slot->next)->comm);
	}
	trk_order();
	TRK_PUT(slot->next, (uintptr_t)next);
}

/* So many records of the ring are used from now on. */
static void use(struct trk_table *own, size_t n)
{
	size_t all = (size_t)(own->ring.end - own->ring.first);
	struct trk_request *limit = own->ring.first + (n < all ? n : all - 1);

	if (limit > own->ring.part)
		set_part(own, limit);
	TRK_PUT(own->slot->limit, trk_next_in(limit));
}

/* Nothing in it is live. */
static void begin_anew(struct trk_table *own)
{
	set_next(own, &own->ring.first->comm);
	own->ring.hint = own->ring.first;
	use(own, PART);
}

/* A new one, with its first round; nothing is live in the one before, whose records are like others from now on. */
static bool make(struct trk_table *own, size_t n)
{
	struct trk_request *first = trk_slots_take(own, (uint32_t)n);

	if (!first)
		return false;
	if (own->ring.first) {
		forget_rounds(own);
		trk_slots_give(own->ring.first, own->ring.end);
	}
	own->ring.first = own->ring.part = own->ring.hint = first;
	own->ring.end = first + n;
	trk_requests_slab->writer = (uint32_t)(own->slot - trk_threads) + 1;
	trk_round_begin(own, 1);
	return true;
}

void trk_ring_turn(struct trk_table *own, uint64_t n)
{
	size_t all = (size_t)(own->ring.end - own->ring.first), twice = 2 * (size_t)n + 2;

	if (own->slot->limit < own->slot->next) {
		/* MPI2DD_release() was there: the next message finds out what that means */
		set_next(own, &own->ring.first->comm);
		own->ring.hint = own->ring.first;
		return;
	}
	/* what has ended last is not written over by as many more */
	if (twice > all && all * LARGER <= trk_requests_n / OF_ALL)
		make(own, all * LARGER);
	begin_anew(own);
	if (twice > PART)
		use(own, twice);
}

static void move_out(struct trk_table *own)
{
	struct trk_request *next = next_of(own);

	for (struct trk_request *r = own->ring.first; r < next; r++)
		if (is_in_round(r))
			trk_request_move_out(own, r);
}

void trk_ring_close(struct trk_table *own)
{
	if (!own->slot->limit)
		return;
	move_out(own);
	set_next(own, &own->slot->frames[0].comm);
	TRK_PUT(own->slot->limit, 0);
	own->ring.n_many = 0;
	if (own->ring.n_wanted < WANTED_MAX)
		own->ring.n_wanted *= 2;
}

void trk_ring_want(struct trk_thread *slot)
{
	struct trk_table *own = slot->table;
	uint32_t n = trk_requests_n / OF_ALL / TRK_REQUEST_CHUNK * TRK_REQUEST_CHUNK;

	if (!own->alone || slot->limit || trk_where_is_asked() || ++own->ring.n_many < own->ring.n_wanted || n < PART ||
	    trk_requests_keep(own))
		return;
	if (own->ring.first) {
		/* few at first, again */
		forget_rounds(own);
		set_part(own, own->ring.first);
		trk_round_begin(own, 1);
	} else if (!make(own, n < RING ? n : RING)) {
		return;
	}
	own->ring.turn = 0;
	begin_anew(own);
}

bool trk_ring_room(struct trk_table *own)
{
	size_t n_used = (size_t)(next_of(own) - own->ring.first), n_live = 0;
	size_t all = (size_t)(own->ring.end - own->ring.first);

	if (own->slot->next + sizeof(struct trk_request) < own->slot->limit)
		return true;
	for (size_t i = 0; i < n_used; i++)
		n_live += is_in_round(&own->ring.first[i]);
	bool many = n_live * MOVED > n_used, used = own->ring.turn != trk_requests_slab->round;
	/* nobody has ended a round since it was full last, or a debugger wants to keep what has ended */
	if ((!many && !used) || trk_requests_keep(own)) {
		trk_ring_close(own);
		return false;
	}
	own->ring.turn = trk_requests_slab->round;
	if (many && n_used + 2 < all) {
		use(own, n_used > PART ? 2 * n_used : 2 * PART);
		return true;
	}
	move_out(own);
	if (many && all * LARGER <= trk_requests_n / OF_ALL && make(own, all * LARGER))
		own->ring.turn = 0;
	begin_anew(own);
	return true;
}
