/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file forms.h
 * Macros for calls.def: which rows of functions/functions.def become calls, and their parameters.
 */
#ifndef M2D_FORMS_H
#define M2D_FORMS_H

#include "host.h"

/* What the host's header declares. Open MPI 5 has parts of MPI 4 but reports version 3.1. */
#if MPI_VERSION >= 4
#define M2D_MPI4         1
#define M2D_LARGE_COUNTS 1
#elif defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5
#define M2D_MPI4         1
#define M2D_LARGE_COUNTS 0
#else
#define M2D_MPI4         0
#define M2D_LARGE_COUNTS 0
#endif

/* ---- the column of forms: a macro for each value, C is CALL or QUICK_CALL ---------------------------------- */

#define FORM_NONE(...)
#define FORM_MPI(C, name, ...)    C(name, MPI_##name, __VA_ARGS__)
#define FORM_X(C, name, ...)      C(X_##name, MPIX_##name, __VA_ARGS__)
#define FORM_COUNTS(C, name, ...) C(name##_c, MPI_##name##_c, __VA_ARGS__)

#define FORM_EVERY    FORM_MPI
#define FORM_EVERY_C  FORM_MPI
#define LARGE_EVERY   FORM_NONE
#define LARGE_EVERY_C FORM_COUNTS
#define LARGE_MPI4    FORM_NONE
#define LARGE_MPI4_C  FORM_COUNTS
#if M2D_MPI4
#define FORM_MPI4       FORM_MPI
#define FORM_PERSISTENT FORM_MPI
#elif defined(OPEN_MPI) && OMPI_MAJOR_VERSION == 4
#define FORM_MPI4       FORM_NONE
#define FORM_PERSISTENT FORM_X /* MPIX_Bcast_init and so on */
#else
#define FORM_MPI4       FORM_NONE
#define FORM_PERSISTENT FORM_NONE
#endif
#define FORM_MPI4_C              FORM_MPI4
#define FORM_PERSISTENT_EVERY    FORM_PERSISTENT
#define FORM_PERSISTENT_EVERY_C  FORM_PERSISTENT
#define LARGE_PERSISTENT_EVERY   FORM_NONE
#define LARGE_PERSISTENT_EVERY_C FORM_COUNTS
#if M2D_LARGE_COUNTS
#define FORM_LARGE FORM_MPI
#else
#define FORM_LARGE FORM_NONE
#endif
#define LARGE_LARGE FORM_NONE
#define FORM_MPIX   FORM_X
#define LARGE_MPIX  FORM_NONE
#if defined(OPEN_MPI)
#define FORM_OPENMPI FORM_MPI
#define FORM_MPICHX  FORM_NONE
#define FORM_ABI     FORM_NONE
#elif defined(M2D_ABI)
#define FORM_OPENMPI FORM_NONE
#define FORM_MPICHX  FORM_NONE
#define FORM_ABI     FORM_MPI
#else
#define FORM_OPENMPI FORM_NONE
#define FORM_MPICHX  FORM_X
#define FORM_ABI     FORM_NONE
#endif
#define LARGE_OPENMPI FORM_NONE
#define LARGE_MPICHX  FORM_NONE
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40300000 && !defined(M2D_ABI)
#define FORM_MPICHX_4_3 FORM_X
#else
#define FORM_MPICHX_4_3 FORM_NONE
#endif
#define LARGE_MPICHX_4_3 FORM_NONE
#define LARGE_ABI        FORM_NONE

/* ---- the column of waits: the time of calls that may wait is recorded ---------------------------------------- */

#define IF_FN_LOCAL(...)
#define IF_FN_POLL(...)
#define IF_FN_BUFFERED(...)
#define IF_FN_ALL(...)        __VA_ARGS__
#define IF_FN_SOME(...)       __VA_ARGS__
#define IF_FN_COLLECTIVE(...) __VA_ARGS__
#define IF_FN_NEIGHBORS(...)  __VA_ARGS__
#define IF_FN_WINDOW(...)     __VA_ARGS__
#define IF_FN_INIT(...)       __VA_ARGS__
#define IF_FN_FINALIZE(...)   __VA_ARGS__
#define IF_FN_UNFOLLOWED(...) __VA_ARGS__

/*
 * ---- parameters: (int, a)(int, b) -> (int a, int b) and (a, b) ------------------------------------------------
 *
 * The first macro, then two others by turns, take one pair each; the name of the last one is removed.
 */

#define PARAMS(parameters)    (LAST(PARAM parameters))
#define PARAM(type, name)     type name PARAM_ONE
#define PARAM_ONE(type, name) , type name PARAM_TWO
#define PARAM_TWO(type, name) , type name PARAM_ONE
#define PARAM_ONE_LAST
#define PARAM_TWO_LAST
#define PARAM_LAST          void
#define ARGS(parameters)    (LAST(ARG parameters))
#define ARG(type, name)     name ARG_ONE
#define ARG_ONE(type, name) , name ARG_TWO
#define ARG_TWO(type, name) , name ARG_ONE
#define ARG_LAST
#define ARG_ONE_LAST
#define ARG_TWO_LAST
#define LAST(...)  LAST_(__VA_ARGS__)
#define LAST_(...) __VA_ARGS__##_LAST
/* MPI_Group_range_incl: RANGE * is int (*)[3]. */
#define RANGE __typeof__(int[3])
/* no parameters */
#define NONE

#endif /* M2D_FORMS_H */
