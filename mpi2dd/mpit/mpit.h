/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpit.h
 * Our implementation of MPI_T: the host's variables and categories together with our own, and events on every host.
 *
 * Nothing that the program passes is dereferenced before it is known to be ours: a handle is a number cast to a
 * pointer, made of a slot and the number of times the slot was used. Every index and handle is checked before the host
 * sees it. The host's MPI_T is initialized once, when it is first needed, and never finalized (Open MPI 4.1 crashes in
 * MPI_T_finalize after MPI_Finalize, MPICH 4.0 at a second initialization), with the thread level that MPI_Query_thread
 * reports (Open MPI takes over MPI_T's level as MPI's own).
 *
 * One lock covers everything except the eleven functions that must work in any callback, even in a signal handler:
 * event_copy, event_get_source, event_get_timestamp, event_read, pvar_read, pvar_readreset, pvar_reset, pvar_start,
 * pvar_stop, pvar_write, source_get_timestamp.
 */
#ifndef MPIT_MPIT_H
#define MPIT_MPIT_H

#include "../../include/mpi2dd_mpit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Define mpit_x, the implementation of MPI_T_x and PMPI_T_x
 * (mpi2dd/calls/entry.c): MPIT(cvar_get_num, (int *n)) { ... }
 */
#define MPIT(name, params)                                                                                             \
	int mpit_##name params;                                                                                        \
	int mpit_##name params

/* ---- initialization and lock --------------------------------------------------------------------------- */

/**
 * Begin a function of MPI_T. On MPI_SUCCESS the lock is held; errors: MPI_T is not initialized, or a callback is
 * running that must not take the lock.
 */
int mpit_enter(void);
/** Release the lock. @return @p rc. */
int mpit_leave(int rc);
/**
 * Take the lock if possible without waiting, whether or not MPI_T is initialized; mpit_leave() releases it.
 *
 * @return false: held by another thread or by this one, or this thread runs a callback that must not take it
 */
bool mpit_try_lock(void);
/** MPI_T is initialized once more. Takes the lock. @return true: it was not initialized before */
bool mpit_start(void);
/** MPI_T is finalized once. With the lock held. @return false: it was not initialized */
bool mpit_end(void);
/** Like mpit_enter(), for the eleven functions: takes no lock. */
int mpit_enter_anywhere(void);
/** Safety level of the callback that this thread is running; -1: none. At ASYNC_SIGNAL_SAFE the lock is refused. */
extern __thread int mpit_callback_level __attribute__((tls_model("initial-exec")));

/** Is MPI initialized and not finalized? */
bool mpit_mpi_is_up(void);

/* ---- the host ----------------------------------------------------------------------------------------- */

/** The host's functions; NULL: the host has no such function. */
struct mpit_host {
#define HOST(name, params) int(*name) params;
#include "host.def"
#undef HOST
};

/** The host, with its MPI_T initialized; NULL: no host, or it can no longer be used. With the lock held. */
const struct mpit_host *mpit_host(void);

/** Store the level that the program requests in MPI_T_init_thread, in case the host is needed before MPI_Init. */
void mpit_host_wanted_level(int required);

/** The host if its MPI_T is already initialized; else NULL. */
const struct mpit_host *mpit_host_known(void);

/** Is it safe to read or write the value of this variable of the host now? (Open MPI crashes on some.) */
bool mpit_host_is_safe(const char *variable);

/**
 * Basic types of our own variables. Open MPI's MPI_Datatype values
 * are addresses of objects, known once its library is loaded.
 */
enum mpit_type {
	MPIT_INT,
	MPIT_CHAR,
	MPIT_UNSIGNED_LONG_LONG,
	MPIT_UNSIGNED_LONG,
	MPIT_DOUBLE,
	MPIT_UINT64,
	MPIT_INT32
};
MPI_Datatype mpit_datatype(enum mpit_type type);

/* ---- strings (convention of MPI 4.1, section 16.3.3) ----------------------------------------------------- */

/**
 * Return a string to the program: at most *len - 1 characters and a NUL; *len = length + 1. @p buf and @p len may be
 * NULL; a NULL @p text counts as "".
 */
void mpit_text(const char *text, char *buf, int *len);

/** Copy a string with malloc(); NULL: out of memory. */
char *mpit_copy_string(const char *text);

/* ---- handles ------------------------------------------------------------------------------------------ */

enum mpit_kind { MPIT_ENUM = 1, MPIT_CVAR, MPIT_SESSION, MPIT_PVAR, MPIT_REGISTRATION };

/** Create a handle for an object. @return 0: no room. With the lock held. */
uintptr_t mpit_handle_make(enum mpit_kind kind, void *object);
/** The object of a handle; NULL: never a handle, of another kind, or freed. Takes no lock; async-signal-safe. */
void *mpit_handle_find(enum mpit_kind kind, uintptr_t handle);
/** Invalidate a handle. With the lock held. */
void mpit_handle_drop(enum mpit_kind kind, uintptr_t handle);

/** The bits of the MPI handle that an obj_handle points to; 0 for MPI_T_BIND_NO_OBJECT, where it is ignored. */
uint64_t mpit_object_bits(int bind, const void *obj_handle);

/* ---- names -> indices --------------------------------------------------------------------------------- */

/** A set of names that only grows. Initialize with zero. */
struct mpit_names {
	struct mpit_name {
		char *name; /**< borrowed */
		int key, index;
	} * slots;
	size_t n, capacity;
};

/** @param key distinguishes equal names (the class of a performance variable; else 0). @return the index, or -1. */
int mpit_names_find(const struct mpit_names *set, const char *name, int key);
/** @param name borrowed. @return false: already in the set, or out of memory. */
bool mpit_names_add(struct mpit_names *set, char *name, int key, int index);

/* ---- enumerations ------------------------------------------------------------------------------------- */

/** Wrap a host's enumeration; the same one gives the same handle, MPI_T_ENUM_NULL itself. With the lock held. */
MPI_T_enum mpit_enum_of_host(MPI_T_enum host);

/** One of our enumerations: @p n items, static. */
struct mpit_enum_item {
	int value;
	const char *name;
};
MPI_T_enum mpit_enum_own(const char *name, const struct mpit_enum_item *items, int n);

/** The name of an enumeration and of a value in it; both may be NULL. With the lock held. */
void mpit_enum_names(MPI_T_enum enumtype, int value, const char **name, const char **item);

/* ---- change counter ----------------------------------------------------------------------------------- */

/** A category was added, or something was added to one: MPI_T_category_changed increases. With the lock held. */
void mpit_changed(void);

/** How many times mpit_changed() was called. */
int mpit_n_changes(void);

/* ---- index spaces ------------------------------------------------------------------------------------- */

/** Take in what is new in the host; cheap if nothing is. With the lock held. */
void mpit_cvars_refresh(void);
void mpit_pvars_refresh(void);
void mpit_categories_refresh(void);

/** Our index of a host's variable; -1: not known. With the lock held. */
int mpit_cvar_of_host(int host_index);
int mpit_pvar_of_host(int host_index);

/** The index of one of our own variables or events by name; for the category tree. */
int mpit_cvar_index(const char *name);
int mpit_pvar_index(const char *name);
int mpit_event_index(const char *name);

#endif /* MPIT_MPIT_H */
