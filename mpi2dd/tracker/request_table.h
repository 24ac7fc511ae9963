/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file request_table.h
 * A thread's table of requests, and the usual way of a message's request through it, inline in the wrappers: born by
 * MPI_Isend, MPI_Irecv and their like, ended by MPI_Wait, MPI_Test and their like, both by the thread whose table it is.
 * Everything else is in requests.c.
 *
 * A library gives the same handle values out again and again, and each table has a cache from handle value to record: what
 * is there is the only record of its chain with this value.
 */
#ifndef TRK_REQUEST_TABLE_H
#define TRK_REQUEST_TABLE_H

#include "request_record.h"

#pragma GCC visibility push(hidden)

enum {
	TRK_REQUEST_FIRST = 128,     /**< chains of a new table */
	TRK_REQUEST_LISTS = 16,      /**< of shared handle values */
	TRK_REQUEST_KEPT = 64,       /**< freed by MPI_Request_free, out of their chains */
	TRK_REQUEST_CACHE_BITS = 11, /**< records in the cache: 2 to this power */
	TRK_REQUEST_FEW = 4          /**< of a list, without memory aside: a list takes 64 bytes */
};

/** Heads of chains; replaced as a whole when the table grows, and never given back: others may be looking. */
struct trk_request_heads {
	uint32_t mask;
	uint32_t first[];
};

/**
 * Records of one shared handle value, which what is complete at birth has: items[0 .. n_live - 1] are live, those up to
 * n_items have ended. Any of them is as good as another. Threads that complete one of another's count it in n_taken, and
 * then make limit 0, which is n_items otherwise: the owner compares with that alone.
 */
struct trk_request_list {
	uint32_t n_live, limit;
	uint32_t n_taken, n_items;
	uint32_t room;
	struct trk_request **items;
	struct trk_request *few[TRK_REQUEST_FEW];
};

struct trk_table {
	struct trk_request_heads *heads;
	uint32_t changes; /**< odd: chains are being changed */
	uint32_t n_slots; /**< records that it has, in chains */
	uint32_t chunk_at, chunk_end;
	uint32_t hand, hand_in; /**< chunk where the search for an ended record goes on, and where in it */
	bool keeping;           /**< a debugger wants to know of all that have ended */
	/** The last ones that MPI_Request_free has freed, out of their chains: they outlive the return of their value. */
	unsigned kept_at;
	uint32_t kept[TRK_REQUEST_KEPT];
	uint32_t spare; /**< chain of those that were kept before */
	struct trk_request_list lists[TRK_REQUEST_LISTS];
	struct trk_request *cache[1 << TRK_REQUEST_CACHE_BITS];
	struct {
		struct trk_request_heads heads;
		uint32_t first[TRK_REQUEST_FIRST];
	} few;
} __attribute__((aligned(64)));

/** Number of the list of a shared handle value; -1: the value is of one request alone. */
static inline int trk_request_list_of(uint64_t handle)
{
#if defined(OPEN_MPI)
	return handle == TRK_BITS(m2d_constants.request_empty) ? 0 : -1;
#else
	/* MPICH: the two high bits of a handle say how it is stored; 1: built in */
	return handle >> 30 == 1 ? (int)(handle % TRK_REQUEST_LISTS) : -1;
#endif
}

/**
 * Where the cache has the record of this value, if it has it. Libraries take requests from arrays: those that are used
 * together have places of their own, side by side. Open MPI's are addresses, 500 to 800 bytes apart; MPICH's are numbers,
 * of one array and then of those that were made when it was used up, which their high bits tell apart.
 */
static inline struct trk_request **trk_request_place(struct trk_table *t, uint64_t handle)
{
#if defined(OPEN_MPI)
	uint32_t number = (uint32_t)(handle >> 8);
#else
	uint32_t number = (uint32_t)handle ^ (uint32_t)handle >> 30 << 9;
#endif
	return &t->cache[number % (1 << TRK_REQUEST_CACHE_BITS)];
}

/* ---- the usual way ------------------------------------------------------------------------------------ */

/** A request was made by the calling thread, by the call of @p frame, with its arguments. @p flags: enum trk_request_flag. Keeps errno. */
void trk_request_born(const struct trk_frame *frame, uint64_t handle, unsigned flags);

/**
 * As trk_request_born(), of a nonblocking message: of a handle value that we know or have a record for it is
 * written here.
 *
 * @return false: it was neither, and nothing was done
 */
static inline __attribute__((always_inline)) bool
trk_request_born_message(struct trk_thread *slot, const struct trk_frame *frame, unsigned call, uint64_t handle)
{
	struct trk_table *own = slot->table;
	int list = trk_request_list_of(handle);

	if (list < 0) {
		struct trk_request *r = *trk_request_place(own, handle);
		if (__builtin_expect(r && r->handle == handle && trk_request_state(r) == TRK_FREED, 1)) {
			trk_request_write_message(r, frame, call, TRK_REQ_ACTIVE);
			TRK_COUNT(slot->n_born);
			return true;
		}
	} else {
		struct trk_request_list *l = &own->lists[list];
		uint32_t n = l->n_live;
		if (__builtin_expect(n < __atomic_load_n(&l->limit, __ATOMIC_RELAXED), 1)) {
			struct trk_request *r = l->items[n];
			if (r->handle != handle)
				__atomic_store_n(&r->handle, handle, __ATOMIC_RELAXED);
			trk_request_write_message(r, frame, call, TRK_REQ_ACTIVE | TRK_REQ_SHARED);
			__atomic_store_n(&l->n_live, n + 1, __ATOMIC_RELEASE);
			TRK_COUNT(slot->n_born);
			return true;
		}
	}
	return false;
}

/** The last of the live ones of a list has ended. */
static inline void trk_request_list_end(struct trk_request_list *l)
{
	uint32_t n = l->n_live - 1;

	trk_request_set_state(l->items[n], TRK_FREED);
	__atomic_store_n(&l->n_live, n, __ATOMIC_RELAXED);
}

/** The usual end: of a nonblocking operation of our own, a message's. @return was it that? */
static inline __attribute__((always_inline)) bool trk_request_end_message(struct trk_table *own, uint64_t handle)
{
	int list = trk_request_list_of(handle);

	if (list >= 0) {
		struct trk_request_list *l = &own->lists[list];
		if (l->n_live - 1 >= __atomic_load_n(&l->limit, __ATOMIC_RELAXED))
			return false;
		trk_request_list_end(l);
		return true;
	}
	struct trk_request *r = *trk_request_place(own, handle);
	if (!r || r->handle != handle ||
	    (__atomic_load_n((const trk_request_word *)r, __ATOMIC_RELAXED) & ~TRK_REQUEST_HEAD(UINT8_MAX, 0, 0, 0)) !=
		    TRK_REQUEST_HEAD(0, TRK_LIVE, TRK_REQ_ACTIVE, 0))
		return false;
	__atomic_store_n(&r->state, TRK_FREED, __ATOMIC_RELEASE);
	return true;
}

#pragma GCC visibility pop

#endif /* TRK_REQUEST_TABLE_H */
