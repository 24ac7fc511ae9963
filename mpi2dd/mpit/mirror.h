/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mirror.h
 * What MPI_T knows, mirrored in the registry (include/track_layout.h, its last part) for a reader outside.
 *
 * Ours are listed when MPI_T is started or MPI_Init has returned: control variables with the address of their value,
 * performance variables with the addresses of what is counted, so that they are always what they are; registrations as
 * well. What else is mirrored is that of the last refresh: when MPI_T is started for the
 * first time, at MPI_Init, before each MPI2DD_breakpoint (and so before MPI_Abort), at MPI_Finalize, every
 * MPI2DD_REFRESH_SECONDS (0: never), and when a debugger calls MPI2DD_refresh(). Each value has its time and its cause.
 *
 * The MPI library's own (about 1100 of Open MPI's, whose first look at MPI_T takes 0.2 s) are there when the program
 * has used MPI_T, with MPI2DD_VARS=host from MPI_Init on, and after MPI2DD_refresh(); a control variable is mirrored
 * whenever the program reads or writes it. They are read only between MPI_Init and MPI_Finalize (control variables
 * before MPI_Init, too, when the program has looked at them), and not by a thread that has a signal blocked, as it has
 * in a signal handler. A thread of ours reads them under MPI_THREAD_MULTIPLE
 * only. MPI2DD_VARS=none: nothing is mirrored but registrations, unless a debugger calls MPI2DD_refresh().
 *
 * All of it is one mapping of fixed size, written under MPI_T's lock, which is never waited for: a refresh that does
 * not get it is left out. Texts are not copied but for values.
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
 * MPI2DD_REFRESH_SECONDS; and set it, at any time.
 *
 * @return MPI_SUCCESS; MPI_T_ERR_INVALID: negative, or more than 1000000; MPI_T_ERR_MEMORY: no thread
 */
extern int mpit_refresh_seconds;
int mpit_refresh_set(int seconds);

/** What its thread calls. NULL until MPI or MPI_T is started: then no interval can be set. */
extern void (*mpit_refresh)(const char *why);

/** MPI_Init has returned, successfully. */
void mpit_mirror_started(void);

/** Refresh. @param why a text that stays. Keeps errno; may be left out. */
void mpit_mirror_refresh(const char *why);

/** MPI_T was started: ours are there from now on, also before MPI_Init. With the lock held. */
void mpit_mirror_tool_started(void);

/** An object has new counters: update the mirror so that a reader outside finds them. With the lock held. */
void mpit_mirror_counters(void);

/**
 * The program has read or written a control variable of the MPI library: @p value of @p count elements. With the lock held.
 *
 * @param call its function, a text that stays
 */
void mpit_mirror_cvar(int index, const void *value, int count, const char *call);

/** List what is ours, once. With the lock held. */
void mpit_mirror_list_own(void);

/** A registration's record: never NULL; if the table is full, one that readers do not see. With the lock held. */
struct trk_registration *mpit_mirror_registration(int event, uint64_t object, uintptr_t handle);

/** A callback or a dropped handler was set; the registration was freed; no thread counts in it any more. With the lock held. */
void mpit_mirror_callback(struct trk_registration *r, int level, uint64_t function);
void mpit_mirror_dropped_handler(struct trk_registration *r, uint64_t function);
void mpit_mirror_registration_freed(struct trk_registration *r);
void mpit_mirror_registration_unused(struct trk_registration *r);

#pragma GCC visibility pop

/**
 * For a debugger, to be called in the stopped process: read everything, the MPI library's own variables too.
 *
 * As with every function that is called in a stopped process, memory is allocated: a thread that was stopped within
 * malloc() waits for itself.
 *
 * @return how many values are known now; -1: a thread was stopped while it was in MPI_T, let it run on and try again
 */
__attribute__((visibility("default"))) int MPI2DD_refresh(void);

#endif /* MPIT_MIRROR_H */
