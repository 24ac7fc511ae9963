/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file registration.h
 * Registrations of event callbacks, shared by event_handle.c (the program's side) and raise.c.
 *
 * Raising takes no lock and may happen in a signal handler. Therefore a registration is never freed; it stays in the
 * list of its type until no thread is raising, and the data of a callback is in a block that is replaced as a whole.
 */
#ifndef MPIT_REGISTRATION_H
#define MPIT_REGISTRATION_H

#include "event_type.h"
#include "../../include/track_layout.h"

/* Pointers to callbacks. MPI 4.1 defines function types, MPI 4.0 (the header of Open MPI 6.0) pointers to functions. */
typedef void (*mpit_event_cb)(MPI_T_event_instance event, MPI_T_event_registration registration, MPI_T_cb_safety level,
			      void *user_data);
typedef void (*mpit_dropped_cb)(MPI_Count count, MPI_T_event_registration registration, int source,
				MPI_T_cb_safety level, void *user_data);
typedef void (*mpit_free_cb)(MPI_T_event_registration registration, MPI_T_cb_safety level, void *user_data);

enum { MPIT_LEVELS = 4 };

/** The callback of one safety level; never changed once it is published. */
struct mpit_callback {
	mpit_event_cb function;
	void *user_data;
	struct mpit_callback *older;
};

struct mpit_registration {
	struct mpit_registration *next; /**< next registration for the same type */
	struct mpit_registration *next_free;
	uintptr_t handle;
	enum mpit_event event;
	uint64_t object; /**< bits of the handle that it is bound to */
	uint64_t number; /**< number of that object in the registry; 0: not known */
	struct mpit_callback *levels[MPIT_LEVELS];
	mpit_dropped_cb dropped;
	int64_t lost;                    /**< events lost since the dropped handler was set or last called */
	struct trk_registration *record; /**< its record in the registry, which holds the counters */
	int running;                     /**< number of its callbacks running now, in all threads */
	int freed, finished;
	mpit_free_cb free_function;
	void *free_user_data;
};

/** The first registration for each type. */
extern struct mpit_registration *mpit_registrations[MPIT_N_EVENTS];

/** Number of threads that are raising; freed registrations are reused only when it is 0. */
extern int mpit_n_raising;

/** This thread begins or ends raising an event, possibly inside a callback of another event. */
void mpit_raising_begins(void);
void mpit_raising_ends(void);

/** Is another thread raising? It may be about to use a callback that was replaced a moment ago. */
bool mpit_raising_elsewhere(void);

/** For each source: a registration has lost events that were not reported to its handler yet. */
extern int mpit_source_has_lost[MPIT_N_SOURCES];

/** Call the free callback once, if the registration is freed and none of its callbacks is running. */
void mpit_registration_finish(struct mpit_registration *r, MPI_T_cb_safety context);

#endif /* MPIT_REGISTRATION_H */
