/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpit.h
 * Our MPI_T: the host's variables and categories beside our own, and events on every host.
 *
 * Nothing that the program hands us is dereferenced before it is known to be ours: a handle is a number that names a
 * slot and how often the slot was used, dressed as a pointer. Every index and handle is checked before the host sees
 * it. The host is asked through one permanent reference, taken when it is first needed and never given back (Open MPI
 * 4.1 crashes in MPI_T_finalize after MPI_Finalize, MPICH 4.0 after a second start), with the thread level that
 * MPI_Query_thread reports (Open MPI takes MPI_T's level for MPI's own).
 *
 * One lock covers everything but the eleven functions that must work in any callback, also in a signal handler:
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
 * Define mpit_x, which MPI_T_x and PMPI_T_x lead to (mpi2dd/calls/entry.c), as MPIT(cvar_get_num, (int *n)) { ... }
 */
#define MPIT(name, params)                                                                                             \
	int mpit_##name params;                                                                                        \
	int mpit_##name params

/* ---- life -------------------------------------------------------------------------------------------- */

/** Enter a function: initialised, and not in a callback that forbids it? Takes the lock on MPI_SUCCESS. */
int mpit_enter(void);
/** Give the lock back. @return @p rc. */
int mpit_leave(int rc);
/**
 * Take the lock, initialised or not, if that can be done at once; mpit_leave() gives it back.
 *
 * @return false: another thread has it, or this one does, or runs a callback in which it must not be taken
 */
bool mpit_try_lock(void);
/** MPI_T is started once more. Takes the lock. @return true: it was not started */
bool mpit_start(void);
/** It is started once less. With the lock held. @return false: it was not started */
bool mpit_end(void);
/** As mpit_enter() for the eleven: takes no lock. */
int mpit_enter_anywhere(void);
/** Level of the callback that this thread runs, -1: none. The lock is refused at ASYNC_SIGNAL_SAFE. */
extern __thread int mpit_callback_level __attribute__((tls_model("initial-exec")));

/** Is MPI initialised and not finalised? */
bool mpit_mpi_is_up(void);

/* ---- the host ----------------------------------------------------------------------------------------- */

/** The host's functions; a NULL member: it has none. */
struct mpit_host {
#define HOST(name, params) int(*name) params;
#include "host.def"
#undef HOST
};

/** The host, initialised, or NULL: none, or it cannot be had any more. With the lock held. */
const struct mpit_host *mpit_host(void);

/** Level that the program asks for in MPI_T_init_thread, for a host that is needed before MPI_Init. */
void mpit_host_wanted_level(int required);

/** The host as far as it is initialised already: NULL, not yet. */
const struct mpit_host *mpit_host_known(void);

/** May the value of a host's variable be read or written now? (Open MPI crashes on some.) */
bool mpit_host_is_safe(const char *variable);

/** Basic types of our own variables. Open MPI's are addresses of objects: known when its library is there. */
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

/* ---- strings (the convention of MPI 4.1, 16.3.3) ---------------------------------------------------------- */

/** Copy out: at most *len - 1 characters and a NUL; *len = length + 1. @p buf, @p len may be NULL; @p text NULL is "". */
void mpit_text(const char *text, char *buf, int *len);

/** Copy of a text, or NULL without memory. */
char *mpit_copy(const char *text);

/* ---- handles ------------------------------------------------------------------------------------------ */

enum mpit_kind { MPIT_ENUM = 1, MPIT_CVAR, MPIT_SESSION, MPIT_PVAR, MPIT_REGISTRATION };

/** Make a handle for an object. @return 0: no room. With the lock held. */
uintptr_t mpit_handle_make(enum mpit_kind kind, void *object);
/** The object, or NULL: never was one, of another kind, or freed. Takes no lock; safe in a signal handler. */
void *mpit_handle_find(enum mpit_kind kind, uintptr_t handle);
/** Forget. With the lock held. */
void mpit_handle_drop(enum mpit_kind kind, uintptr_t handle);

/** Bits of the MPI handle that an obj_handle points to; 0 for MPI_T_BIND_NO_OBJECT, whatever it is. */
uint64_t mpit_object_bits(int bind, const void *obj_handle);

/* ---- names -> indices --------------------------------------------------------------------------------- */

/** A set of names that only grows. Start with all zero. */
struct mpit_names {
	struct mpit_name {
		char *name; /**< borrowed */
		int key, index;
	} * slots;
	size_t n, capacity;
};

/** @p key tells equal names apart (the class of a pvar; 0). @return the index, or -1. */
int mpit_names_find(const struct mpit_names *set, const char *name, int key);
/** @return false: already there, or no memory. */
bool mpit_names_add(struct mpit_names *set, char *name, int key, int index);

/* ---- enumerations ------------------------------------------------------------------------------------- */

/** Wrap a host's enumeration; the same one gives the same handle. MPI_T_ENUM_NULL gives itself. With the lock held. */
MPI_T_enum mpit_enum_of_host(MPI_T_enum host);

/** An enumeration of ours: @p n items, static. */
struct mpit_enum_item {
	int value;
	const char *name;
};
MPI_T_enum mpit_enum_own(const char *name, const struct mpit_enum_item *items, int n);

/** Names of an enumeration and of a value in it. Both may come back NULL. With the lock held. */
void mpit_enum_names(MPI_T_enum enumtype, int value, const char **name, const char **item);

/* ---- change counter ----------------------------------------------------------------------------------- */

/** Something was added to a category, or a category was: MPI_T_category_changed grows. With the lock held. */
void mpit_changed(void);

/** How often mpit_changed() was called. */
int mpit_n_changes(void);

/* ---- index spaces ------------------------------------------------------------------------------------- */

/** Take in what the host has new; cheap when it has nothing. With the lock held. */
void mpit_cvars_refresh(void);
void mpit_pvars_refresh(void);
void mpit_categories_refresh(void);

/** Our index of a host's variable or category; -1: not seen. With the lock held. */
int mpit_cvar_of_host(int host_index);
int mpit_pvar_of_host(int host_index);

/** Index of one of ours by name; for the category tree. */
int mpit_cvar_index(const char *name);
int mpit_pvar_index(const char *name);
int mpit_event_index(const char *name);

#endif /* MPIT_MPIT_H */
