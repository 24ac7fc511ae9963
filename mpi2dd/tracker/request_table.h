/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file request_table.h
 * The records of requests: each thread has a table in which its requests are found by handle value.
 *
 * All records are in the registry's slab for requests, where an outside reader finds them; they never move. A table
 * contains the records that its thread has created; it takes them from the slab 64 at a time. Only a thread that has
 * entered a table may change the table and its records. At MPI_THREAD_MULTIPLE, entering takes the table's lock, which
 * is never held across a call; at lower levels only one thread is in MPI at a time, and a flag keeps signal handlers
 * out. A thread enters only one table at a time, and does not take the registry's lock inside.
 *
 * A record is in one of two places:
 *  - in the hash chain of its handle value, whether live or ended. When the library reuses a handle value, the new
 * request takes over the ended record. Two live records have the same value if the library has reused it before the end
 * of the earlier request was recorded; the earlier one is further back in the chain and is the first to end.
 *  - for handle values that many requests share (requests that are complete when created): in the list of live or of
 * ended records of its class. The caller derives the class from the value; -1 is none. Live records with the same value
 * are interchangeable.
 * Records freed by MPI_Request_free are in neither for a while, so that they stay known when their value is reused.
 *
 * A reader sees a record either complete or with an odd sequence, at any instruction (track_layout.h).
 *
 * This file does not depend on MPI; requests.c does. All memory comes from trk_tables_setup(); none is allocated later.
 */
#ifndef TRK_REQUEST_TABLE_H
#define TRK_REQUEST_TABLE_H

#include "../../include/track_layout.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

enum {
	TRK_TABLES = 512,       /**< one for each thread slot */
	TRK_TABLE_CLASSES = 32, /**< classes of handle values that many requests share */
	TRK_TABLE_CHUNK = 64,   /**< records that a table takes from the slab at a time */
	TRK_TABLE_CHAINS = 128, /**< hash chains of a new table */
	TRK_TABLE_FREED = 64    /**< records freed by MPI_Request_free that are kept; at most a quarter of all
				 *   records */
};

/** Record numbers start at 1; 0 is none. */
struct trk_table {
	pthread_mutex_t lock;
	bool busy;       /**< a thread is inside the table */
	uint16_t number; /**< of its thread slot */
	uint32_t *heads, mask;
	uint32_t n_chained;
	uint32_t chunk_at, chunk_end; /**< range of records of the last chunk that have never been used */
	uint32_t live[TRK_TABLE_CLASSES], ended[TRK_TABLE_CLASSES];
	uint32_t spare; /**< list of records that are in no other place, used first */
	uint32_t hand;  /**< record at which the search for an ended one continues, from 0 */
	uint32_t freed_at, freed[TRK_TABLE_FREED];
	struct trk_span dropped[2]; /**< lists of a record that was reused: the caller releases them */
	uint64_t n_unseen;          /**< records that were still live when their handle value was reused */
	uint32_t first[TRK_TABLE_CHAINS];
};

/** Indexed by slot number. NULL: no table for this slot. */
extern struct trk_table *trk_tables[TRK_TABLES];

/** true: some records have lists (callsites, partitions). Set before the first record gets one. */
extern bool trk_tables_have_lists;

/** May threads call MPI at the same time? True until MPI_Init has reported otherwise. */
extern bool trk_tables_locked;

/** The number of records for a wanted capacity; the bytes of memory needed for a capacity, besides the records. */
uint32_t trk_tables_capacity(uint64_t wanted);
size_t trk_tables_bytes(uint32_t capacity);

/**
 * Set up the tables, once; nothing is recorded before.
 *
 * @param records zeroed array of the slab with trk_tables_capacity() elements; kept
 * @param slab    its `high`, `n_dropped` and `n_forgotten` are updated from now on
 * @param memory  trk_tables_bytes() zeroed bytes; kept
 */
void trk_tables_setup(struct trk_request *records, uint32_t capacity, struct trk_slab *slab, void *memory);

/**
 * The table of a thread slot, created if necessary; call it in
 * the slot's own thread. NULL: out of memory, or no such slot.
 */
struct trk_table *trk_table_make(unsigned number);

/** Count a request that is not recorded because there is no table. */
void trk_tables_dropped(void);

/** Enter a table. @return false: the calling thread is inside already (a signal handler): do not use or leave it. */
static inline bool trk_table_enter(struct trk_table *t)
{
	if (__atomic_load_n(&trk_tables_locked, __ATOMIC_RELAXED)) {
		if (pthread_mutex_lock(&t->lock) != 0)
			return false;
	} else if (t->busy) {
		return false;
	}
	t->busy = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return true;
}

static inline void trk_table_leave(struct trk_table *t)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	t->busy = false;
	if (__atomic_load_n(&trk_tables_locked, __ATOMIC_RELAXED))
		pthread_mutex_unlock(&t->lock);
}

/** In a forked child: no thread is inside any table. */
void trk_tables_after_fork(void);

/** Rules for trk_table_create(), as bits. */
enum trk_table_rule {
	TRK_TABLE_TAKES_OVER = 1, /**< a live record with this value has ended unnoticed: reuse it */
	TRK_TABLE_KEEPS = 2       /**< do not reuse ended records while there is room (a debugger wants them) */
};

/** Atomic accesses: other threads read these fields while they are written. */
static inline uint8_t trk_request_state(const struct trk_request *r)
{
	return __atomic_load_n(&r->state, __ATOMIC_RELAXED);
}

static inline uint8_t trk_request_flags(const struct trk_request *r)
{
	return __atomic_load_n(&r->flags, __ATOMIC_RELAXED);
}

static inline void trk_request_set_state(struct trk_request *r, enum trk_state state)
{
	__atomic_store_n(&r->state, (uint8_t)state, __ATOMIC_RELEASE);
}

/* ---- used by the inline functions below ---------------------------------------------------------------- */

/** All records, and for each the number of the next record in its chain or list. NULL: not set up. */
extern struct trk_request *trk_table_records;
extern uint32_t *trk_table_next;

static inline bool trk_tables_are_set_up(void)
{
	return __atomic_load_n(&trk_table_records, __ATOMIC_ACQUIRE) != NULL;
}

static inline uint32_t trk_table_number(const struct trk_request *r)
{
	return (uint32_t)(r - trk_table_records) + 1;
}

/** The head of the hash chain of a handle value. */
static inline uint32_t *trk_table_chain(const struct trk_table *t, uint64_t handle)
{
	return &t->heads[(uint32_t)(handle * UINT64_C(0x9e3779b97f4a7c15) >> 40) & t->mask];
}

/** trk_table_create() for a class; and for the case that no ended record can be taken over directly. */
struct trk_request *trk_table_create_of_class(struct trk_table *t, uint64_t handle, int class, unsigned rules);
struct trk_request *trk_table_create_first(struct trk_table *t, uint64_t handle, unsigned rules);
void trk_table_drop_lists(struct trk_table *t, struct trk_request *r);

/** Move a record from the live list of its class to the ended list. */
void trk_table_complete_of_class(struct trk_table *t, const struct trk_request *r, int class);

/** Take a record freed by MPI_Request_free out of its chain and keep it for a while. */
void trk_table_keep_freed(struct trk_table *t, const struct trk_request *r);

/** The first eight bytes of a record. The caller fills in all but sequence and state. */
struct trk_request_head {
	uint8_t sequence, state, flags, collective;
	uint16_t call;
	uint8_t has, object_kind;
};
_Static_assert(sizeof(struct trk_request_head) == 8 && offsetof(struct trk_request, handle) == 8 &&
		       offsetof(struct trk_request, state) == offsetof(struct trk_request_head, state) &&
		       offsetof(struct trk_request, flags) == offsetof(struct trk_request_head, flags) &&
		       offsetof(struct trk_request, collective) == offsetof(struct trk_request_head, collective) &&
		       offsetof(struct trk_request, call) == offsetof(struct trk_request_head, call) &&
		       offsetof(struct trk_request, has) == offsetof(struct trk_request_head, has) &&
		       offsetof(struct trk_request, object_kind) == offsetof(struct trk_request_head, object_kind),
	       "written at once");

/** Publish the record as complete and live, with one store. */
static inline void trk_request_written(struct trk_request *r, struct trk_request_head head)
{
	typedef uint64_t __attribute__((may_alias)) word;
	uint64_t all;

	head.sequence = (uint8_t)(r->sequence + 1);
	head.state = TRK_LIVE;
	__builtin_memcpy(&all, &head, sizeof(all));
	__atomic_store_n((word *)(void *)r, all, __ATOMIC_RELEASE);
}

/* Begin to write a record: readers ignore its contents until trk_request_written(). */
static inline void trk_table_write(struct trk_table *t, struct trk_request *r, uint64_t handle)
{
	__atomic_store_n(&r->sequence, (uint8_t)(r->sequence | 1), __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&r->handle, handle, __ATOMIC_RELAXED);
	if (__builtin_expect(__atomic_load_n(&trk_tables_have_lists, __ATOMIC_RELAXED), 0))
		trk_table_drop_lists(t, r);
}

/* ---- requests ----------------------------------------------------------------------------------------- */

/**
 * Create a record for a new request. Its sequence is odd: the caller writes the fields after `handle` and ends with
 * trk_request_written(). Lists of the record's last request are then in t->dropped; t->n_unseen may have increased.
 *
 * @param class class of a shared handle value; -1: none
 * @param rules enum trk_table_rule
 * @return NULL: no room, which is counted
 */
static inline __attribute__((always_inline)) struct trk_request *trk_table_create(struct trk_table *t, uint64_t handle,
										  int class, unsigned rules)
{
	struct trk_request *ended = NULL;
	bool live = false;

	if (class >= 0)
		return trk_table_create_of_class(t, handle, class, rules);
	for (uint32_t i = *trk_table_chain(t, handle); i; i = trk_table_next[i]) {
		struct trk_request *r = &trk_table_records[i - 1];
		if (r->handle != handle)
			continue;
		if (trk_request_state(r) == TRK_LIVE)
			live = true;
		else
			ended = r;
	}
	if (__builtin_expect(!ended || live || rules & TRK_TABLE_KEEPS, 0))
		return trk_table_create_first(t, handle, rules);
	trk_table_write(t, ended, handle);
	return ended;
}

/** The live record with this handle value; of two, the earlier one; NULL: none. */
static inline __attribute__((always_inline)) struct trk_request *trk_table_find(const struct trk_table *t,
										uint64_t handle, int class)
{
	struct trk_request *found = NULL;

	for (uint32_t i = class < 0 ? *trk_table_chain(t, handle) : t->live[class]; i; i = trk_table_next[i]) {
		struct trk_request *r = &trk_table_records[i - 1];
		if (r->handle != handle || trk_request_state(r) != TRK_LIVE)
			continue;
		found = r;
		if (class >= 0)
			break;
	}
	return found;
}

/** A live record has ended. @param freed by MPI_Request_free: keep it when the value is reused (not for a class). */
static inline void trk_table_complete(struct trk_table *t, struct trk_request *r, int class, bool freed)
{
	__atomic_store_n(&r->state, TRK_FREED, __ATOMIC_RELEASE);
	if (class >= 0)
		trk_table_complete_of_class(t, r, class);
	else if (freed)
		trk_table_keep_freed(t, r);
}

/** Call a function for each live record among the first @p most ones. Enters their tables. */
void trk_tables_each(uint32_t most, void (*each)(struct trk_request *r, const void *data), const void *data);

/**
 * Forget the ended records with this handle value, or the one at
 * this address. Enters no table: for a debugger that calls it.
 *
 * @return how many
 */
int trk_tables_forget(uint64_t value, bool is_addr);

#pragma GCC visibility pop

#endif /* TRK_REQUEST_TABLE_H */
