/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file predefined.h
 * Records of the predefined objects, including the null handles. They are created when the registry is set up, before
 * MPI_Init; the facts that the MPI library knows about them are added after MPI_Init. `predefined` is 1, and the
 * creating call is TRK_NO_CALL.
 */
#ifndef TRK_PREDEFINED_H
#define TRK_PREDEFINED_H

#include "registry.h"

#pragma GCC visibility push(hidden)

/**
 * Query the predefined objects, except communicators. After MPI_Init or MPI_Session_init.
 *
 * @param fortran the MPI library has Fortran's datatypes; otherwise nothing is asked about them
 */
void trk_predefined_query(bool fortran);

/** Query the predefined attributes of MPI_COMM_WORLD, once MPI is initialized and it exists. */
void trk_predefined_query_world(void);

/** The program has called MPI_Comm_get_attr. @param flag whether the attribute exists. */
void trk_predefined_attribute_returned(int key, int flag);

/** An error code was added: MPI_LASTUSEDCODE may have changed. */
void trk_predefined_new_code(void);

/** Is this the name of a null handle? */
bool trk_is_null_name(const char *name);

#pragma GCC visibility pop

#endif /* TRK_PREDEFINED_H */
