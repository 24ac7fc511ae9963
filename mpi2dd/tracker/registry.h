/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file registry.h
 * The registry of MPI objects (include/track_layout.h) from the inside: slabs, and how records are found, created and released.
 *
 * Every kind but requests, which have their own rules (requests.h), is written under one lock: trk_lock(). Nothing
 * of the MPI library may be called while it is held, since that may call the program back; ask first, then write (the
 * functions that return a Fortran index call no callback).
 *
 *   if (!trk_lock()) return;
 *   struct trk_op *r = trk_create(TRK_OP, TRK_BITS(*op), 0);
 *   if (r) { r->function = ...; trk_publish(TRK_OP, r); }
 *   trk_unlock();
 *
 * A record is written between trk_create() or trk_change() and trk_publish(), which make its sequence odd and even.
 *
 * Freed records stay in state TRK_FREED; when their handle value comes back they become TRK_EARLIER. Without a
 * debugger (MPI2DD_FLAG_BEING_DEBUGGED) a quarter of the slab is for them, with one all that is left; the one that was
 * freed first goes first. A record that is pinned, since a live object refers to it, stays.
 *
 * MPI2DD_TRACK_COMM=N in the environment sets a capacity (_GROUP, _DATATYPE, _ERRHANDLER, _FILE, _INFO, _OP, _REQUEST,
 * _WIN, _MESSAGE, _SESSION, _KEYVAL); 0: that kind is not recorded. MPI2DD_TRACK=0: none is. MPI2DD_TRACK_WHERE=N:
 * return addresses kept of each creation. MPI2DD_TRACK_FREED=N: freed records kept of each kind, instead of a quarter
 * of the slab. MPI2DD_TRACK_ARENA=bytes: memory for lists (arena.h).
 */
#ifndef TRK_REGISTRY_H
#define TRK_REGISTRY_H

#include "../../include/track_layout.h"
#include "../calls/calls.h"
#include "head.h"
#include "threads.h"

#pragma GCC visibility push(hidden)

/** What every record but a request begins with. */
struct trk_object {
	TRK_OBJECT_FIELDS(TRK_FIELD)
};

/**
 * Take the registry's lock, and set the registry up when it is not yet. Keeps errno. Below MPI_THREAD_MULTIPLE
 * nothing is taken.
 *
 * @return false: the calling thread has it already (a signal handler within our code), or there is no memory: leave
 *         the registry alone, and do not unlock.
 */
bool trk_lock(void);
void trk_unlock(void);

/** The slab of a kind, also before the library's constructors have run. Others count in it: read it atomically. */
const struct trk_slab *trk_slab_of(enum trk_kind kind);

/** After MPI_Init: may threads be here at the same time? */
void trk_set_multiple(bool is);

/** The live record with this handle value; NULL: none. Under the lock. */
void *trk_find(enum trk_kind kind, uint64_t handle);

/** As trk_find(), or else the one freed last. */
void *trk_find_any(enum trk_kind kind, uint64_t handle);

/** As trk_find(), without the lock: what it returns may have been freed meanwhile. Safe at any time, bounded. */
void *trk_look(enum trk_kind kind, uint64_t handle);

/** Number of the live object with this handle value; 0: none is recorded. Under the lock. */
uint64_t trk_id_of(enum trk_kind kind, uint64_t handle);

/**
 * A new object: a record with its head filled in, the rest zero, its sequence odd; finish with trk_publish(). A live
 * record with the same handle value was freed without a call that is recorded, and becomes an earlier one. Under the lock.
 *
 * @param parent number of the object that it was made from, or 0
 * @return NULL: the slab is full, which is counted
 */
void *trk_create(enum trk_kind kind, uint64_t handle, uint64_t parent);

/** A record is about to be changed: its sequence becomes odd. */
static inline void trk_change(void *record)
{
	struct trk_object *o = record;

	o->sequence++;
	trk_order();
}

/** A record is whole: a new one becomes live (it is found from now on), the sequence even. */
void trk_publish(enum trk_kind kind, void *record);

/** A changed record is whole again. */
static inline void trk_changed(void *record)
{
	struct trk_object *o = record;

	trk_order();
	o->sequence++;
}

/** The program has freed the handle. Under the lock. NULL, predefined ones: nothing. */
void trk_release_last(enum trk_kind kind, void *record);

/** A freed one is given out again, as the same object. Under the lock. */
void trk_revive(enum trk_kind kind, void *record);

/** The program was given the handle once more, or has given one back: it dies with the last. Under the lock. */
void trk_referred(void *record);
void trk_released(enum trk_kind kind, void *record);

/**
 * A live object refers to this record: it is kept although it may be freed. Pins are counted.
 *
 * @return what trk_unpin() takes; 0 for NULL
 */
uint32_t trk_pin(enum trk_kind kind, void *record);
void trk_unpin(enum trk_kind kind, uint32_t pin);

/** The record that is pinned. */
void *trk_pinned(enum trk_kind kind, uint32_t pin);

/** Name of a record: cut when too long. Between trk_change() and trk_changed(). */
void trk_set_name(void *record, const char *name);

/**
 * What the registry calls of files that use it. Each of these has an object of this type and, once, TRK_HOOKS(object): the
 * registry finds them all by the section that they are in, so that they are there before any constructor has run.
 */
struct trk_hooks {
	enum trk_kind kind; /**< of forget() */
	void (*forget)(
		void *record); /**< give back what a record of @p kind holds besides its spans: pins. Under the lock. */
	/** This handle value of @p kind is about to be another object's; @p id is the old one's. Under the lock. */
	void (*value_reused)(enum trk_kind kind, uint64_t handle, uint64_t id);
	/** Before the first trk_lock(), not under the lock: ask the loader. Any thread, any number of times. */
	void (*find)(void);
	/** Make records when the registry is set up. Under the lock, once. */
	void (*add)(void);
};
#define TRK_HOOKS(object)                                                                                              \
	static const struct trk_hooks *const object##_place __attribute__((section("trk_hooks"), used)) = &(object)

#pragma GCC visibility pop

/**
 * For a debugger that set MPI2DD_FLAG_BEING_DEBUGGED, to be called in the stopped process: forget the freed objects
 * with this handle value.
 *
 * @return how many were forgotten; -1: the registry is in use by a thread that is stopped, try later
 */
M2D_EXPORT int MPI2DD_release(int kind, uint64_t handle);

#endif /* TRK_REGISTRY_H */
