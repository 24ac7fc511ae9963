/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file event.h
 * Event types, sources, and raising of events: the interface for
 * the rest of the library, and what the files about events share.
 *
 * Raising an event without listeners costs one load and a branch (mpit_has_listener()). With listeners, the callbacks
 * run in the raising thread, one after the other, with none of our locks held.
 */
#ifndef MPIT_EVENT_H
#define MPIT_EVENT_H

#include "mpit.h"

/** Sources, by index. */
enum mpit_source {
	MPIT_SOURCE_THREADS,  /**< unordered: several threads raise events at the same time, from their own calls */
	MPIT_SOURCE_ORDERED,  /**< one event after the other (ordered.h) */
	MPIT_SOURCE_WATCHDOG, /**< ordered, because only one thread raises them (stall.h) */
	MPIT_N_SOURCES
};

/** Event types, by index (defined in own_events.def; the first one is not bound to an object). */
enum mpit_event {
#define EVENT(id, name, source, bind, elements, desc) MPIT_EVENT_##id,
#include "own_events.def"
#undef EVENT
	MPIT_N_EVENTS
};

enum { MPIT_ELEMENTS_MAX = 8 };

/** For each type, the number of registrations with a callback or a dropped handler. Read
 * it with mpit_has_listener(). */
extern int mpit_n_listeners[MPIT_N_EVENTS];

static inline bool mpit_has_listener(enum mpit_event event)
{
	return __builtin_expect(__atomic_load_n(&mpit_n_listeners[event], __ATOMIC_RELAXED) != 0, 0);
}

/**
 * Raise an event.
 *
 * @param context what a callback must tolerate here: MPI_T_CB_REQUIRE_NONE after a call of the program, with no lock
 *                held; MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE in a signal handler
 * @param object  bits of the handle that the event is bound to, if its type is bound
 * @param values  one for each element of the type, as 64-bit numbers; truncated to the type of the element
 */
void mpit_raise(enum mpit_event event, MPI_T_cb_safety context, uint64_t object, const uint64_t *values);

/** A registration for this type has got its first callback (1) or lost its last one (-1). Takes no lock. */
void mpit_listener_changed(enum mpit_event event, int more);

/** Number of callbacks called since the start, and of events lost because a callback was not allowed or was running. */
extern uint64_t mpit_n_delivered, mpit_n_lost;

/** Nanoseconds of a monotonic clock. Async-signal-safe. */
int64_t mpit_now(void);

#endif /* MPIT_EVENT_H */
