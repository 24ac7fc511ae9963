/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mirror_type.h
 * Numbers of MPI_T, which differ from one MPI to the next, as the registry has them (include/track_layout.h).
 */
#ifndef MPIT_MIRROR_TYPE_H
#define MPIT_MIRROR_TYPE_H

#include "../../include/track_layout.h"
#include "mpit.h"

/** TRK_VAR_OTHER: none that MPI_T has variables of. */
enum trk_var_type mpit_mirror_type(MPI_Datatype datatype);

/** The same of ours. */
enum trk_var_type mpit_mirror_own_type(enum mpit_type type);

/** Bytes of an element; 0: not known. */
size_t mpit_mirror_bytes(enum trk_var_type type);

/** An element as 64 bits: sign-extended, or the bits of a double. */
uint64_t mpit_mirror_number(enum trk_var_type type, const void *element);

/** -1: another one. */
int mpit_mirror_bind(int bind);
int mpit_mirror_scope(int scope);
int mpit_mirror_class(int var_class);

/** 1 .. 9; 0: another one. */
int mpit_mirror_verbosity(int verbosity);

#endif /* MPIT_MIRROR_TYPE_H */
