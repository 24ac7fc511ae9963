/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file request_table.h
 * A thread's table of requests, and the usual way of a message's request through it, inline in the wrappers: born by
 * MPI_Isend, MPI_Irecv and their like, ended by MPI_Wait, MPI_Test and their like, both by the thread whose table it is.
 * Everything else is in requests.c.
 *
 * A library gives the same handle values out again and again, and each table has a cache from handle value to record. While
 * many messages are completed at once they have a ring instead.
 */
#ifndef TRK_REQUEST_TABLE_H
#define TRK_REQUEST_TABLE_H

#include "request_record.h"

#pragma GCC visibility push(hidden)

enum {
	TRK_REQUEST_FIRST = 128,     /**< chains of a new table */
	TRK_REQUEST_LISTS = 16,      /**< of shared handle values of messages of the usual way; and as many of others */
	TRK_REQUEST_KEPT = 64,       /**< freed by MPI_Request_free, out of their chains */
	TRK_REQUEST_CACHE_BITS = 11, /**< records in the cache: 2 to this power */
	TRK_REQUEST_FEW = 3          /**< of a list, without memory aside: a list takes 64 bytes */
};

/** Heads of chains; replaced as a whole when the table grows, and never given back: others may be looking. */
struct trk_request_heads {
	uint32_t mask;
	uint32_t first[];
};

/**
 * Records of one shared handle value, which what is complete at birth has. Messages of the usual way are in the list of
 * their value; all others, and those of another value that has the same list, in a second one. items[0 .. n_live - 1] are
 * live, those up to n_items have ended. Any of them is as good as another. At MPI_THREAD_MULTIPLE threads that complete one of
 * another's end it where it is, count it in n_taken, and then make limit 0, which is n_items otherwise: the owner compares
 * with that alone.
 */
struct trk_request_list {
	uint64_t handle; /**< of all live ones of the usual way */
	uint32_t n_live, limit;
	uint32_t n_taken, n_items;
	uint32_t room;
	struct trk_request **items;
	struct trk_request *few[TRK_REQUEST_FEW];
};

/** What a table's cache knows: of the handle value of a message of the usual way, the only record with this value. */
struct trk_request_place {
	uint64_t handle; /**< TRK_NO_HANDLE: nothing */
	struct trk_request *record;
};

/** No library gives this value out, nor 0. */
#define TRK_NO_HANDLE UINT64_MAX

/**
 * Where messages are recorded one after the other in the order of their birth, while the program completes many at once:
 * `next` of the thread's slot goes from `first` up to its `limit`, and begins anew when nothing before it is live any more.
 * Nothing is looked up or linked at birth. Whoever has to find one of them moves all to records with chains, or to lists.
 *
 * The ring is open as long as `limit` is not 0; else messages are recorded as those of other tables are.
 */
struct trk_request_ring {
	struct trk_request *first, *end; /**< first: NULL: the table has none; end: of all its records */
	struct trk_request *part;        /**< up to here they were used; first <= part <= end */
	struct trk_request *hint;        /**< the one that may end next: after the one that has ended last */
	uint32_t turn;                   /**< number of the round when it was full last */
	uint32_t n_many, n_wanted;       /**< arrays of many since it was closed; so many open it */
};

struct trk_table {
	struct trk_request_heads *heads;
	bool alone;                 /**< no other thread calls MPI at the same time: it may have rounds */
	trk_request_words in_round; /**< trk_request_message() of this round */
	trk_request_words message;  /**< the same of none */
	uint64_t sum;               /**< of trk_request_term() of the handles of the round */
	struct trk_request_ring ring;
	struct trk_thread *slot; /**< its thread's */
	uint32_t n_records;      /**< of its ring: those that are used since the numbers of rounds began */
	uint32_t changes;        /**< odd: chains are being changed */
	uint32_t n_slots;        /**< records that it has, in chains */
	uint32_t chunk_at, chunk_end;
	struct trk_request_list lists[2 * TRK_REQUEST_LISTS];
	struct trk_request_place cache[1 << TRK_REQUEST_CACHE_BITS];
	uint32_t hand, hand_in; /**< chunk where the search for an ended record goes on, and where in it */
	bool keeping;           /**< a debugger wants to know of all that have ended */
	/** The last ones that MPI_Request_free has freed, out of their chains: they outlive the return of their value. */
	unsigned kept_at;
	uint32_t kept[TRK_REQUEST_KEPT];
	uint32_t spare; /**< chain of those that were kept before */
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
static inline struct trk_request_place *trk_request_place(struct trk_table *t, uint64_t handle)
{
#if defined(OPEN_MPI)
	uint32_t number = (uint32_t)(handle >> 8);
#else
	uint32_t number = (uint32_t)handle ^ (uint32_t)handle >> 30 << 9;
#endif
	return &t->cache[number % (1 << TRK_REQUEST_CACHE_BITS)];
}

/* ---- rounds ------------------------------------------------------------------------------------------- */

/*
 * Messages in the ring belong to a round: those that the program's only thread with requests has made since it last completed
 * all of them at once. When the sum of an array's handle values is the round's, MPI_Waitall ends them all by one store
 * (track_layout.h), without a look at their records.
 *
 * What is summed up is each value times itself with some bits turned. An array may also hold what is not in the round, as
 * persistent requests, and not all that is: then the sums are the same only if one set of addresses happens to give the 64
 * bits that another one gives. Values at equal distances, as libraries give them out, do not.
 */

/** What a handle value adds to the sum. */
static inline uint64_t trk_request_term(uint64_t handle)
{
	return (uint64_t)(uint32_t)handle * ((uint32_t)handle ^ UINT32_C(0x9e3779b9));
}

/** Each time when the numbers of rounds are used up all records are looked at; of so many, one has to end in each round. */
enum { TRK_ROUND_PART = 64 };

/** Fewer are as soon ended one by one. */
enum { TRK_ROUND_MIN = 8 };

/** The next round is the one with this number, among those that records know. */
static inline void trk_round_begin(struct trk_table *own, unsigned number)
{
	/* with this store all of the one before have ended */
	__atomic_store_n(&trk_requests_slab->round, number, __ATOMIC_RELEASE);
	own->sum = 0;
	own->in_round = trk_request_message(2, TRK_LIVE | number << TRK_ROUND_SHIFT);
}

/** Where the next message goes when all have ended, the last @p n at once: to the beginning of the ring, or of a larger one. */
void trk_ring_turn(struct trk_table *own, uint64_t n) __attribute__((cold));

/** The numbers begin anew. */
void trk_round_first(struct trk_table *own) __attribute__((cold));

/** Are these requests all of the round? */
static inline __attribute__((always_inline)) bool trk_round_is(const struct trk_thread *slot, int n,
							       const MPI_Request requests[])
{
	const struct trk_table *own = slot->table;
	uint64_t sum = own->sum;

	if (n < TRK_ROUND_MIN || !slot->limit || (uint64_t)n * TRK_ROUND_PART < own->n_records)
		return false;
	for (int i = 0; i < n; i++)
		sum -= trk_request_term(TRK_BITS(__atomic_load_n(&requests[i], __ATOMIC_RELAXED)));
	return sum == 0;
}

/** All @p n requests of the round have ended. */
static inline __attribute__((always_inline)) void trk_round_end(struct trk_thread *slot, uint64_t n)
{
	struct trk_table *own = slot->table;

	/* as many have no room any more */
	if (slot->next + n * sizeof(struct trk_request) >= slot->limit)
		trk_ring_turn(own, n);
	unsigned number = trk_requests_slab->round + 1;
	if (__builtin_expect(number < TRK_ROUNDS, 1))
		trk_round_begin(own, number);
	else
		trk_round_first(own);
}

/* ---- the usual way ------------------------------------------------------------------------------------ */

/** Beside enum trk_request_flag: a message of the usual way. */
enum { TRK_BORN_MESSAGE = 1 << 9 };

/**
 * A request was made by the calling thread, by the call of @p frame, with its arguments. @p flags: enum trk_request_flag and
 * what is beside it. Keeps errno.
 */
void trk_request_born(const struct trk_frame *frame, uint64_t handle, unsigned flags);

/**
 * As trk_request_born(), of a nonblocking message of the usual way: all that are handed on, and those that are not known.
 *
 * @param slot the calling thread's. The arguments are in its first frame, or where TRK_HAS_NEXT says.
 */
void trk_request_born_slowly(struct trk_thread *slot, unsigned call, uint64_t handle);

/**
 * The same while no ring is open, when we know the handle value, or have a record for it.
 *
 * @return false: it was neither, and nothing was done
 */
static inline __attribute__((always_inline)) bool trk_request_born_known(struct trk_thread *slot, unsigned call,
									 uint64_t handle)
{
	struct trk_table *own = slot->table;
	const uint64_t *arguments = &slot->frames[0].comm;
	int list = trk_request_list_of(handle);

	if (list < 0) {
		const struct trk_request_place *place = trk_request_place(own, handle);
		struct trk_request *r = place->record;
		/* alone: when the value comes again, its last request has ended; the record is not read */
		if (__builtin_expect(place->handle != handle || (!own->alone && trk_request_state(r) != TRK_FREED), 0))
			return false;
		trk_request_write_message(r, arguments, own->message, call, 0);
	} else {
		struct trk_request_list *l = &own->lists[list];
		uint32_t n = l->n_live;
		if (__builtin_expect(n >= __atomic_load_n(&l->limit, __ATOMIC_RELAXED) || l->handle != handle, 0))
			return false;
		struct trk_request *r = l->items[n];
		__atomic_store_n(&r->handle, handle, __ATOMIC_RELAXED);
		trk_request_write_message(r, arguments, own->message, call, TRK_REQ_SHARED);
		__atomic_store_n(&l->n_live, n + 1, __ATOMIC_RELEASE);
	}
	TRK_COUNT(slot->n_born);
	return true;
}

/**
 * The same of the usual call, whose arguments are where the slot's `next` is.
 *
 * @return what `next` has to be when the call is over: its arguments are there until then. 0: what it is.
 */
static inline __attribute__((always_inline)) uint64_t trk_request_born_next(struct trk_thread *slot, unsigned call,
									    uint64_t handle)
{
	uint64_t limit = slot->limit;

	if (limit) {
		uint64_t arguments = slot->next, next = arguments + sizeof(struct trk_request);
		if (__builtin_expect(next < limit, 1)) {
			struct trk_table *own = slot->table;
			trk_arguments_at(arguments)->caller = slot->frames[0].caller;
			trk_request_write_next(trk_record_with(arguments), own->in_round, call, handle);
			TRK_ADD(own->sum, trk_request_term(handle));
			TRK_COUNT(slot->n_born);
			return next;
		}
	}
	if (__builtin_expect(limit || !trk_request_born_known(slot, call, handle), 0))
		trk_request_born_slowly(slot, call, handle);
	return 0;
}

/** The last of the live ones of a list has ended. */
static inline void trk_request_list_end(struct trk_request_list *l)
{
	uint32_t n = l->n_live - 1;

	trk_request_set_state(l->items[n], TRK_FREED);
	__atomic_store_n(&l->n_live, n, __ATOMIC_RELAXED);
}

/** Is it the usual message with this handle value, of the round or of none as @p message has it? */
static inline __attribute__((always_inline)) bool trk_request_is(const struct trk_request *r, uint64_t handle,
								 trk_request_words message)
{
	return r->handle == handle &&
	       !((__atomic_load_n((const trk_request_word *)r, __ATOMIC_RELAXED) ^ TRK_REQUEST_HEAD_OF(message)) &
		 ~TRK_REQUEST_HEAD(UINT8_MAX, 0, 0, 0));
}

/** The usual end in the ring: of the one after that which has ended last, or of the newest. @return was it that? */
static inline __attribute__((always_inline)) bool trk_request_end_in_ring(struct trk_thread *slot, uint64_t handle)
{
	struct trk_table *own = slot->table;
	struct trk_request *r = own->ring.hint;

	if (!trk_request_is(r, handle, own->in_round)) {
		r = trk_record_with(slot->next);
		if (r == own->ring.first || !trk_request_is(--r, handle, own->in_round))
			return false;
	}
	__atomic_store_n(&r->state, TRK_FREED, __ATOMIC_RELEASE);
	TRK_ADD(own->sum, -trk_request_term(handle));
	own->ring.hint = r + 1;
	return true;
}

/** The usual end outside of a ring. @return was it that? */
static inline __attribute__((always_inline)) bool trk_request_end_known(struct trk_table *own, uint64_t handle)
{
	int list = trk_request_list_of(handle);

	if (list >= 0) {
		struct trk_request_list *l = &own->lists[list];
		if (l->n_live - 1 >= __atomic_load_n(&l->limit, __ATOMIC_RELAXED) || l->handle != handle)
			return false;
		trk_request_list_end(l);
		return true;
	}
	const struct trk_request_place *place = trk_request_place(own, handle);
	if (place->handle != handle || !trk_request_is(place->record, handle, own->message))
		return false;
	__atomic_store_n(&place->record->state, TRK_FREED, __ATOMIC_RELEASE);
	return true;
}

/** The usual end: of a nonblocking operation of our own, a message's. @return was it that? */
static inline __attribute__((always_inline)) bool trk_request_end_message(struct trk_thread *slot, uint64_t handle)
{
	return (slot->limit && trk_request_end_in_ring(slot, handle)) || trk_request_end_known(slot->table, handle);
}

#pragma GCC visibility pop

#endif /* TRK_REQUEST_TABLE_H */
