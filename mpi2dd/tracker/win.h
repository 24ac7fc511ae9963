/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file win.h
 * Windows: memory, communicator, and the state of synchronization. See objects.h.
 *
 * The epoch functions record the effect of a call after it has returned, also for calls that wait (a library may delay
 * the start of an epoch). While a thread is inside such a call, its current call shows that.
 */
#ifndef TRK_WIN_H
#define TRK_WIN_H

#include "objects.h"

#pragma GCC visibility push(hidden)

/** A window was created. @param base, size, unit as passed; for MPI_Win_create_dynamic 0, 0, 1. */
void trk_win_made(const void *base, int64_t size, int64_t unit, MPI_Info info, MPI_Comm comm, MPI_Win win);
void trk_win_info(MPI_Win win, MPI_Info info);

/** MPI_Win_fence. @param assertion as passed. */
void trk_win_fenced(MPI_Win win, int assertion);
void trk_win_started(MPI_Win win, MPI_Group group);
void trk_win_completed(MPI_Win win);
void trk_win_posted(MPI_Win win, MPI_Group group);
/** MPI_Win_wait, or MPI_Win_test with a true flag. */
void trk_win_waited(MPI_Win win);
/** MPI_Win_lock or MPI_Win_unlock. @param type MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE; 0: unlocked. */
void trk_win_locked(MPI_Win win, int rank, int type);
void trk_win_locked_all(MPI_Win win, bool locked);
/**
 * MPI_Win_flush or MPI_Win_flush_all (target -1). If this thread has accessed the target since a lock was last
 * requested, the lock is held: MPI may grant it after MPI_Win_lock, but not after the access is complete at the target.
 */
void trk_win_flushed(MPI_Win win, int target);
/** Any other synchronization call: local flush, sync, MPI_Win_test with a false flag. */
void trk_win_synchronised(MPI_Win win);
void trk_win_attached(MPI_Win win, const void *base, int64_t size);
void trk_win_detached(MPI_Win win, const void *base);

#pragma GCC visibility pop

#endif /* TRK_WIN_H */
