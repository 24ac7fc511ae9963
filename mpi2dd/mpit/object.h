/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file object.h
 * MPI objects that the program binds variables and events to: what it hands us is looked at before it is used.
 */
#ifndef MPIT_OBJECT_H
#define MPIT_OBJECT_H

#include "mpit.h"

/** Can the handle be read that @p obj_handle points to? Always true for MPI_T_BIND_NO_OBJECT. */
bool mpit_object_is_there(int bind, const void *obj_handle);

/**
 * Is it the handle of a live object of this kind? After mpit_object_is_there().
 *
 * @return false: it is null, or the registry has all objects of the kind and not this one. True also when the registry
 *         cannot tell: it is off, full, or being written by this thread.
 */
bool mpit_object_is_live(int bind, const void *obj_handle);

/** Can the host be given it? As mpit_object_is_live(), while MPI is up: before that MPI_COMM_WORLD is all zero. */
bool mpit_object_is_good(int bind, const void *obj_handle);

/**
 * The number in the registry of the live object with this handle; 0: not known. Takes no lock.
 *
 * A handle value may be reused: what was bound to a freed object is not bound to the next object with the same handle.
 */
uint64_t mpit_object_number(int bind, uint64_t bits);

/** Of the object with this handle that was freed last; 0: not known, or there is a live one by now. */
uint64_t mpit_object_number_freed(int bind, uint64_t bits);

/**
 * Handles of the live objects that something with this binding (enum trk_var_bind) can be bound to, from the registry.
 *
 * @param predefined NULL: all of them; else only predefined ones
 * @return how many there are; the first @p max are in @p ret
 */
size_t mpit_live_objects(int bind, uint64_t *ret, size_t max, bool *predefined);

#endif /* MPIT_OBJECT_H */
