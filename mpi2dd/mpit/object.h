/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file object.h
 * MPI objects that the program binds variables and events to. Handles from the program are checked before use.
 */
#ifndef MPIT_OBJECT_H
#define MPIT_OBJECT_H

#include "mpit.h"

/** Is the memory that @p obj_handle points to readable? Always true for MPI_T_BIND_NO_OBJECT. */
bool mpit_object_is_readable(int bind, const void *obj_handle);

/**
 * Is it the handle of a live object of this kind? Call mpit_object_is_readable() first.
 *
 * @return false: it is a null handle, or the registry has all objects of the kind and not this one. true: it is live,
 *         or the registry cannot tell (off, full, or being written by this thread).
 */
bool mpit_object_is_live(int bind, const void *obj_handle);

/**
 * Can the handle be passed to the host? Like mpit_object_is_live(), but only while MPI is initialized: before that
 * MPI_COMM_WORLD is all zero.
 */
bool mpit_object_is_usable(int bind, const void *obj_handle);

/** A handle that is passed to the host (mpit_object_for_host()). */
struct mpit_host_object {
	uint64_t handle, zeros[128];
};

/**
 * The argument obj_handle for the host's function, for an object that mpit_object_is_usable().
 *
 * Open MPI 6.0 dereferences it also when the variable has no binding, and looks for an object's flags behind the
 * pointer to the handle (ompi/mpi/tool/mpit_common.c, ompit_obj_invalid()): it gets NULL without a binding, and else a
 * pointer to a copy of the handle that zeros follow.
 *
 * @param room used by the return value; the host does not keep the pointer
 */
void *mpit_object_for_host(int bind, const void *obj_handle, struct mpit_host_object *room);

/**
 * The number in the registry of the live object with this handle; 0: not known. Takes no lock.
 *
 * Handle values are reused: a binding to a freed object must not apply to the next object with the same handle.
 */
uint64_t mpit_object_number(int bind, uint64_t bits);

/** The number of the object with this handle that was freed last; 0: not known, or a live one has the handle now. */
uint64_t mpit_object_number_freed(int bind, uint64_t bits);

/**
 * Handles of the live objects that a variable with this binding (enum trk_var_bind) can be bound to, from the registry.
 *
 * @param[out] ret the first @p max handles
 * @param predefined NULL: list all objects; else only predefined ones (the pointer is not dereferenced)
 * @return the number of objects, which may exceed @p max
 */
size_t mpit_live_objects(int bind, uint64_t *ret, size_t max, bool *predefined);

#endif /* MPIT_OBJECT_H */
