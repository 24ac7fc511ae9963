/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mirror.h
 * Mirrors the state of MPI_T in the registry (include/track_layout.h, its last part) for an outside reader.
 *
 * Our own variables are listed when MPI_T is initialized or MPI_Init has returned: control variables with the address
 * of the value, performance variables with the addresses of the counters, so that a reader always gets current values.
 * Registrations are current, too. Everything else is as of the last refresh: when MPI_T is initialized for the first
 * time, at MPI_Init, before each MPI2DD_breakpoint (and so before MPI_Abort), at MPI_Finalize, every
 * MPI2DD_REFRESH_SECONDS (0: never), and when a debugger calls MPI2DD_refresh(). Each value has the time and the cause
 * of its refresh.
 *
 * The MPI library's own variables (Open MPI has about 1100; the first query takes 0.2 s) are included once the program
 * has used MPI_T, with MPI2DD_VARS=host from MPI_Init on, and after MPI2DD_refresh(). A control variable is also
 * mirrored whenever the program reads or writes it. The library's variables are read only between MPI_Init and
 * MPI_Finalize (control variables also before MPI_Init if the program has queried them), and not by a thread that has a
 * signal blocked, because it may be in a signal handler. Our own thread reads them only under MPI_THREAD_MULTIPLE.
 * MPI2DD_VARS=none: only registrations are mirrored, unless a debugger calls MPI2DD_refresh().
 *
 * Everything is in one mapping of fixed size, written under MPI_T's lock. A refresh never waits for that lock; it is
 * skipped instead. Strings other than values are not copied.
 */
#ifndef MPIT_MIRROR_H
#define MPIT_MIRROR_H

#include "../../include/track_layout.h"
#include "mpit.h"

#pragma GCC visibility push(hidden)

/** MPI2DD_VARS: what is mirrored. */
enum mpit_vars { MPIT_VARS_NONE, MPIT_VARS_OWN, MPIT_VARS_HOST };
extern int mpit_vars;

/**
 * The value of MPI2DD_REFRESH_SECONDS, and a function to change it at any time.
 *
 * @return MPI_SUCCESS; MPI_T_ERR_INVALID: negative, or more than 1000000; MPI_T_ERR_MEMORY: no thread could be created
 */
extern int mpit_refresh_seconds;
int mpit_refresh_set(int seconds);

/** The refresh that the clock thread calls. NULL until MPI or MPI_T is initialized; no interval can be set before. */
extern void (*mpit_refresh)(const char *why);

/** MPI_Init has returned successfully. */
void mpit_mirror_started(void);

/** Refresh, unless the lock is taken. @param why the cause, a permanent string. Preserves errno. */
void mpit_mirror_refresh(const char *why);

/** MPI_T was initialized: our variables are listed from now on, also before MPI_Init. With the lock held. */
void mpit_mirror_tool_started(void);

/** An object has new counters: update the mirror so that an outside reader finds them. With the lock held. */
void mpit_mirror_counters(void);

/**
 * The program has read or written a control variable of the MPI
 * library: @p value has @p count elements. With the lock held.
 *
 * @param call name of the function called, a permanent string
 */
void mpit_mirror_cvar(int index, const void *value, int count, const char *call);

/** List our own variables, categories and events, once. With the lock held. */
void mpit_mirror_list_own(void);

/**
 * Allocate the record of a registration. Never NULL: if the table is full, returns a record that readers do not see.
 * With the lock held.
 */
struct trk_registration *mpit_mirror_registration(int event, uint64_t object, uintptr_t handle);

/**
 * Update the record: a callback or a dropped handler was set; the registration was freed; no thread uses it any more.
 * With the lock held.
 */
void mpit_mirror_callback(struct trk_registration *r, int level, uint64_t function);
void mpit_mirror_dropped_handler(struct trk_registration *r, uint64_t function);
void mpit_mirror_registration_freed(struct trk_registration *r);
void mpit_mirror_registration_unused(struct trk_registration *r);

#pragma GCC visibility pop

/**
 * Read everything, including the MPI library's own variables. A debugger calls it in the stopped process.
 *
 * Like every function called in a stopped process, it may deadlock: it allocates memory, and a thread may have been
 * stopped inside malloc().
 *
 * @return how many values are known now; -1: a thread was stopped inside MPI_T: let it continue and try again
 */
__attribute__((visibility("default"))) int MPI2DD_refresh(void);

#endif /* MPIT_MIRROR_H */
