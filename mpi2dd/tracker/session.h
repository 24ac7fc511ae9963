/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file session.h
 * Sessions (MPI 4). See objects.h.
 */
#ifndef TRK_SESSION_H
#define TRK_SESSION_H

#include "objects.h"

#pragma GCC visibility push(hidden)

void trk_session_made(MPI_Info info, uint64_t errhandler, uint64_t session);

#pragma GCC visibility pop

#endif /* TRK_SESSION_H */
