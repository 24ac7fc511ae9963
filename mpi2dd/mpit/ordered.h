/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file ordered.h
 * The source whose events come one after the other, in the order of their times, whichever threads raise them.
 *
 * An event is put into a ring, and one thread at a time delivers: the first that finds no other doing it. So an
 * event may be delivered by another thread than the one that raised it, a moment later; its time is that of raising.
 * Nobody waits and no lock is taken: it works in signal handlers, in callbacks and after fork(). An event that finds
 * the ring full is dropped, and counted as such.
 */
#ifndef MPIT_ORDERED_H
#define MPIT_ORDERED_H

#include "event_type.h"

enum { MPIT_INSIDE_MAX = 4 };

/** An event that has been raised. */
struct mpit_raised {
	enum mpit_event event;
	MPI_T_cb_safety context;
	uint64_t object;
	uint64_t number; /**< of the object in the registry; 0: not known */
	int64_t time;
	uint64_t values[MPIT_ELEMENTS_MAX];
	/** Registrations whose callbacks have raised it: they do not get it. Handles; 0: none. */
	uintptr_t inside[MPIT_INSIDE_MAX];
};

/** Put it into the ring. @return false: full */
bool mpit_ordered_put(const struct mpit_raised *raised);

/**
 * Deliver the events in the ring, unless another thread does; not those raised in a context that allows more than this one.
 *
 * @param deliver calls the callbacks for one event, in this context, now
 */
void mpit_ordered_deliver(MPI_T_cb_safety context,
			  void (*deliver)(const struct mpit_raised *raised, MPI_T_cb_safety context));

/** In the child of fork(): what the other threads were doing is not done. */
void mpit_ordered_in_child(void);

#endif /* MPIT_ORDERED_H */
