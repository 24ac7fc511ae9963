/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mirror_type.h
 * Converts MPI_T's constants, whose values differ between MPI libraries, to those of the registry
 * (include/track_layout.h).
 */
#ifndef MPIT_MIRROR_TYPE_H
#define MPIT_MIRROR_TYPE_H

#include "../../include/track_layout.h"
#include "mpit.h"

/** TRK_VAR_OTHER: not a datatype that MPI_T variables have. */
enum trk_var_type mpit_mirror_type(MPI_Datatype datatype);

/** The same for our own types. */
enum trk_var_type mpit_mirror_own_type(enum mpit_type type);

/** Size of an element in bytes; 0: not known. */
size_t mpit_mirror_bytes(enum trk_var_type type);

/** An element as 64 bits: sign-extended, or the bits of a double. */
uint64_t mpit_mirror_number(enum trk_var_type type, const void *element);

/** The MPI_T_BIND_*, MPI_T_SCOPE_* or class constant in the registry's numbering; -1: unknown. */
int mpit_mirror_bind(int bind);
int mpit_mirror_scope(int scope);
int mpit_mirror_class(int var_class);

/** Verbosity 1 .. 9; 0: unknown. */
int mpit_mirror_verbosity(int verbosity);

#endif /* MPIT_MIRROR_TYPE_H */
