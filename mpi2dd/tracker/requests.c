/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables of requests. A table belongs to a slot of threads: its thread inserts and unlinks, others only look. Slots of
 * the slab are handed to tables in chunks. Numbers of records count from 1 in chains; 0 ends them.
 * The usual way does not follow chains (request_table.h).
 */
#include "requests.h"

#include "../../include/mpi2dd.h"
#include "../tables/info.h"
#include "collectives.h"
#include "registry.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum { CHUNK = 64, WALK_MAX = 1 << 16, RETRIES = 3 };

static struct trk_table tables[TRK_THREADS];
struct trk_table trk_no_table;

static struct trk_request *records;
static uint32_t *chain;       /* what comes after each record in its chain */
static char *pool, *pool_end; /* for heads and lists */
static uint32_t capacity;
struct trk_slab *trk_requests_slab;
static bool multiple = true;

/* Owner of each chunk: number of the table + 1. */
enum { CHUNKS_MAX = 1 << 14 };
static uint16_t owners[CHUNKS_MAX];

/*
 * Heads of a table with k records take 4 * k bytes, and those before them half of that each: 8 * k for all. A list of k
 * records has room for 2 * k, and had half of that before: 4 * k pointers. All tables together have no more records than
 * there are.
 */
static size_t pool_bytes(uint32_t n)
{
	return (8 + 4 * sizeof(struct trk_request *)) * (size_t)n + TRK_THREADS * sizeof(struct trk_request_heads);
}

static size_t chain_bytes(uint32_t n)
{
	return (((size_t)n + 1) * sizeof(*chain) + 7) / 8 * 8;
}

size_t trk_requests_aside(uint32_t n)
{
	return chain_bytes(n) + pool_bytes(n);
}

uint32_t trk_requests_capacity(uint64_t wanted)
{
	uint64_t n = (wanted + CHUNK - 1) / CHUNK * CHUNK;

	return n > CHUNKS_MAX * CHUNK ? CHUNKS_MAX * CHUNK : (uint32_t)n;
}

void trk_requests_setup(struct trk_request *r, uint32_t n, struct trk_slab *s, void *aside)
{
	capacity = n;
	trk_requests_slab = s;
	chain = aside;
	pool = (char *)aside + chain_bytes(n);
	pool_end = pool + pool_bytes(n);
	__atomic_store_n(&records, r, __ATOMIC_RELEASE);
}

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

static inline uint32_t hash(const struct trk_request_heads *h, uint64_t handle)
{
	return (uint32_t)(handle * UINT64_C(0x9e3779b97f4a7c15) >> 40) & h->mask;
}

/* ---- rounds ------------------------------------------------------------------------------------------- */

/* Whose requests they are: a table that has some. */
static struct trk_table *owner_of(const struct trk_request *r)
{
	uint16_t owner = __atomic_load_n(&owners[(size_t)(r - records) / CHUNK], __ATOMIC_RELAXED);

	return &tables[owner - 1];
}

/* The first thread that makes a request has rounds, when no other one calls at the same time. */
static void begin_rounds(struct trk_table *own)
{
	static bool given;

	if (multiple || __atomic_exchange_n(&given, true, __ATOMIC_RELAXED)) {
		own->message = trk_request_message(TRK_LIVE);
		return;
	}
	own->rounds = true;
	trk_round_begin(own, 1);
}

void trk_round_first(struct trk_table *own)
{
	__atomic_store_n(&trk_requests_slab->round, 0, __ATOMIC_SEQ_CST);
	for (uint32_t i = 0; i < trk_requests_slab->high; i++)
		if (__atomic_load_n(&records[i].state, __ATOMIC_RELAXED) >> TRK_ROUND_SHIFT)
			trk_request_set_state(&records[i], TRK_FREED);
	trk_round_begin(own, 1);
}

void trk_round_sum(struct trk_table *own)
{
	own->n_others = 0;
	own->sum = 0;
	for (uint32_t i = 0; i < trk_requests_slab->high; i++)
		if (trk_request_in_round(__atomic_load_n(&records[i].state, __ATOMIC_RELAXED)) &&
		    !(records[i].flags & TRK_REQ_SHARED))
			own->sum += trk_request_term(records[i].handle);
}

/* It has ended, by itself: out of the round. Not of shared ones. */
static void set_ended(struct trk_request *r)
{
	if (trk_request_in_round(__atomic_load_n(&r->state, __ATOMIC_RELAXED)))
		TRK_ADD(owner_of(r)->sum, -trk_request_term(r->handle));
	__atomic_store_n(&r->state, TRK_FREED, __ATOMIC_RELEASE);
}

/* Write it, and count it to the round when it belongs to it. */
static void write_any(struct trk_table *own, struct trk_request *r, const struct trk_frame *frame, uint64_t handle,
		      unsigned flags)
{
	unsigned state = TRK_LIVE;

	if (flags & TRK_BORN_IN_ROUND && own->rounds) {
		state |= trk_requests_slab->round << TRK_ROUND_SHIFT;
		own->sum += flags & TRK_REQ_SHARED ? 0 : trk_request_term(handle);
	}
	trk_request_write_any(r, frame, handle, state, flags);
}

/* The record for the next message of the usual way with this handle value; NULL: it is to be looked for. */
static void put_in_cache(struct trk_table *own, uint64_t handle, struct trk_request *r)
{
	*trk_request_place(own, handle) = (struct trk_request_place){ r ? handle : TRK_NO_HANDLE, r };
}

/* The list for one more with this shared value; it is in no round when it cannot be in the first list. */
static int list_for(struct trk_table *own, int list, uint64_t handle, unsigned *flags)
{
	struct trk_request_list *l = &own->lists[list];

	if (*flags & TRK_BORN_IN_ROUND && (!l->n_live || l->handle == handle)) {
		l->handle = handle;
		own->lists_used |= 1u << list;
		return list;
	}
	*flags &= ~(unsigned)TRK_BORN_IN_ROUND;
	return list + TRK_REQUEST_LISTS;
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

	for (uint32_t i = 0; i < trk_requests_slab->high; i++) {
		struct trk_request *r = &records[i];
		if (!trk_request_in_round(__atomic_load_n(&r->state, __ATOMIC_RELAXED)) || r->flags & TRK_REQ_SHARED ||
		    count(r->handle, n, requests))
			continue;
		set_ended(r);
		TRK_COUNT(slot->n_retired);
	}
	for (uint32_t used = own->lists_used; used; used &= used - 1) {
		struct trk_request_list *l = &own->lists[__builtin_ctz(used)];
		for (uint32_t left = count(l->handle, n, requests); l->n_live > left;) {
			trk_request_list_end(l);
			TRK_COUNT(slot->n_retired);
		}
	}
}

/* ---- slots -------------------------------------------------------------------------------------------- */

static inline void set_next(uint32_t i, uint32_t next)
{
	__atomic_store_n(&chain[i], next, __ATOMIC_RELAXED);
}

static void change(struct trk_table *t)
{
	__atomic_store_n(&t->changes, t->changes + 1, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void unlink_record(struct trk_table *t, uint32_t i)
{
	struct trk_request_place *place = trk_request_place(t, records[i - 1].handle);
	if (place->record == &records[i - 1])
		put_in_cache(t, records[i - 1].handle, NULL);
	uint32_t *link = &t->heads->first[hash(t->heads, records[i - 1].handle)];

	for (; *link; link = &chain[*link]) {
		if (*link != i)
			continue;
		change(t);
		__atomic_store_n(link, chain[i], __ATOMIC_RELEASE);
		change(t);
		t->n_slots--;
		return;
	}
}

/*
 * With MPI2DD_FLAG_BEING_DEBUGGED what has ended stays when its handle value comes again, until MPI2DD_release() or until
 * there is no room. Only the slow ways ask for it: while it is so the cache is empty, and births take them all.
 */
static bool keeps(struct trk_table *t)
{
	bool keeping = __atomic_load_n(M2D_INFO_FIELD(debugger_flags), __ATOMIC_RELAXED) & MPI2DD_FLAG_BEING_DEBUGGED;

	if (__builtin_expect(keeping && !t->keeping, 0))
		for (size_t i = 0; i < sizeof(t->cache) / sizeof(t->cache[0]); i++)
			t->cache[i].handle = TRK_NO_HANDLE;
	t->keeping = keeping;
	return keeping;
}

static bool is_kept(const struct trk_table *t, uint32_t i)
{
	for (int k = 0; k < TRK_REQUEST_KEPT; k++)
		if (t->kept[k] == i)
			return true;
	return false;
}

/* The program may have a copy of a handle that it has freed: what it was stays known when its value comes again. */
static __attribute__((noinline, cold)) void keep(struct trk_table *t, uint32_t i)
{
	uint32_t *place = &t->kept[t->kept_at++ % TRK_REQUEST_KEPT], old = *place;

	unlink_record(t, i);
	set_next(i, 0);
	*place = i;
	if (old) {
		set_next(old, t->spare);
		t->spare = old;
	}
}

/* Its value comes again: out of its chain, so that it is not taken over. */
static __attribute__((noinline, cold)) void orphan(struct trk_table *t, struct trk_request *r)
{
	uint32_t i = (uint32_t)(r - records) + 1;

	if (trk_request_state(r) == TRK_LIVE)
		set_ended(r);
	unlink_record(t, i);
	set_next(i, 0);
}

/* Ended; or let go by MPI2DD_release(). Slots that were never used have no handle. */
static bool can_recycle(const struct trk_request *r)
{
	uint8_t state = trk_request_state(r);

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return state == TRK_FREED || (state == TRK_FREE && r->handle);
}

/* The owner may use what is there without looking further, unless another thread has taken one. */
static void open_list(struct trk_request_list *l)
{
	__atomic_store_n(&l->limit, l->n_items, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&l->n_taken, __ATOMIC_SEQ_CST))
		__atomic_store_n(&l->limit, 0, __ATOMIC_SEQ_CST);
}

/* An ended record of our own, taken out of its chain. The search is short: the next one goes on from there. */
static uint32_t recycle(struct trk_table *t, unsigned number)
{
	uint32_t n_chunks = capacity / CHUNK;

	for (int k = 0; k < 2 * TRK_REQUEST_LISTS; k++) {
		struct trk_request_list *l = &t->lists[k];
		if (l->n_items > l->n_live) {
			uint32_t i = (uint32_t)(l->items[--l->n_items] - records) + 1;
			open_list(l);
			return i;
		}
	}
	for (uint32_t turn = 0, looked = 0; turn < n_chunks && looked < 4; turn++) {
		uint32_t c = t->hand++ % n_chunks;
		if (owners[c] != number + 1)
			continue;
		looked++;
		for (uint32_t i = c * CHUNK + 1 + t->hand_in; i <= (c + 1) * CHUNK; i++) {
			struct trk_request *r = &records[i - 1];
			if (!can_recycle(r) || r->flags & TRK_REQ_SHARED || is_kept(t, i))
				continue;
			if (t->keeping && trk_request_state(r) == TRK_FREED)
				__atomic_fetch_add(&trk_requests_slab->n_forgotten, 1, __ATOMIC_RELAXED);
			unlink_record(t, i);
			t->hand--;
			t->hand_in = i - c * CHUNK;
			return i;
		}
		t->hand_in = 0;
	}
	return 0;
}

/* A slot to write. @return 0: none left, which is counted */
static uint32_t take_slot(struct trk_table *t, unsigned number)
{
	uint32_t spare = t->spare;

	if (spare) {
		t->spare = chain[spare];
		return spare;
	}
	if (t->chunk_at == t->chunk_end) {
		uint32_t high = __atomic_load_n(&trk_requests_slab->high, __ATOMIC_RELAXED), i;
		/* what is kept gives way before other threads find no room */
		if (t->keeping && high + CHUNK > capacity - capacity / 4 && (i = recycle(t, number)))
			return i;
		do {
			if (high + CHUNK > capacity) {
				i = recycle(t, number);
				if (!i)
					__atomic_fetch_add(&trk_requests_slab->n_dropped, 1, __ATOMIC_RELAXED);
				return i;
			}
		} while (!__atomic_compare_exchange_n(&trk_requests_slab->high, &high, high + CHUNK, true,
						      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
		__atomic_store_n(&owners[high / CHUNK], (uint16_t)(number + 1), __ATOMIC_RELAXED);
		t->chunk_at = high + 1;
		t->chunk_end = high + 1 + CHUNK;
		t->n_records += CHUNK;
	}
	return t->chunk_at++;
}

/* Memory of the pool, zero. @return NULL: there is no more */
static void *from_pool(size_t bytes)
{
	char *room = __atomic_load_n(&pool, __ATOMIC_RELAXED);

	bytes = (bytes + 7) / 8 * 8;
	do {
		if (bytes > (size_t)(pool_end - room))
			return NULL;
	} while (!__atomic_compare_exchange_n(&pool, &room, room + bytes, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return room;
}

/* Twice the chains. When there is no memory they stay as they are, and get longer. Zero as it comes out of the pool. */
static void grow(struct trk_table *t)
{
	struct trk_request_heads *old = t->heads;
	uint32_t mask = 2 * old->mask + 1;
	struct trk_request_heads *h = from_pool(sizeof(*h) + sizeof(uint32_t) * ((size_t)mask + 1));

	if (!h)
		return;
	h->mask = mask;
	change(t);
	for (uint32_t i = 0; i <= old->mask; i++) {
		for (uint32_t at = old->first[i], next; at; at = next) {
			uint32_t *first = &h->first[hash(h, records[at - 1].handle)];
			next = chain[at];
			set_next(at, *first);
			*first = at;
		}
	}
	__atomic_store_n(&t->heads, h, __ATOMIC_RELEASE);
	change(t);
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

/* What other threads have completed of this list is ended now. */
static void settle(struct trk_request_list *l)
{
	uint32_t n = 0;

	if (__atomic_load_n(&l->n_taken, __ATOMIC_RELAXED))
		n = __atomic_exchange_n(&l->n_taken, 0, __ATOMIC_ACQ_REL);
	for (; n && l->n_live; n--)
		trk_request_list_end(l);
}

/* Room for one more in a list. Memory that a list had before is not given back: nobody else looks, but the pool is simple. */
static bool make_room(struct trk_request_list *l)
{
	if (l->n_items < l->room)
		return true;
	uint32_t room = l->room ? 2 * l->room : TRK_REQUEST_FEW;
	struct trk_request **items = l->room ? from_pool(room * sizeof(*items)) : l->few;
	if (!items)
		return false;
	if (l->room)
		memcpy(items, l->items, l->n_items * sizeof(*items));
	l->items = items;
	l->room = room;
	return true;
}

static bool born_shared(struct trk_table *t, unsigned number, struct trk_request_list *l, const struct trk_frame *frame,
			uint64_t handle, unsigned flags)
{
	settle(l);
	if (l->n_live == l->n_items) {
		uint32_t i = make_room(l) ? take_slot(t, number) : 0;
		if (!i)
			return false;
		l->items[l->n_items++] = &records[i - 1];
	}
	struct trk_request *r = l->items[l->n_live];
	write_any(t, r, frame, handle, flags | TRK_REQ_SHARED);
	__atomic_store_n(&l->n_live, l->n_live + 1, __ATOMIC_RELEASE);
	open_list(l);
	/* complete at birth */
	follow(r, false);
	return true;
}

static bool born_alone(struct trk_table *t, unsigned number, const struct trk_frame *frame, uint64_t handle,
		       unsigned flags)
{
	uint32_t *first = &t->heads->first[hash(t->heads, handle)], i = *first;
	struct trk_request *ended = NULL;
	bool keeping = keeps(t);
	unsigned n = 0;

	for (; i; i = chain[i]) {
		struct trk_request *r = &records[i - 1];
		if (r->handle != handle)
			continue;
		n++;
		if (!ended && (trk_request_state(r) != TRK_LIVE || !multiple))
			ended = r;
	}
	if (__builtin_expect(keeping, 0)) {
		if (ended && trk_request_state(ended) != TRK_FREE) {
			orphan(t, ended);
			ended = NULL;
		}
		n = 2; /* never into the cache */
	}
	/* with two of them the cache is no help: which one is meant is to be found out */
	put_in_cache(t, handle, NULL);
	if (ended) {
		if (trk_request_state(ended) == TRK_LIVE)
			set_ended(ended);
		write_any(t, ended, frame, handle, flags);
		if (n == 1 && flags & TRK_BORN_IN_ROUND)
			put_in_cache(t, handle, ended);
		return true;
	}
	i = take_slot(t, number);
	if (!i)
		return false;
	write_any(t, &records[i - 1], frame, handle, flags);
	if (n == 0 && flags & TRK_BORN_IN_ROUND)
		put_in_cache(t, handle, &records[i - 1]);
	/* recycling may have changed the chain, but not its place */
	set_next(i, *first);
	__atomic_store_n(first, i, __ATOMIC_RELEASE);
	if (++t->n_slots > 2 * t->heads->mask)
		grow(t);
	return true;
}

/* The calling thread's table. @return NULL: it has none, so the request is not recorded, which is counted */
static struct trk_table *own_table(struct m2d_thread *t)
{
	if (t->number >= TRK_THREADS) {
		__atomic_fetch_add(&trk_requests_slab->n_dropped, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	struct trk_table *own = &tables[t->number];
	if (!own->heads) {
		own->few.heads.mask = TRK_REQUEST_FIRST - 1;
		put_in_cache(own, 0, NULL);
		begin_rounds(own);
		__atomic_store_n(&own->heads, &own->few.heads, __ATOMIC_RELEASE);
	}
	t->slot->table = own;
	return own;
}

/* The registry is set up by whoever needs it first. */
static bool is_set_up(void)
{
	static bool asked;

	if (__atomic_load_n(&records, __ATOMIC_ACQUIRE))
		return true;
	if (__atomic_exchange_n(&asked, true, __ATOMIC_RELAXED))
		return false;
	if (trk_lock())
		trk_unlock();
	return __atomic_load_n(&records, __ATOMIC_ACQUIRE);
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
	int list = trk_request_list_of(handle);
	if (list >= 0)
		list = list_for(own, list, handle, &flags);
	bool done = list >= 0 ? born_shared(own, t->number, &own->lists[list], frame, handle, flags)
			      : born_alone(own, t->number, frame, handle, flags);
	TRK_ADD(t->slot->n_born, done);
}

/* ---- end ---------------------------------------------------------------------------------------------- */

/*
 * The live record with this handle value. At MPI_THREAD_MULTIPLE there may be two for a moment, when the library gave
 * the value out again before the thread that completed the request could say so: then it is the older one.
 */
static inline struct trk_request *find_own(const struct trk_table *t, uint64_t handle)
{
	struct trk_request *found = NULL;

	for (uint32_t i = t->heads->first[hash(t->heads, handle)]; i; i = chain[i]) {
		struct trk_request *r = &records[i - 1];
		if (r->handle != handle || trk_request_state(r) != TRK_LIVE)
			continue;
		if (!multiple)
			return r;
		found = r;
	}
	return found;
}

static struct trk_request *find_other(const struct trk_table *t, uint64_t handle)
{
	for (int turn = 0; turn < RETRIES; turn++) {
		uint32_t changes = __atomic_load_n(&t->changes, __ATOMIC_ACQUIRE);
		const struct trk_request_heads *h = __atomic_load_n(&t->heads, __ATOMIC_ACQUIRE);
		struct trk_request *found = NULL;
		uint32_t i = __atomic_load_n(&h->first[hash(h, handle)], __ATOMIC_ACQUIRE);
		for (int n = 0; i && n < WALK_MAX; n++, i = __atomic_load_n(&chain[i], __ATOMIC_ACQUIRE))
			if (__atomic_load_n(&records[i - 1].handle, __ATOMIC_RELAXED) == handle &&
			    trk_request_state(&records[i - 1]) == TRK_LIVE)
				found = &records[i - 1];
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
		if (&tables[i] == table_of(t) || !__atomic_load_n(&tables[i].heads, __ATOMIC_ACQUIRE))
			continue;
		struct trk_request *r = find_other(&tables[i], handle);
		if (r) {
			last = i;
			return r;
		}
	}
	return NULL;
}

static inline struct trk_request *find(const struct m2d_thread *t, uint64_t handle)
{
	const struct trk_table *own = table_of(t);
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
		open_list(l);
	}
	if (l && l->n_live) {
		trk_request_list_end(l);
		return true;
	}
	for (unsigned i = 0; i < TRK_THREADS; i++) {
		l = &tables[i].lists[list];
		if (i == t->number ||
		    __atomic_load_n(&l->n_live, __ATOMIC_ACQUIRE) <= __atomic_load_n(&l->n_taken, __ATOMIC_RELAXED))
			continue;
		__atomic_fetch_add(&l->n_taken, 1, __ATOMIC_SEQ_CST);
		__atomic_store_n(&l->limit, 0, __ATOMIC_SEQ_CST);
		return true;
	}
	return false;
}

static __attribute__((noinline)) void end_slowly(struct m2d_thread *t, uint64_t handle, bool gone, unsigned flags)
{
	if (!__atomic_load_n(&records, __ATOMIC_ACQUIRE))
		return;
	int list = trk_request_list_of(handle);
	if (list >= 0) {
		TRK_ADD(t->slot->n_retired, end_shared(t, list + TRK_REQUEST_LISTS) || end_shared(t, list));
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
	set_ended(r);
	TRK_COUNT(t->slot->n_retired);
	if (own && flags & TRK_REQ_FREE_CALLED && !keeps(table_of(t)))
		keep(table_of(t), (uint32_t)(r - records) + 1);
}

void trk_request_done(struct m2d_thread *t, uint64_t handle)
{
	end_slowly(t, handle, false, 0);
}

void trk_request_gone(struct m2d_thread *t, uint64_t handle, unsigned flags)
{
	struct trk_table *own = t->slot->table;

	if (__builtin_expect(!flags && trk_request_end_message(own, handle), 1))
		TRK_COUNT(t->slot->n_retired);
	else
		end_slowly(t, handle, true, flags);
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
	if (!__atomic_load_n(&records, __ATOMIC_ACQUIRE) || trk_request_list_of(handle) >= 0)
		return;
	struct trk_request *r = find(t, handle);
	if (!r)
		return;
	/* MPI_Grequest_complete may come from another thread than the one that waits */
	__atomic_fetch_or(&r->flags, (uint8_t)flags, __ATOMIC_RELAXED);
	if (flags & TRK_REQ_ACTIVE) {
		if (r->collective)
			trk_coll_begun(r->comm, (enum trk_coll)(r->collective - 1));
	}
}

void trk_request_partitions(struct m2d_thread *t, uint64_t handle, int partitions)
{
	if (!__atomic_load_n(&records, __ATOMIC_ACQUIRE) || trk_request_list_of(handle) >= 0)
		return;
	struct trk_request *r = find(t, handle);
	if (!r || !(trk_request_flags(r) & TRK_REQ_PERSISTENT))
		return;
	r->op = (uint64_t)partitions;
	/* with the flag the number is there */
	__atomic_fetch_or(&r->flags, (uint8_t)TRK_REQ_PARTITIONED, __ATOMIC_RELEASE);
}

const struct trk_request *trk_request_look(const struct m2d_thread *t, uint64_t handle, bool *shared)
{
	*shared = trk_request_list_of(handle) >= 0;
	if (*shared || !__atomic_load_n(&records, __ATOMIC_ACQUIRE))
		return NULL;
	const struct trk_request *own = table_of(t) ? find_own(table_of(t), handle) : NULL;
	return own ? own : find_elsewhere(t, handle);
}

int trk_requests_release(uint64_t handle)
{
	int n = 0;

	for (uint32_t i = 0; records && i < __atomic_load_n(&trk_requests_slab->high, __ATOMIC_ACQUIRE); i++) {
		uint8_t was = __atomic_load_n(&records[i].state, __ATOMIC_RELAXED);

		n += __atomic_load_n(&records[i].handle, __ATOMIC_RELAXED) == handle &&
		     trk_request_state(&records[i]) == TRK_FREED &&
		     __atomic_compare_exchange_n(&records[i].state, &was, TRK_FREE, false, __ATOMIC_ACQ_REL,
						 __ATOMIC_RELAXED);
	}
	/* A debugger is there: all births take the slow way now, which finds that out. */
	for (unsigned k = 0; k < TRK_THREADS; k++)
		for (unsigned i = 0;
		     __atomic_load_n(&tables[k].heads, __ATOMIC_ACQUIRE) && i < 1u << TRK_REQUEST_CACHE_BITS; i++)
			__atomic_store_n(&tables[k].cache[i].handle, TRK_NO_HANDLE, __ATOMIC_RELAXED);
	return n;
}

unsigned trk_requests_live(uint64_t handle)
{
	unsigned n = 0;

	for (uint32_t i = 0; records && i < trk_requests_slab->high; i++)
		n += trk_request_state(&records[i]) == TRK_LIVE &&
		     __atomic_load_n(&records[i].handle, __ATOMIC_RELAXED) == handle;
	return n;
}
