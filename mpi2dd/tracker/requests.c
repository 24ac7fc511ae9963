/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests: how they are made and end, but for the usual way (request_table.h). Which record they have is in
 * request_slots.c and request_ring.c.
 */
#include "requests.h"

#include "../tables/info.h"
#include "arena.h"
#include "collectives.h"
#include "registry.h"
#include "request_ring.h"
#include "request_slots.h"
#include "where.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum { WALK_MAX = 1 << 16, RETRIES = 3 };

struct trk_table trk_no_table;

static bool multiple = true;

void trk_requests_started(int rc)
{
	int level = MPI_THREAD_MULTIPLE;

	if (rc == MPI_SUCCESS && m2d_pmpi.Query_thread && m2d_pmpi.Query_thread(&level) == MPI_SUCCESS)
		__atomic_store_n(&multiple, level == MPI_THREAD_MULTIPLE, __ATOMIC_RELAXED);
}

/* The thread's. NULL: it has made no request yet. */
static inline struct trk_table *table_of(const struct m2d_thread *t)
{
	struct trk_table *own = t->slot->table;

	return own == &trk_no_table ? NULL : own;
}

/* ---- lists of a record: where it was made, partitions. Never of a record that the usual way writes. ----- */

static void set_span(struct trk_span *span, struct trk_span to)
{
	span->addr = to.addr;
	trk_order();
	span->total = to.total;
	trk_order();
	span->n = to.n;
}

/* Before a record is used for another request. Within a call of our own the memory of its lists is not given back. */
static void drop_lists(struct trk_request *r)
{
	struct trk_span where = r->where, partitions = r->partitions;

	if (__builtin_expect(!where.total && !partitions.total, 1))
		return;
	r->where.n = r->partitions.n = 0;
	trk_order();
	r->where = r->partitions = (struct trk_span){ 0 };
	trk_order();
	if (!trk_lock())
		return;
	trk_span_drop(where);
	trk_span_drop(partitions);
	trk_unlock();
}

static void set_where(struct trk_request *r, const struct trk_frame *frame)
{
	if (!trk_lock())
		return;
	set_span(&r->where, trk_where(frame));
	trk_unlock();
}

/* The record for the next message of the usual way with this handle value; NULL: it is to be looked for. */
static void put_in_cache(struct trk_table *own, uint64_t handle, struct trk_request *r)
{
	*trk_request_place(own, handle) = (struct trk_request_place){ r ? handle : TRK_NO_HANDLE, r };
}

/* The list for one more with this shared value. */
static struct trk_request_list *list_for(struct trk_table *own, uint64_t handle, bool message)
{
	struct trk_request_list *l = &own->lists[trk_request_list_of(handle)];

	if (!message || (l->n_live && l->handle != handle))
		return l + TRK_REQUEST_LISTS;
	l->handle = handle;
	return l;
}

/* What follows from the end of an operation. MPI may crash when it is asked about what a failed one has not made. */
static __attribute__((noinline, cold)) void follow_slowly(const struct trk_request *r, bool failed)
{
	uint16_t collective = __atomic_load_n(&r->collective, __ATOMIC_RELAXED);

	if (collective)
		trk_coll_finished(r->comm, (enum trk_coll)(collective - 1));
	if (trk_request_flags(r) & TRK_REQ_MAKES_COMM && !failed && trk_comm_idup_done)
		trk_comm_idup_done(r);
}

static inline void follow(const struct trk_request *r, bool failed)
{
	if (__builtin_expect(
		    __atomic_load_n(&r->collective, __ATOMIC_RELAXED) || trk_request_flags(r) & TRK_REQ_MAKES_COMM, 0))
		follow_slowly(r, failed);
}

/* Threads that complete one of another's look at the items, too. */
static void set_item(struct trk_request_list *l, uint32_t i, struct trk_request *r)
{
	__atomic_store_n(&l->items[i], r, __ATOMIC_RELAXED);
}

/* What other threads have completed of this list is live no more; where they ended none, any one is. */
static void settle(struct trk_request_list *l)
{
	uint32_t n = 0, n_live = l->n_live;

	if (__atomic_load_n(&l->n_taken, __ATOMIC_RELAXED))
		n = __atomic_exchange_n(&l->n_taken, 0, __ATOMIC_ACQ_REL);
	/* not more than are counted: the others will be */
	for (uint32_t i = 0; n && i < n_live;) {
		struct trk_request *r = l->items[i];
		if (trk_request_state(r) == TRK_LIVE) {
			i++;
			continue;
		}
		set_item(l, i, l->items[--n_live]);
		set_item(l, n_live, r);
		n--;
	}
	__atomic_store_n(&l->n_live, n_live, __ATOMIC_RELEASE);
	for (; n && l->n_live; n--)
		trk_request_list_end(l);
}

/*
 * One of another thread's has ended; which one does not matter. The owner may end the same one or use it anew at that time: it
 * goes by the count, and ends another one in its place.
 */
static void take_from(struct trk_request_list *l, uint32_t n_live)
{
	struct trk_request **items = __atomic_load_n(&l->items, __ATOMIC_ACQUIRE);
	uint32_t n_taken = __atomic_load_n(&l->n_taken, __ATOMIC_RELAXED);

	for (uint32_t k = 0; k < n_live; k++) {
		struct trk_request *r = __atomic_load_n(&items[(n_taken + k) % n_live], __ATOMIC_RELAXED);
		if (trk_request_end_of_other(r))
			break;
	}
	__atomic_fetch_add(&l->n_taken, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&l->limit, 0, __ATOMIC_SEQ_CST);
}

/* Room for one more in a list. Memory that a list had before is not given back: nobody else looks, but the pool is simple. */
static bool make_room(struct trk_request_list *l)
{
	if (l->n_items < l->room)
		return true;
	uint32_t room = l->room ? 2 * l->room : TRK_REQUEST_FEW;
	struct trk_request **items = l->room ? trk_requests_memory(room * sizeof(*items)) : l->few;
	if (!items)
		return false;
	if (l->room)
		memcpy(items, l->items, l->n_items * sizeof(*items));
	__atomic_store_n(&l->items, items, __ATOMIC_RELEASE);
	l->room = room;
	return true;
}

/* A record for one more of a list. @return NULL: there is no room */
static struct trk_request *list_room(struct trk_table *own, struct trk_request_list *l)
{
	settle(l);
	if (l->n_live == l->n_items) {
		struct trk_request *r = make_room(l) ? trk_slot_take(own) : NULL;
		if (!r)
			return NULL;
		set_item(l, l->n_items++, r);
	}
	return l->items[l->n_live];
}

/* It is there. */
static void list_add(struct trk_request_list *l)
{
	__atomic_store_n(&l->n_live, l->n_live + 1, __ATOMIC_RELEASE);
	trk_list_open(l);
}

static bool born_shared(struct trk_table *own, const struct trk_frame *frame, uint64_t handle, unsigned flags)
{
	struct trk_request_list *l = list_for(own, handle, flags & TRK_BORN_MESSAGE);
	struct trk_request *r = list_room(own, l);

	if (!r)
		return false;
	drop_lists(r);
	trk_request_write_any(r, frame, handle, TRK_LIVE, flags | TRK_REQ_SHARED);
	list_add(l);
	/* complete at birth */
	follow(r, false);
	return true;
}

static bool born_alone(struct trk_table *t, const struct trk_frame *frame, uint64_t handle, unsigned flags)
{
	uint32_t i = *trk_chain_of(t->heads, handle);
	struct trk_request *ended = NULL;
	bool keeping = trk_requests_keep(t), places = trk_where_is_asked();
	unsigned n = 0;

	for (; i; i = trk_requests_chain[i]) {
		struct trk_request *r = &trk_requests[i - 1];
		if (r->handle != handle)
			continue;
		n++;
		if (!ended && (trk_request_state(r) != TRK_LIVE || !multiple))
			ended = r;
	}
	if (__builtin_expect(keeping, 0)) {
		/* out of its chain, so that it is not taken over */
		if (ended && trk_request_state(ended) != TRK_FREE) {
			trk_request_set_state(ended, TRK_FREED);
			trk_slot_unlink(t, ended);
			ended = NULL;
		}
		n = 2; /* never into the cache */
	}
	n = places ? 2 : n;
	/* with two of them the cache is no help: which one is meant is to be found out */
	put_in_cache(t, handle, NULL);
	struct trk_request *r = ended ? ended : trk_slot_take(t);
	if (!r)
		return false;
	drop_lists(r);
	trk_request_write_any(r, frame, handle, TRK_LIVE, flags);
	if (__builtin_expect(places, 0))
		set_where(r, frame);
	if (n == (ended ? 1 : 0) && flags & TRK_BORN_MESSAGE)
		put_in_cache(t, handle, r);
	if (!ended)
		trk_slot_link(t, r);
	return true;
}

/* Out of the ring: the first eight bytes come last, and whoever looks meanwhile finds one that is being written. */
static void move(struct trk_request *to, struct trk_request *from, unsigned flags)
{
	drop_lists(to);
	unsigned sequence = trk_request_write(to);

	trk_request_set_state(to, TRK_FREE);
	trk_order();
	memcpy((char *)to + sizeof(trk_request_word), (const char *)from + sizeof(trk_request_word),
	       sizeof(*to) - sizeof(trk_request_word));
	unsigned gone = trk_request_write(from);
	trk_request_written(to, sequence, TRK_LIVE, flags | trk_request_flags(from));
	trk_request_written(from, gone, TRK_FREE, 0);
}

/* In its chain: one that had this handle value, and has ended since the value has come again. */
static struct trk_request *find_earlier(struct trk_table *own, uint64_t handle)
{
	for (uint32_t i = *trk_chain_of(own->heads, handle); i; i = trk_requests_chain[i]) {
		struct trk_request *r = &trk_requests[i - 1];
		if (r->handle != handle)
			continue;
		TRK_ADD(own->slot->n_retired, trk_request_state(r) == TRK_LIVE);
		return r;
	}
	return NULL;
}

void trk_request_move_out(struct trk_table *own, struct trk_request *r)
{
	bool shared = trk_request_list_of(r->handle) >= 0;
	struct trk_request_list *l = shared ? list_for(own, r->handle, true) : NULL;
	struct trk_request *earlier = shared || trk_requests_keep(own) ? NULL : find_earlier(own, r->handle);
	struct trk_request *to = shared ? list_room(own, l) : earlier ? earlier : trk_slot_take(own);

	own->sum -= trk_request_term(r->handle);
	if (!to) {
		trk_request_set_state(r, TRK_FREE);
		TRK_COUNT(own->slot->n_retired);
		return;
	}
	move(to, r, shared ? TRK_REQ_SHARED : 0);
	if (shared) {
		list_add(l);
		return;
	}
	if (!earlier)
		trk_slot_link(own, to);
	put_in_cache(own, to->handle, own->keeping ? NULL : to);
}

/* The calling thread's table. @return NULL: it has none, so the request is not recorded, which is counted */
static struct trk_table *own_table(struct m2d_thread *t)
{
	static bool given;

	if (t->number >= TRK_THREADS) {
		__atomic_fetch_add(&trk_requests_slab->n_dropped, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	struct trk_table *own = &trk_tables[t->number];
	if (!own->heads) {
		own->few.heads.mask = TRK_REQUEST_FIRST - 1;
		own->slot = t->slot;
		own->message = trk_request_message(1, TRK_LIVE);
		put_in_cache(own, 0, NULL);
		/* the first thread that makes a request may have rounds, when no other one calls at the same time */
		own->alone = !multiple && !__atomic_exchange_n(&given, true, __ATOMIC_RELAXED);
		own->ring.n_wanted = 1;
		__atomic_store_n(&own->heads, &own->few.heads, __ATOMIC_RELEASE);
	}
	t->slot->table = own;
	return own;
}

/* The registry is set up by whoever needs it first. */
static bool is_set_up(void)
{
	static bool asked;

	if (__atomic_load_n(&trk_requests, __ATOMIC_ACQUIRE))
		return true;
	if (__atomic_exchange_n(&asked, true, __ATOMIC_RELAXED))
		return false;
	if (trk_lock())
		trk_unlock();
	return __atomic_load_n(&trk_requests, __ATOMIC_ACQUIRE);
}

void trk_request_born(const struct trk_frame *frame, uint64_t handle, unsigned flags)
{
	struct m2d_thread *t = &m2d_thread;

	if (!is_set_up())
		return;
	if (!(flags & TRK_REQ_PERSISTENT))
		flags |= TRK_REQ_ACTIVE;
	struct trk_table *own = table_of(t) ? table_of(t) : own_table(t);
	if (flags >> TRK_BORN_CLASS_SHIFT && !(flags & TRK_REQ_PERSISTENT))
		trk_coll_begun(frame->comm, (enum trk_coll)((flags >> TRK_BORN_CLASS_SHIFT) - 1));
	if (!own)
		return;
	bool done = trk_request_list_of(handle) >= 0 ? born_shared(own, frame, handle, flags)
						     : born_alone(own, frame, handle, flags);
	TRK_ADD(t->slot->n_born, done);
}

void trk_request_born_slowly(struct trk_thread *slot, unsigned call, uint64_t handle)
{
	struct trk_frame *frame = slot->frames;

	if (frame->has & TRK_HAS_NEXT) {
		struct trk_arguments *arguments = trk_arguments_at(slot->next);
		arguments->caller = frame->caller;
		trk_arguments_copy(&frame->comm, &arguments->comm);
		trk_has(frame, TRK_HAS_MESSAGE);
	}
	if (trk_where_is_asked()) {
		trk_request_born(frame, handle, TRK_BORN_MESSAGE);
	} else if (slot->limit && trk_ring_room(slot->table)) {
		struct trk_request *r = trk_record_with(slot->next);
		trk_arguments_copy(&r->comm, &frame->comm);
		trk_request_write_next(r, slot->table->in_round, call, handle);
		TRK_ADD(slot->table->sum, trk_request_term(handle));
		TRK_COUNT(slot->n_born);
		TRK_PUT(slot->next, trk_next_in(r + 1));
	} else if (!trk_request_born_known(slot, call, handle)) {
		trk_request_born(frame, handle, TRK_BORN_MESSAGE);
	}
}

/* ---- end ---------------------------------------------------------------------------------------------- */

/*
 * The live record with this handle value. At MPI_THREAD_MULTIPLE there may be two for a moment, when the library gave
 * the value out again before the thread that completed the request could say so: then it is the older one.
 */
static struct trk_request *find_own(struct trk_table *t, uint64_t handle)
{
	struct trk_request *found = NULL;

	for (uint32_t i = *trk_chain_of(t->heads, handle); i; i = trk_requests_chain[i]) {
		struct trk_request *r = &trk_requests[i - 1];
		if (r->handle != handle || trk_request_state(r) != TRK_LIVE)
			continue;
		if (!multiple)
			return r;
		found = r;
	}
	if (!found && t->alone && t->slot->limit) {
		trk_ring_close(t);
		return find_own(t, handle);
	}
	return found;
}

static struct trk_request *find_other(struct trk_table *t, uint64_t handle)
{
	if (t->alone)
		return find_own(t, handle);
	for (int turn = 0; turn < RETRIES; turn++) {
		uint32_t changes = __atomic_load_n(&t->changes, __ATOMIC_ACQUIRE);
		struct trk_request_heads *h = __atomic_load_n(&t->heads, __ATOMIC_ACQUIRE);
		struct trk_request *found = NULL;
		uint32_t i = __atomic_load_n(trk_chain_of(h, handle), __ATOMIC_ACQUIRE);
		for (int n = 0; i && n < WALK_MAX; n++, i = __atomic_load_n(&trk_requests_chain[i], __ATOMIC_ACQUIRE))
			if (__atomic_load_n(&trk_requests[i - 1].handle, __ATOMIC_RELAXED) == handle &&
			    trk_request_state(&trk_requests[i - 1]) == TRK_LIVE)
				found = &trk_requests[i - 1];
		if (found)
			return found;
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		if (changes % 2 == 0 && changes == __atomic_load_n(&t->changes, __ATOMIC_ACQUIRE))
			return NULL;
	}
	return NULL;
}

/* In the tables of other threads, beginning with the one where it was found last. */
static __attribute__((noinline, cold)) struct trk_request *find_elsewhere(const struct m2d_thread *t, uint64_t handle)
{
	static __thread unsigned last __attribute__((tls_model("initial-exec")));

	for (unsigned n = 0; n < TRK_THREADS; n++) {
		unsigned i = (last + n) % TRK_THREADS;
		if (&trk_tables[i] == table_of(t) || !__atomic_load_n(&trk_tables[i].heads, __ATOMIC_ACQUIRE))
			continue;
		struct trk_request *r = find_other(&trk_tables[i], handle);
		if (r) {
			last = i;
			return r;
		}
	}
	return NULL;
}

static inline struct trk_request *find(const struct m2d_thread *t, uint64_t handle)
{
	struct trk_table *own = table_of(t);
	struct trk_request *r = own ? find_own(own, handle) : NULL;

	return __builtin_expect(r != NULL, 1) ? r : find_elsewhere(t, handle);
}

/* One of a shared value was completed: our own, or one of another thread's. @return is there one? */
static bool end_shared(const struct m2d_thread *t, int list)
{
	struct trk_table *own = table_of(t);
	struct trk_request_list *l = own ? &own->lists[list] : NULL;

	if (l) {
		settle(l);
		trk_list_open(l);
	}
	if (l && l->n_live) {
		trk_request_list_end(l);
		return true;
	}
	for (unsigned i = 0; i < TRK_THREADS; i++) {
		l = &trk_tables[i].lists[list];
		uint32_t n_live = __atomic_load_n(&l->n_live, __ATOMIC_ACQUIRE);
		if (i == t->number || n_live <= __atomic_load_n(&l->n_taken, __ATOMIC_RELAXED))
			continue;
		if (multiple)
			take_from(l, n_live);
		else
			trk_request_list_end(l);
		return true;
	}
	return false;
}

/* The table with a ring, whosever it is: what is in it can be found from now on. @return is there one that was open? */
static bool close_rings(void)
{
	bool ret = false;

	for (unsigned i = 0; i < TRK_THREADS && !multiple; i++) {
		if (!trk_tables[i].alone || !trk_tables[i].slot->limit)
			continue;
		trk_ring_close(&trk_tables[i]);
		ret = true;
	}
	return ret;
}

static __attribute__((noinline)) void end_slowly(struct m2d_thread *t, uint64_t handle, bool gone, unsigned flags)
{
	if (!__atomic_load_n(&trk_requests, __ATOMIC_ACQUIRE))
		return;
	int list = trk_request_list_of(handle);
	if (list >= 0) {
		bool one = end_shared(t, list + TRK_REQUEST_LISTS) || end_shared(t, list);
		if (!one && close_rings())
			one = end_shared(t, list);
		TRK_ADD(t->slot->n_retired, one);
		return;
	}
	struct trk_request *own = NULL, *r = NULL;
	for (int turn = 0; turn < RETRIES && !r; turn++) {
		own = table_of(t) ? find_own(table_of(t), handle) : NULL;
		r = own ? own : find_elsewhere(t, handle);
		if (!r)
			return;
		/*
		 * Another thread may have found the same one: when the library gives a value out again before the thread
		 * that completed the first request says so, two have it, and each end takes one of them.
		 */
		uint8_t live = TRK_LIVE; /* no rounds at that level */
		if (gone && multiple &&
		    !__atomic_compare_exchange_n(&r->state, &live, TRK_FREE, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			r = NULL;
	}
	if (!r)
		return;
	bool was_active = trk_request_flags(r) & TRK_REQ_ACTIVE;
	if (was_active && !(flags & TRK_REQ_FREE_CALLED))
		follow(r, flags & TRK_GONE_FAILED);
	if (!gone && trk_request_flags(r) & TRK_REQ_PERSISTENT) {
		__atomic_fetch_and(&r->flags, (uint8_t)~TRK_REQ_ACTIVE, __ATOMIC_RELAXED);
		return;
	}
	if (flags && was_active)
		__atomic_fetch_or(&r->flags, (uint8_t)flags, __ATOMIC_RELAXED);
	__atomic_store_n(&r->state, TRK_FREED, __ATOMIC_RELEASE);
	TRK_COUNT(t->slot->n_retired);
	if (own && flags & TRK_REQ_FREE_CALLED && !trk_requests_keep(table_of(t)))
		trk_slot_keep(table_of(t), r);
}

void trk_request_done(struct m2d_thread *t, uint64_t handle)
{
	end_slowly(t, handle, false, 0);
}

void trk_request_gone(struct m2d_thread *t, uint64_t handle, unsigned flags)
{
	if (__builtin_expect(!flags && trk_request_end_message(t->slot, handle), 1))
		TRK_COUNT(t->slot->n_retired);
	else
		end_slowly(t, handle, true, flags);
}

void trk_request_failed(MPI_Request was, int rc)
{
	struct m2d_thread *t = &m2d_thread;
	int class = m2d_calls_error_class(rc);

	if (was == m2d_constants.request_null || !__atomic_load_n(&trk_requests, __ATOMIC_ACQUIRE))
		return;
	/* of the call: the request was not looked at */
	if (class == MPI_ERR_REQUEST || class == MPI_ERR_ARG || class == MPI_ERR_PENDING)
		return;
	struct trk_request *r = trk_request_list_of(TRK_BITS(was)) < 0 ? find(t, TRK_BITS(was)) : NULL;
	if (r && trk_request_flags(r) & TRK_REQ_PERSISTENT && trk_request_flags(r) & TRK_REQ_ACTIVE)
		end_slowly(t, TRK_BITS(was), false, TRK_GONE_FAILED);
}

void trk_completed_all(int n, const MPI_Request was[], const MPI_Request is[])
{
	struct m2d_thread *t = &m2d_thread;

	for (int i = 0; i < n; i++)
		trk_completed(t, was[i], is[i], false);
}

void trk_completed_slowly(const struct trk_frame *frame, const MPI_Request was[], size_t n_left)
{
	size_t n_done = (size_t)frame->count - n_left;

	trk_completed_all((int)n_left, was + n_done, (const MPI_Request *)frame->requests + n_done);
}

void trk_request_mark(struct m2d_thread *t, uint64_t handle, unsigned flags)
{
	if (!__atomic_load_n(&trk_requests, __ATOMIC_ACQUIRE) || trk_request_list_of(handle) >= 0)
		return;
	struct trk_request *r = find(t, handle);
	if (!r)
		return;
	/* started anew */
	if (flags & TRK_REQ_ACTIVE) {
		__atomic_fetch_and(&r->flags, (uint8_t)~TRK_REQ_CANCELLED, __ATOMIC_RELAXED);
		if (r->partitions.n)
			memset(trk_span_at(r->partitions), 0, r->partitions.n);
	}
	/* MPI_Grequest_complete may come from another thread than the one that waits */
	__atomic_fetch_or(&r->flags, (uint8_t)flags, __ATOMIC_RELAXED);
	if (flags & TRK_REQ_ACTIVE) {
		if (r->collective)
			trk_coll_begun(r->comm, (enum trk_coll)(r->collective - 1));
	}
}

void trk_request_partitions(struct m2d_thread *t, uint64_t handle, int partitions)
{
	if (!__atomic_load_n(&trk_requests, __ATOMIC_ACQUIRE) || trk_request_list_of(handle) >= 0)
		return;
	struct trk_request *r = find(t, handle);
	if (!r || !(trk_request_flags(r) & TRK_REQ_PERSISTENT))
		return;
	r->op = (uint64_t)partitions;
	if (trk_lock()) {
		struct trk_span each;
		trk_span_new(&each, (size_t)partitions, 1, 0);
		set_span(&r->partitions, each);
		trk_unlock();
	}
	/* with the flag the number is there */
	__atomic_fetch_or(&r->flags, (uint8_t)TRK_REQ_PARTITIONED, __ATOMIC_RELEASE);
}

/* Of an active or inactive partitioned request, a byte for each. @return NULL: it is none, or they are not recorded */
static uint8_t *partitions_of(struct m2d_thread *t, uint64_t handle, uint32_t *n)
{
	struct trk_request *r = __atomic_load_n(&trk_requests, __ATOMIC_ACQUIRE) ? find(t, handle) : NULL;

	if (!r || !(trk_request_flags(r) & TRK_REQ_PARTITIONED))
		return NULL;
	*n = r->partitions.n;
	return trk_span_at(r->partitions);
}

void trk_request_partition(struct m2d_thread *t, uint64_t handle, int first, int last)
{
	uint32_t n;
	uint8_t *each = first < 0 ? NULL : partitions_of(t, handle, &n);

	for (uint32_t i = (uint32_t)first; each && i < n && i <= (uint32_t)last; i++)
		TRK_PUT(each[i], 1);
}

void trk_request_partition_list(struct m2d_thread *t, uint64_t handle, int n_done, const int done[])
{
	uint32_t n;
	uint8_t *each = n_done > 0 ? partitions_of(t, handle, &n) : NULL;

	for (int i = 0; each && i < n_done; i++)
		if (done[i] >= 0 && (uint32_t)done[i] < n)
			TRK_PUT(each[done[i]], 1);
}

const struct trk_request *trk_request_look(const struct m2d_thread *t, uint64_t handle, bool *shared)
{
	*shared = trk_request_list_of(handle) >= 0;
	if (*shared || !__atomic_load_n(&trk_requests, __ATOMIC_ACQUIRE))
		return NULL;
	const struct trk_request *own = table_of(t) ? find_own(table_of(t), handle) : NULL;
	return own ? own : find_elsewhere(t, handle);
}

/* What one thread has born another may retire, and both count on while we add up. */
uint64_t trk_requests_n_live(void)
{
	uint64_t retired = trk_threads_sum(offsetof(struct trk_thread, n_retired));
	uint64_t born = trk_threads_sum(offsetof(struct trk_thread, n_born));

	return born > retired ? born - retired : 0;
}

/*
 * The thread whose request it is may be writing to its record. It does not write this handle: the program does not know the
 * new object yet. So the word is as that thread leaves it, or it is the number; a word is written in one piece, and that is
 * what ThreadSanitizer cannot know of its owner's plain stores.
 */
__attribute__((noinline, no_sanitize("thread"))) static void name_by_number(uint64_t *field, uint64_t handle,
									    uint64_t id)
{
	uint64_t is = handle;

	if (__atomic_load_n(field, __ATOMIC_RELAXED) == handle)
		__atomic_compare_exchange_n(field, &is, TRK_BY_NUMBER | id, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void trk_requests_name(enum trk_kind kind, uint64_t handle, uint64_t id)
{
	enum { LOOKED_AT = 4096 };

	if (!__atomic_load_n(&trk_requests, __ATOMIC_ACQUIRE) || !trk_requests_n_live())
		return;
	uint32_t high = __atomic_load_n(&trk_requests_slab->high, __ATOMIC_ACQUIRE);
	for (uint32_t i = 0; i < high && i < LOOKED_AT; i++) {
		struct trk_request *r = &trk_requests[i];

		if (trk_request_state(r) != TRK_LIVE)
			continue;
		if (kind == TRK_DATATYPE) {
			name_by_number(&r->datatype, handle, id);
			name_by_number(&r->second_datatype, handle, id);
		} else if (kind == TRK_OP && __atomic_load_n(&r->has, __ATOMIC_RELAXED) & TRK_HAS_OBJECT)
			name_by_number(&r->op, handle, id);
		else if (trk_request_object_kind(r) == kind)
			name_by_number(&r->comm, handle, id);
	}
}

int trk_requests_release(uint64_t handle)
{
	int n = 0;

	for (uint32_t i = 0; trk_requests && i < __atomic_load_n(&trk_requests_slab->high, __ATOMIC_ACQUIRE); i++) {
		uint8_t was = __atomic_load_n(&trk_requests[i].state, __ATOMIC_RELAXED);

		n += __atomic_load_n(&trk_requests[i].handle, __ATOMIC_RELAXED) == handle &&
		     trk_request_state(&trk_requests[i]) == TRK_FREED &&
		     __atomic_compare_exchange_n(&trk_requests[i].state, &was, TRK_FREE, false, __ATOMIC_ACQ_REL,
						 __ATOMIC_RELAXED);
	}
	/* A debugger is there: all births take the slow way now, which finds that out. */
	for (unsigned k = 0; k < TRK_THREADS; k++) {
		if (!__atomic_load_n(&trk_tables[k].heads, __ATOMIC_ACQUIRE))
			continue;
		if (trk_tables[k].alone && trk_tables[k].slot->limit)
			TRK_PUT(trk_tables[k].slot->limit, 1);
		for (unsigned i = 0; i < 1u << TRK_REQUEST_CACHE_BITS; i++)
			__atomic_store_n(&trk_tables[k].cache[i].handle, TRK_NO_HANDLE, __ATOMIC_RELAXED);
	}
	return n;
}

unsigned trk_requests_live(uint64_t handle)
{
	unsigned n = 0;

	for (uint32_t i = 0; trk_requests && i < trk_requests_slab->high; i++)
		n += trk_request_state(&trk_requests[i]) == TRK_LIVE &&
		     __atomic_load_n(&trk_requests[i].handle, __ATOMIC_RELAXED) == handle;
	return n;
}
