/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file session.h
 * Sessions (MPI 4). See objects.h.
 */
#ifndef TRK_SESSION_H
#define TRK_SESSION_H

#include "objects.h"

#pragma GCC visibility push(hidden)

#if M2D_MPI4
/** A session was created. @return true: nothing had initialized MPI before */
bool trk_session_made(MPI_Info info, uint64_t errhandler, MPI_Session session);

/**
 * The group of all processes (the set "mpi://WORLD"). @return
 * false: the library does not know it. true: the caller frees *ret.
 */
bool trk_session_world(MPI_Session session, MPI_Group *ret);
#endif

#pragma GCC visibility pop

#endif /* TRK_SESSION_H */
