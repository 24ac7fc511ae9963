/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file request_table.h
 * The records of requests: one table for each thread, which finds them by handle value.
 *
 * All records are in the slab of the registry, where a reader outside finds them; they never move. A table has the records
 * that its thread has created, taken from the slab 64 at a time. A table and its records are changed only by a thread that has
 * entered it: at MPI_THREAD_MULTIPLE that takes the table's lock, which is not held during any other call; at lower levels no two
 * threads are in MPI at a time, and a flag keeps a signal handler out. A thread enters one table at a time, and does not take the
 * registry's lock within one.
 *
 * A record is in one of two places:
 *   - in the chain of its handle value, live or ended. A handle value that is given out again takes the record over that it
 *     had. Two live ones have one value when the library has given a value out again before the end of the earlier request
 *     was recorded: the earlier one is further back in the chain, and is the first to end.
 *   - of handle values that many requests have at once, those that are complete when they are created: in the list of live
 *     or of ended records of its class. The caller knows the class from the value; -1 is none. Any live one of a value is as
 *     good as another.
 * Records that MPI_Request_free has freed are in neither for a while: what they were stays known when the value comes again.
 *
 * The record itself is written so that a reader finds it whole or with an odd sequence at any instruction (track_layout.h).
 *
 * This file knows nothing of MPI: requests.h does. Memory comes from trk_tables_setup(); none is taken later.
 */
#ifndef TRK_REQUEST_TABLE_H
#define TRK_REQUEST_TABLE_H

#include "../../include/track_layout.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

enum {
	TRK_TABLES = 512,       /**< one for each slot of threads */
	TRK_TABLE_CLASSES = 32, /**< of handle values that many requests have */
	TRK_TABLE_CHUNK = 64,   /**< records that a table takes from the slab at a time */
	TRK_TABLE_CHAINS = 128, /**< of a new table */
	TRK_TABLE_FREED = 64    /**< freed by MPI_Request_free, and kept, at most a quarter of all records */
};

/** Numbers of records count from 1; 0 is none. */
struct trk_table {
	pthread_mutex_t lock;
	bool busy;       /**< a thread is in it */
	uint16_t number; /**< of its slot of threads */
	uint32_t *heads, mask;
	uint32_t n_chained;
	uint32_t chunk_at, chunk_end; /**< records of the last chunk that were never used */
	uint32_t live[TRK_TABLE_CLASSES], ended[TRK_TABLE_CLASSES];
	uint32_t spare; /**< list of records that are in no other place, to be used next */
	uint32_t hand;  /**< record where the search for an ended one goes on, from 0 */
	uint32_t freed_at, freed[TRK_TABLE_FREED];
	struct trk_span dropped[2]; /**< lists that a record had when it was used again: the caller takes them */
	uint64_t n_unseen;          /**< records that were live when their handle value came again */
	uint32_t first[TRK_TABLE_CHAINS];
};

/** NULL: the thread with this slot has no table. */
extern struct trk_table *trk_tables[TRK_TABLES];

/** Some record has lists: where it was created, partitions. It is set before a record gets one. */
extern bool trk_tables_have_lists;

/** Do threads call MPI at the same time? True until MPI_Init has said otherwise. */
extern bool trk_tables_locked;

/** How many records there are when so many are wanted; bytes of memory for that many, beside the records. */
uint32_t trk_tables_capacity(uint64_t wanted);
size_t trk_tables_bytes(uint32_t capacity);

/**
 * Once; nothing is recorded before.
 *
 * @param records of the slab, zero: trk_tables_capacity() of them, kept
 * @param slab    its `high`, `n_dropped` and `n_forgotten` are counted here from now on
 * @param memory  trk_tables_bytes(), zero, kept
 */
void trk_tables_setup(struct trk_request *records, uint32_t capacity, struct trk_slab *slab, void *memory);

/** The table of a slot of threads, made when there is none; by its own thread. NULL: no memory, or no such slot. */
struct trk_table *trk_table_make(unsigned number);

/** A request was not recorded, for want of a table. */
void trk_tables_dropped(void);

/** @return false: the calling thread is in it already (a signal handler): leave it alone, and do not leave it */
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

/** In the child of a fork: no thread is in any table. */
void trk_tables_after_fork(void);

/** Of trk_table_create(). */
enum trk_table_rule {
	TRK_TABLE_TAKES_OVER = 1, /**< a live record with this value has ended, without our notice */
	TRK_TABLE_KEEPS = 2 /**< ended records are not used again as long as there is room (a debugger wants them) */
};

/** Others look at these while they are written. */
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

/* ---- parts of what follows ---------------------------------------------------------------------------- */

/** The next record in the chain or list of each. NULL: not set up. */
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

/** The head of a handle value's chain. */
static inline uint32_t *trk_table_chain(const struct trk_table *t, uint64_t handle)
{
	return &t->heads[(uint32_t)(handle * UINT64_C(0x9e3779b97f4a7c15) >> 40) & t->mask];
}

/** trk_table_create() of a class; and when no record can be taken over as it is. */
struct trk_request *trk_table_create_of_class(struct trk_table *t, uint64_t handle, int class, unsigned rules);
struct trk_request *trk_table_create_first(struct trk_table *t, uint64_t handle, unsigned rules);
void trk_table_drop_lists(struct trk_table *t, struct trk_request *r);

/** From the live ones of its class to the ended ones. */
void trk_table_complete_of_class(struct trk_table *t, const struct trk_request *r, int class);

/** Into the place of those that MPI_Request_free has freed, out of its chain. */
void trk_table_keep_freed(struct trk_table *t, const struct trk_request *r);

/** The first eight bytes of a record, but for its sequence and state. */
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

/** The record is whole, and live: with one store. */
static inline void trk_request_written(struct trk_request *r, struct trk_request_head head)
{
	typedef uint64_t __attribute__((may_alias)) word;
	uint64_t all;

	head.sequence = (uint8_t)(r->sequence + 1);
	head.state = TRK_LIVE;
	__builtin_memcpy(&all, &head, sizeof(all));
	__atomic_store_n((word *)(void *)r, all, __ATOMIC_RELEASE);
}

/* Readers ignore the contents of the record from here on until trk_request_written(). */
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
 * A record for a new request, in the table. Its sequence is odd: the caller writes what is behind `handle`, and ends with
 * trk_request_written(). What its last request had is in `dropped`, `n_unseen` counts on.
 *
 * @return NULL: there is no room, which is counted
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

/** The live record with this handle value, of two the earlier one; NULL: none. */
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

/** A live record has ended. @p freed by MPI_Request_free: it is kept when the value comes again (not of a class) */
static inline void trk_table_complete(struct trk_table *t, struct trk_request *r, int class, bool freed)
{
	__atomic_store_n(&r->state, TRK_FREED, __ATOMIC_RELEASE);
	if (class >= 0)
		trk_table_complete_of_class(t, r, class);
	else if (freed)
		trk_table_keep_freed(t, r);
}

/** Call for each live record of the first @p most ones. Enters their tables. */
void trk_tables_each(uint32_t most, void (*each)(struct trk_request *r, const void *data), const void *data);

/** Forget the ended ones with this handle value; enters no table, for a debugger that calls it. @return how many */
int trk_tables_forget(uint64_t handle);

#pragma GCC visibility pop

#endif /* TRK_REQUEST_TABLE_H */
