/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file objects.h
 * What all kinds of objects have in common: freeing, names, Fortran indices, error handlers.
 *
 * All functions of these headers (comm.h, group.h ...) are called after the real function has succeeded, with the
 * handles that the program passed and received. They ignore handles that are not recorded, and may change errno.
 */
#ifndef TRK_OBJECTS_H
#define TRK_OBJECTS_H

#include "registry.h"

#pragma GCC visibility push(hidden)

/** Number of the live object with this handle value; 0: none. Takes the lock. */
uint64_t trk_id(enum trk_kind kind, uint64_t handle);

/**
 * The program has freed a handle. @param id what trk_id() returned
 * before the call; by now the value may belong to another object.
 */
void trk_freed(enum trk_kind kind, uint64_t handle, uint64_t id);

/** Is this a predefined or a null handle? */
bool trk_is_predefined(enum trk_kind kind, uint64_t handle);

void trk_named(enum trk_kind kind, uint64_t handle, const char *name);

/** The program has received the Fortran index of this object. */
void trk_fortran(enum trk_kind kind, uint64_t handle, int index);

/** The Fortran index of an object whose record is being created: between trk_create() and trk_publish(). */
static inline void trk_set_fortran(void *record, int index)
{
	struct trk_object *o = record;

	o->fortran = index;
	o->has_fortran = 1;
}

/**
 * Set it from the library's own conversion; MPICH's handles are that number. For the ABI, predefined handles are, too,
 * and a library may lack the function. Not for files: MPICH creates their index when it is asked for.
 */
#if defined(OPEN_MPI)
#define TRK_SET_FORTRAN(record, kind, handle) trk_set_fortran(record, m2d_pmpi.kind##_c2f(handle))
#elif defined(M2D_ABI)
#define TRK_SET_FORTRAN(record, kind, handle)                                                                          \
	do {                                                                                                           \
		if (m2d_pmpi.kind##_toint)                                                                             \
			trk_set_fortran(record, m2d_pmpi.kind##_toint(handle));                                        \
	} while (0)
#else
#define TRK_SET_FORTRAN(record, kind, handle) (void)(handle)
#endif

/** An error handler was attached to a communicator, file, window or session. */
void trk_errhandler_attached(enum trk_kind kind, uint64_t object, uint64_t errhandler);

/** Language of the calling code: 1 C (or not known), 2 Fortran, 3 C++ bindings. */
unsigned trk_language(const struct trk_frame *frame);

/**
 * The program's function that a MPIX_..._create_x of MPICH was given: the Fortran and C++ bindings pass one of their
 * own, and extra_state, whose first word is the program's (src/binding/fortran/mpif_h/user_proxy.c and
 * src/binding/cxx/user_proxy.inc of MPICH 4.3 to 5.0).
 */
const void *trk_user_function(const struct trk_frame *frame, const void *function, const void *extra_state);

#pragma GCC visibility pop

/* ---- for rows ----------------------------------------------------------------------------------------- */

/** BEFORE and AFTER of a function that frees *handle. */
#define FREES(kind, handle)                                                                                            \
	uint64_t freed = (handle) ? TRK_BITS(*(handle)) : 0;                                                           \
	uint64_t freed_id = trk_id(kind, freed)
#define FREED(kind)                                                                                                    \
	do {                                                                                                           \
		if (rc == MPI_SUCCESS)                                                                                 \
			trk_freed(kind, freed, freed_id);                                                              \
	} while (0)

/** AFTER: execute a statement if the call has succeeded. */
#define ON_SUCCESS(statement)                                                                                          \
	do {                                                                                                           \
		if (rc == MPI_SUCCESS)                                                                                 \
			statement;                                                                                     \
	} while (0)

#endif /* TRK_OBJECTS_H */
