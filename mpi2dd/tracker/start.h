/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file start.h
 * Initialization and finalization of MPI, as recorded in the registry's head.
 */
#ifndef TRK_START_H
#define TRK_START_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/**
 * MPI_Init or MPI_Init_thread has returned @p rc: fill in the head and the facts about predefined objects.
 *
 * @return true: it has succeeded, for the first time
 */
bool trk_mpi_started(int rc);

/**
 * MPI_Session_init has returned. Without MPI_Init, the session's set "mpi://WORLD" counts as the world.
 *
 * @param rank, size of this process in that set; -1: not known
 * @return true: nothing had initialized MPI before
 */
bool trk_session_started(int rank, int size);

/** MPI_Finalize has returned @p rc. */
void trk_mpi_finished(int rc);

#pragma GCC visibility pop

#endif /* TRK_START_H */
