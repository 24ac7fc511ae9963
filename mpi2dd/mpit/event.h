/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file event.h
 * Event types, sources, and raising: what the rest of the library calls, and what the other files of events share.
 *
 * Raising costs one load and a branch while there is no listener (mpit_listens()). With listeners the callbacks run in the
 * thread that raises, one after the other, with no lock of ours held.
 */
#ifndef MPIT_EVENT_H
#define MPIT_EVENT_H

#include "mpit.h"

/** Sources: index = number. */
enum mpit_source {
	MPIT_SOURCE_THREADS,  /**< unordered: threads raise side by side, from the calls that they make */
	MPIT_SOURCE_ORDERED,  /**< one after the other (ordered.h) */
	MPIT_SOURCE_WATCHDOG, /**< ordered, as one thread raises them (stall.h) */
	MPIT_N_SOURCES
};

/** Event types: index = number (own_events.def has them; the first is not bound to an object). */
enum mpit_event {
#define EVENT(id, name, source, bind, elements, desc) MPIT_EVENT_##id,
#include "own_events.def"
#undef EVENT
	MPIT_N_EVENTS
};

enum { MPIT_ELEMENTS_MAX = 8 };

/** Registrations of each type that have a callback or a dropped handler. Read it through mpit_listens(). */
extern int mpit_n_listeners[MPIT_N_EVENTS];

static inline bool mpit_listens(enum mpit_event event)
{
	return __builtin_expect(__atomic_load_n(&mpit_n_listeners[event], __ATOMIC_RELAXED) != 0, 0);
}

/**
 * Raise an event.
 *
 * @param context what is required of a callback here: MPI_T_CB_REQUIRE_NONE after a call of the program's outside
 *                of any lock; MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE in a signal handler
 * @param object  bits of the handle that the event is bound to, when its type is bound
 * @param values  one per element of the type, as 64-bit numbers; shortened to the element's type
 */
void mpit_raise(enum mpit_event event, MPI_T_cb_safety context, uint64_t object, const uint64_t *values);

/** A registration for this type has got its first callback (1), or has lost its last (-1). Takes no lock. */
void mpit_listening(enum mpit_event event, int more);

/** Callbacks that were called, and that were not since they were not allowed or were running, since the start. */
extern uint64_t mpit_n_delivered, mpit_n_lost;

/** Nanoseconds since some time in the past; signal safe. */
int64_t mpit_now(void);

#endif /* MPIT_EVENT_H */
