/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file registry.h
 * The registry of MPI objects (include/track_layout.h), seen from inside the process: slabs, and how records are found,
 * created and released.
 *
 * Every kind except requests, which have their own rules (requests.h), is written under one lock: trk_lock(). No MPI
 * function may be called while it is held, because it may call back into the program: query first, then write. (The
 * functions that return a Fortran index invoke no callback.)
 *
 *  if (!trk_lock()) return;
 *  struct trk_op *r = trk_create(TRK_OP, TRK_BITS(*op), 0);
 *  if (r) { r->function = ...; trk_publish(TRK_OP, r); }
 *  trk_unlock();
 *
 * A record may be written between trk_create() or trk_change(), which make its sequence odd, and trk_publish() or
 * trk_changed(), which make it even again.
 *
 * Records of freed objects stay in state TRK_FREED; when their handle value is reused they become TRK_EARLIER. A
 * quarter of the slab is available for them, or all of the free space if a debugger is attached
 * (MPI2DD_FLAG_BEING_DEBUGGED). The object that was freed first is forgotten first. A record that is pinned, because a
 * live object refers to it, is kept.
 *
 * Environment variables: MPI2DD_TRACK_COMM=N sets a capacity (_GROUP, _DATATYPE, _ERRHANDLER, _FILE, _INFO, _OP,
 * _REQUEST, _WIN, _MESSAGE, _SESSION, _KEYVAL); 0: the kind is not recorded. MPI2DD_TRACK=0: nothing is recorded.
 * MPI2DD_TRACK_WHERE=N: return addresses recorded for each creation. MPI2DD_TRACK_FREED=N: records of freed objects
 * kept for each kind, instead of a quarter of the slab. MPI2DD_TRACK_ARENA=bytes: memory for lists (arena.h).
 */
#ifndef TRK_REGISTRY_H
#define TRK_REGISTRY_H

#include "../../include/track_layout.h"
#include "../calls/calls.h"
#include "head.h"
#include "threads.h"

#pragma GCC visibility push(hidden)

/** The beginning of every record except requests. */
struct trk_object {
	TRK_OBJECT_FIELDS(TRK_FIELD)
};

/**
 * Take the registry's lock; the first call sets the registry up. Preserves errno. Below MPI_THREAD_MULTIPLE a flag is
 * used instead of a lock.
 *
 * @return false: the calling thread already holds it (a signal handler interrupted our code), or there is no memory. Do
 *         not touch the registry then, and do not unlock.
 */
bool trk_lock(void);
void trk_unlock(void);

/**
 * The slab of a kind; may be called before the library's constructors
 * have run. Other threads update its counters: read them atomically.
 */
const struct trk_slab *trk_slab_of(enum trk_kind kind);

/** After MPI_Init: may several threads call MPI at the same time? */
void trk_set_multiple(bool is);

/** The live record with this handle value; NULL: none. Under the lock. */
void *trk_find(enum trk_kind kind, uint64_t handle);

/** Like trk_find(); if there is no live record, the one freed last. */
void *trk_find_any(enum trk_kind kind, uint64_t handle);

/** Like trk_find(), without the lock: the object may be freed at any time. Safe at any time; bounded. */
void *trk_find_unlocked(enum trk_kind kind, uint64_t handle);

/** Number of the live object with this handle value; 0: none recorded. Under the lock. */
uint64_t trk_id_of(enum trk_kind kind, uint64_t handle);

/**
 * Create the record of a new object: its common fields are filled in, the rest is zero, its sequence is odd. Finish
 * with trk_publish(). If a live record has the same handle value, its object was freed by a call that is not recorded;
 * it becomes TRK_EARLIER. Under the lock.
 *
 * @param parent number of the object that it was created from, or 0
 * @return NULL: the slab is full, which is counted
 */
void *trk_create(enum trk_kind kind, uint64_t handle, uint64_t parent);

/** Begin to change a record: its sequence becomes odd. */
static inline void trk_change(void *record)
{
	struct trk_object *o = record;

	o->sequence++;
	trk_order();
}

/**
 * Publish a record that was created or changed: its sequence becomes even, and a new record becomes live, so that it
 * can be found.
 */
void trk_publish(enum trk_kind kind, void *record);

/** End a change: the sequence becomes even again. */
static inline void trk_changed(void *record)
{
	struct trk_object *o = record;

	trk_order();
	o->sequence++;
}

/** The program has freed the handle. Under the lock. Ignores NULL and predefined objects. */
void trk_release_handle(enum trk_kind kind, void *record);

/** The library returns the handle of a freed object again, for the same object. Under the lock. */
void trk_revive(enum trk_kind kind, void *record);

/**
 * The program has received the handle once more, or has given one back; the object is freed with the last reference.
 * Under the lock.
 */
void trk_add_reference(void *record);
void trk_drop_reference(enum trk_kind kind, void *record);

/**
 * Keep this record, because a live object refers to it, even when it is freed. Pins are counted.
 *
 * @return the argument for trk_unpin(); 0 for NULL
 */
uint32_t trk_pin(enum trk_kind kind, void *record);
void trk_unpin(enum trk_kind kind, uint32_t pin);

/** The record of a pin. */
void *trk_pinned(enum trk_kind kind, uint32_t pin);

/** Set the name of a record; cut off if too long. Between trk_change() and trk_changed(). */
void trk_set_name(void *record, const char *name);

/**
 * Callbacks from the registry into the files that use it. Each of these files has
 * one object of this type and, once, TRK_HOOKS(object). The registry finds them
 * through a linker section, so that they exist before any constructor has run.
 */
struct trk_hooks {
	enum trk_kind kind; /**< the kind that `forget` is for */
	void (*forget)(
		void *record); /**< release what a record of @p kind holds besides its spans: pins. Under the lock. */
	/**
	 * The handle value of an object of @p kind is about to be
	 * reused; @p id is the old object's number. Under the lock.
	 */
	void (*value_reused)(enum trk_kind kind, uint64_t handle, uint64_t id);
	/** Before the first trk_lock(), without the lock: look up symbols. Any thread, any number of times. */
	void (*find)(void);
	/** Create records when the registry is set up. Under the lock, once. */
	void (*add)(void);
};
#define TRK_HOOKS(object)                                                                                              \
	static const struct trk_hooks *const object##_place __attribute__((section("trk_hooks"), used)) = &(object)

#pragma GCC visibility pop

/**
 * Forget the freed objects with this handle value. A debugger that has set MPI2DD_FLAG_BEING_DEBUGGED may call it in
 * the stopped process.
 *
 * @return how many were forgotten; -1: a stopped thread is using the registry, try again later
 */
M2D_EXPORT int MPI2DD_release(int kind, uint64_t handle);

/**
 * The same for one object, by its number: `id` of its record, of a request the address of the record
 * (mpidbg_object_t.number). Objects that had the same handle value remain.
 */
M2D_EXPORT int MPI2DD_release_number(int kind, uint64_t number);

#endif /* TRK_REGISTRY_H */
