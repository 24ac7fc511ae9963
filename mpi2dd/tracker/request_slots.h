/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file request_slots.h
 * The records of requests as slots: which table has which, and the chains in which a table finds them by handle value.
 * For requests.c and request_ring.c.
 *
 * A table belongs to a slot of threads: its thread inserts and unlinks, others only look. Slots of the slab are handed to
 * tables in chunks. Numbers of records count from 1 in chains; 0 ends them. A record is in the chain of its handle value;
 * or in none, as those of a ring, of a list, and what MPI_Request_free has freed.
 */
#ifndef TRK_REQUEST_SLOTS_H
#define TRK_REQUEST_SLOTS_H

#include "request_table.h"

#pragma GCC visibility push(hidden)

enum { TRK_REQUEST_CHUNK = 64 };

/** One per slot of threads. */
extern struct trk_table trk_tables[TRK_THREADS];

/** NULL: not set up. */
extern struct trk_request *trk_requests;
extern uint32_t *trk_requests_chain; /**< what comes after each record in its chain */
extern uint32_t trk_requests_n;      /**< records that there is room for */

static inline uint32_t trk_request_number(const struct trk_request *r)
{
	return (uint32_t)(r - trk_requests) + 1;
}

/** The head of a handle value's chain. */
static inline uint32_t *trk_chain_of(struct trk_request_heads *h, uint64_t handle)
{
	return &h->first[(uint32_t)(handle * UINT64_C(0x9e3779b97f4a7c15) >> 40) & h->mask];
}

/** A slot to write, in no chain: one that was kept, a new one, or one whose request has ended. NULL: none left, which is counted. */
struct trk_request *trk_slot_take(struct trk_table *own);

/** So many slots side by side, a multiple of TRK_REQUEST_CHUNK. @return the first; NULL: there are not, and none is taken */
struct trk_request *trk_slots_take(struct trk_table *own, uint32_t n);

/** They are like those of trk_slot_take() from now on. */
void trk_slots_give(const struct trk_request *first, const struct trk_request *end);

/** Into the chain of its handle value, first; out of it (nothing when it is in none), and out of the cache. */
void trk_slot_link(struct trk_table *own, struct trk_request *r);
void trk_slot_unlink(struct trk_table *own, struct trk_request *r);

/** The program may have a copy of a handle that it has freed: what it was stays known when its value comes again. */
void trk_slot_keep(struct trk_table *own, struct trk_request *r);

/** Memory for lists, zero, not given back. @return NULL: there is no more */
void *trk_requests_memory(size_t bytes);

/**
 * With MPI2DD_FLAG_BEING_DEBUGGED what has ended stays when its handle value comes again, until MPI2DD_release() or until
 * there is no room. Only the slow ways ask for it: while it is so the cache is empty, and births take them all.
 */
bool trk_requests_keep(struct trk_table *own);

/** The owner may use what is there without looking further, unless another thread has taken one. */
static inline void trk_list_open(struct trk_request_list *l)
{
	__atomic_store_n(&l->limit, l->n_items, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&l->n_taken, __ATOMIC_SEQ_CST))
		__atomic_store_n(&l->limit, 0, __ATOMIC_SEQ_CST);
}

#pragma GCC visibility pop

#endif /* TRK_REQUEST_SLOTS_H */
