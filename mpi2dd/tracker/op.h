/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file op.h
 * Reduction operations of the program. See objects.h.
 */
#ifndef TRK_OP_H
#define TRK_OP_H

#include "objects.h"

#pragma GCC visibility push(hidden)

/** @param large made by MPI_Op_create_c */
void trk_op_made(const void *function, int commutative, bool large, unsigned language, MPI_Op op);

/** The function of an operation that is there is another than the C function was given: a binding's. */
void trk_op_is_of(MPI_Op op, const void *function, unsigned language);

#pragma GCC visibility pop

#endif /* TRK_OP_H */
