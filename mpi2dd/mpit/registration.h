/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file registration.h
 * Registrations of callbacks for events, shared by event_handle.c (the program's side) and raise.c.
 *
 * Raising takes no lock and may happen in a signal handler. So a registration is never given back to the allocator; it
 * stays in its type's list until no thread is raising, and what a callback is stands in a block that is replaced whole.
 */
#ifndef MPIT_REGISTRATION_H
#define MPIT_REGISTRATION_H

#include "event_type.h"
#include "../../include/track_layout.h"

/* Pointers to callbacks: MPI 4.1's types are functions, MPI 4.0's (in the header of Open MPI 6.0) pointers to them. */
typedef void (*mpit_event_cb)(MPI_T_event_instance event, MPI_T_event_registration registration, MPI_T_cb_safety level,
			      void *user_data);
typedef void (*mpit_dropped_cb)(MPI_Count count, MPI_T_event_registration registration, int source,
				MPI_T_cb_safety level, void *user_data);
typedef void (*mpit_free_cb)(MPI_T_event_registration registration, MPI_T_cb_safety level, void *user_data);

enum { MPIT_LEVELS = 4 };

/** A callback of one level; never changed once it is published. */
struct mpit_callback {
	mpit_event_cb function;
	void *user_data;
	struct mpit_callback *older;
};

struct mpit_registration {
	struct mpit_registration *next; /**< of the same type */
	struct mpit_registration *next_free;
	uintptr_t handle;
	enum mpit_event event;
	uint64_t object; /**< bits of the handle that it is bound to */
	uint64_t number; /**< of that object in the registry; 0: not known */
	struct mpit_callback *levels[MPIT_LEVELS];
	mpit_dropped_cb dropped;
	int64_t lost;                    /**< since the handler was set or called */
	struct trk_registration *record; /**< in the registry: counts */
	int running;                     /**< callbacks of it that run, in all threads */
	int freed, finished;
	mpit_free_cb free_function;
	void *free_user_data;
};

/** First registration of each type. */
extern struct mpit_registration *mpit_registrations[MPIT_N_EVENTS];

/** Threads that are raising now: registrations that were freed are used again when there is none. */
extern int mpit_n_raising;

/** This thread is raising an event; it may do so within a callback of another one. */
void mpit_raising_begins(void);
void mpit_raising_ends(void);

/** Is another thread than this one raising? Then it may be about to call what a registration had a moment ago. */
bool mpit_raising_elsewhere(void);

/** Has some registration of this source lost events that were not reported to its handler yet? */
extern int mpit_source_has_lost[MPIT_N_SOURCES];

/** Call the free callback when the registration is freed and none of its callbacks runs; once. */
void mpit_registration_finish(struct mpit_registration *r, MPI_T_cb_safety context);

#endif /* MPIT_REGISTRATION_H */
