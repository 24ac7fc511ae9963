/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file ordered.h
 * The source that delivers events one after the other, in the order of their times, whichever threads raise them.
 *
 * An event is stored in a ring, and one thread at a time delivers: the first one that finds no other thread doing so.
 * An event may therefore be delivered by another thread than the one that raised it, slightly later; its time is that
 * of raising. No thread waits and no lock is taken: this works in signal handlers, in callbacks and after fork(). An
 * event that finds the ring full is dropped, and counted as dropped.
 */
#ifndef MPIT_ORDERED_H
#define MPIT_ORDERED_H

#include "event_type.h"

enum { MPIT_INSIDE_MAX = 4 };

/** An event that was raised and may not have been delivered. */
struct mpit_raised {
	enum mpit_event event;
	MPI_T_cb_safety context;
	uint64_t object;
	uint64_t number; /**< number of the object in the registry; 0: not known */
	int64_t time;
	uint64_t values[MPIT_ELEMENTS_MAX];
	/** Handles of the registrations inside whose callbacks it was raised: they do not get it. 0: none. */
	uintptr_t inside[MPIT_INSIDE_MAX];
};

/** Store an event in the ring. @return false: full */
bool mpit_ordered_put(const struct mpit_raised *raised);

/**
 * Deliver the events in the ring, unless another thread is doing
 * so. Events that may not be delivered in this context remain.
 *
 * @param context what a callback must tolerate here
 * @param deliver calls the callbacks for one event
 */
void mpit_ordered_deliver(MPI_T_cb_safety context,
			  void (*deliver)(const struct mpit_raised *raised, MPI_T_cb_safety context));

/** In a forked child: the threads that were delivering do not exist. */
void mpit_ordered_in_child(void);

#endif /* MPIT_ORDERED_H */
