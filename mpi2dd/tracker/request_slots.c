/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slots of requests, and their chains.
 */
#include "request_slots.h"

#include "../../include/mpi2dd.h"
#include "../tables/info.h"
#include "registry.h"
#include "requests.h"

#include <string.h>

enum { CHUNK = TRK_REQUEST_CHUNK };

struct trk_table trk_tables[TRK_THREADS];
struct trk_request *trk_requests;
uint32_t *trk_requests_chain;
uint32_t trk_requests_n;
struct trk_slab *trk_requests_slab;

static char *pool, *pool_end; /* for heads and lists */

/* Owner of each chunk: number of the table + 1; those of rings are not for others. */
enum { CHUNKS_MAX = 1 << 14, OF_RING = 1 << 15 };
static uint16_t owners[CHUNKS_MAX];
_Static_assert((int)TRK_THREADS < (int)OF_RING, "owners");

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
	return (((size_t)n + 1) * sizeof(*trk_requests_chain) + 7) / 8 * 8;
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
	trk_requests_n = n;
	trk_requests_slab = s;
	trk_requests_chain = aside;
	pool = (char *)aside + chain_bytes(n);
	pool_end = pool + pool_bytes(n);
	__atomic_store_n(&trk_requests, r, __ATOMIC_RELEASE);
}

static uint16_t owner_of(uint32_t chunk)
{
	return __atomic_load_n(&owners[chunk], __ATOMIC_RELAXED);
}

static uint16_t mark_of(const struct trk_table *own)
{
	return (uint16_t)(own - trk_tables + 1);
}

void *trk_requests_memory(size_t bytes)
{
	char *room = __atomic_load_n(&pool, __ATOMIC_RELAXED);

	bytes = (bytes + 7) / 8 * 8;
	do {
		if (bytes > (size_t)(pool_end - room))
			return NULL;
	} while (!__atomic_compare_exchange_n(&pool, &room, room + bytes, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return room;
}

/* ---- chains ------------------------------------------------------------------------------------------- */

static inline void set_next(uint32_t i, uint32_t next)
{
	__atomic_store_n(&trk_requests_chain[i], next, __ATOMIC_RELAXED);
}

static void change(struct trk_table *t)
{
	__atomic_store_n(&t->changes, t->changes + 1, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Twice the chains. When there is no memory they stay as they are, and get longer. Zero as it comes out of the pool. */
static void grow(struct trk_table *t)
{
	struct trk_request_heads *old = t->heads;
	uint32_t mask = 2 * old->mask + 1;
	struct trk_request_heads *h = trk_requests_memory(sizeof(*h) + sizeof(uint32_t) * ((size_t)mask + 1));

	if (!h)
		return;
	h->mask = mask;
	change(t);
	for (uint32_t i = 0; i <= old->mask; i++) {
		for (uint32_t at = old->first[i], next; at; at = next) {
			uint32_t *first = trk_chain_of(h, trk_requests[at - 1].handle);
			next = trk_requests_chain[at];
			set_next(at, *first);
			*first = at;
		}
	}
	__atomic_store_n(&t->heads, h, __ATOMIC_RELEASE);
	change(t);
}

void trk_slot_link(struct trk_table *t, struct trk_request *r)
{
	uint32_t *first = trk_chain_of(t->heads, r->handle);

	set_next(trk_request_number(r), *first);
	__atomic_store_n(first, trk_request_number(r), __ATOMIC_RELEASE);
	if (++t->n_slots > 2 * t->heads->mask)
		grow(t);
}

void trk_slot_unlink(struct trk_table *t, struct trk_request *r)
{
	struct trk_request_place *place = trk_request_place(t, r->handle);
	uint32_t *link = trk_chain_of(t->heads, r->handle), i = trk_request_number(r);

	if (place->record == r)
		place->handle = TRK_NO_HANDLE;
	for (; *link; link = &trk_requests_chain[*link]) {
		if (*link != i)
			continue;
		change(t);
		__atomic_store_n(link, trk_requests_chain[i], __ATOMIC_RELEASE);
		change(t);
		set_next(i, 0);
		t->n_slots--;
		return;
	}
}

/* ---- slots -------------------------------------------------------------------------------------------- */

bool trk_requests_keep(struct trk_table *t)
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

void trk_slot_keep(struct trk_table *t, struct trk_request *r)
{
	uint32_t *place = &t->kept[t->kept_at++ % TRK_REQUEST_KEPT], old = *place;

	trk_slot_unlink(t, r);
	*place = trk_request_number(r);
	if (old) {
		set_next(old, t->spare);
		t->spare = old;
	}
}

/* Ended; or let go by MPI2DD_release(). Slots that were never used have no handle. */
static bool can_recycle(const struct trk_request *r)
{
	uint8_t state = trk_request_state(r);

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return state == TRK_FREED || (state == TRK_FREE && r->handle);
}

/* Is it in a list, which will use it again? */
static bool is_listed(const struct trk_request *r)
{
	return trk_request_flags(r) & TRK_REQ_SHARED;
}

/* An ended record of our own, taken out of its chain. The search is short: the next one goes on from there. */
static struct trk_request *recycle(struct trk_table *t)
{
	uint32_t n_chunks = trk_requests_n / CHUNK;

	for (int k = 0; k < 2 * TRK_REQUEST_LISTS; k++) {
		struct trk_request_list *l = &t->lists[k];
		if (l->n_items > l->n_live) {
			struct trk_request *r = l->items[--l->n_items];
			trk_list_open(l);
			return r;
		}
	}
	for (uint32_t turn = 0, looked = 0; turn < n_chunks && looked < 4; turn++) {
		uint32_t c = t->hand++ % n_chunks;
		if (owner_of(c) != mark_of(t))
			continue;
		looked++;
		for (uint32_t i = c * CHUNK + t->hand_in; i < (c + 1) * CHUNK; i++) {
			struct trk_request *r = &trk_requests[i];
			if (!can_recycle(r) || is_listed(r) || is_kept(t, i + 1))
				continue;
			if (t->keeping && trk_request_state(r) == TRK_FREED)
				__atomic_fetch_add(&trk_requests_slab->n_forgotten, 1, __ATOMIC_RELAXED);
			trk_slot_unlink(t, r);
			t->hand--;
			t->hand_in = i + 1 - c * CHUNK;
			return r;
		}
		t->hand_in = 0;
	}
	return NULL;
}

/* Slots that were never used, for this owner. @return number of the first, from 0; UINT32_MAX: there are not so many */
static uint32_t new_slots(uint32_t n, uint16_t owner)
{
	uint32_t high = __atomic_load_n(&trk_requests_slab->high, __ATOMIC_RELAXED);

	do {
		if (n > trk_requests_n || high > trk_requests_n - n)
			return UINT32_MAX;
	} while (!__atomic_compare_exchange_n(&trk_requests_slab->high, &high, high + n, true, __ATOMIC_ACQ_REL,
					      __ATOMIC_RELAXED));
	for (uint32_t i = 0; i < n / CHUNK; i++)
		__atomic_store_n(&owners[high / CHUNK + i], owner, __ATOMIC_RELAXED);
	return high;
}

struct trk_request *trk_slot_take(struct trk_table *t)
{
	uint32_t spare = t->spare;

	if (spare) {
		t->spare = trk_requests_chain[spare];
		return &trk_requests[spare - 1];
	}
	if (t->chunk_at == t->chunk_end) {
		struct trk_request *r;
		/* what is kept gives way before other threads find no room */
		if (t->keeping && trk_requests_slab->high + CHUNK > trk_requests_n - trk_requests_n / 4 &&
		    (r = recycle(t)))
			return r;
		uint32_t first = new_slots(CHUNK, mark_of(t));
		if (first == UINT32_MAX) {
			r = recycle(t);
			if (!r)
				__atomic_fetch_add(&trk_requests_slab->n_dropped, 1, __ATOMIC_RELAXED);
			return r;
		}
		t->chunk_at = first;
		t->chunk_end = first + CHUNK;
	}
	return &trk_requests[t->chunk_at++];
}

struct trk_request *trk_slots_take(struct trk_table *t, uint32_t n)
{
	uint32_t first = new_slots(n, mark_of(t) | OF_RING);

	return first == UINT32_MAX ? NULL : &trk_requests[first];
}

void trk_slots_give(const struct trk_request *first, const struct trk_request *end)
{
	for (; first < end; first += CHUNK)
		__atomic_fetch_and(&owners[(size_t)(first - trk_requests) / CHUNK], (uint16_t)~OF_RING,
				   __ATOMIC_RELAXED);
}
