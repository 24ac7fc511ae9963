/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file errhandler.h
 * Error handlers. See objects.h.
 */
#ifndef TRK_ERRHANDLER_H
#define TRK_ERRHANDLER_H

#include "objects.h"

#pragma GCC visibility push(hidden)

/**
 * An error handler was created. @param kind kind of the objects
 * it can be attached to. @param language 1 C, 2 Fortran, 3 C++.
 */
void trk_errhandler_made(enum trk_kind kind, const void *function, unsigned language, uint64_t errhandler);

/** MPI_Comm_get_errhandler and similar have returned it: one more reference. */
void trk_errhandler_returned(enum trk_kind kind, uint64_t errhandler);

#pragma GCC visibility pop

#endif /* TRK_ERRHANDLER_H */
