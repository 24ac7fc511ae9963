/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file win.h
 * Windows: memory, communicator, and the state of synchronisation. See objects.h.
 *
 * The epoch functions write what the call does; those that do not wait are written after it, those that wait (start
 * of an epoch that the library may delay) as well: a thread that is inside of one is seen by its current call.
 */
#ifndef TRK_WIN_H
#define TRK_WIN_H

#include "objects.h"

#pragma GCC visibility push(hidden)

/** A new window. @p base, @p size, @p unit as given; of MPI_Win_create_dynamic 0, 0, 1. */
void trk_win_made(const void *base, int64_t size, int64_t unit, MPI_Info info, MPI_Comm comm, MPI_Win win);
void trk_win_info(MPI_Win win, MPI_Info info);

/** MPI_Win_fence with its assertion. */
void trk_win_fenced(MPI_Win win, int assertion);
void trk_win_started(MPI_Win win, MPI_Group group);
void trk_win_completed(MPI_Win win);
void trk_win_posted(MPI_Win win, MPI_Group group);
/** MPI_Win_wait, or a true MPI_Win_test. */
void trk_win_waited(MPI_Win win);
/** @p type MPI_LOCK_SHARED or _EXCLUSIVE; 0: unlocked. */
void trk_win_locked(MPI_Win win, int rank, int type);
void trk_win_locked_all(MPI_Win win, bool locked);
/** Any other synchronisation call: flush, sync, a false MPI_Win_test. */
void trk_win_synchronised(MPI_Win win);
void trk_win_attached(MPI_Win win, const void *base, int64_t size);
void trk_win_detached(MPI_Win win, const void *base);

#pragma GCC visibility pop

#endif /* TRK_WIN_H */
