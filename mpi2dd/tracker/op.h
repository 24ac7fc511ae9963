/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file op.h
 * Reduction operations created by the program. See objects.h.
 */
#ifndef TRK_OP_H
#define TRK_OP_H

#include "objects.h"

#pragma GCC visibility push(hidden)

/** An operation was created. @param large by MPI_Op_create_c. */
void trk_op_made(const void *function, int commutative, bool large, unsigned language, MPI_Op op);

/** Replace the recorded function of an operation: the C function was called with a function of the binding. */
void trk_op_set_function(MPI_Op op, const void *function, unsigned language);

#pragma GCC visibility pop

#endif /* TRK_OP_H */
