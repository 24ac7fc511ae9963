/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file binding.h
 * Functions of a language binding that create objects without calling the C function. This library defines them under
 * their own names (fortran.c, cxx.c), passes the call on unchanged, and records it as a call of the C function.
 */
#ifndef TRK_BINDING_H
#define TRK_BINDING_H

#include "registry.h"

#pragma GCC visibility push(hidden)

/** Data of one wrapped function; static, one for each exported name. */
struct trk_binding {
	const char *symbol;
	void *next; /**< the next definition; NULL: not searched yet */
};

/**
 * The function to pass the call to: the next definition of this name in the program's symbol scope, or, if the MPI
 * library is not in that scope, in the caller's. Thread-safe, does not need the lock.
 * @param caller return address of the call
 * @return NULL: there is none; errno is preserved
 */
void *trk_binding_next(struct trk_binding *binding, const void *caller);

/**
 * Begin a call.
 * @param call   M2D_CALL_*: the C function that it is recorded as
 * @param frame  set to the frame of the call, for trk_leave(); NULL: not the program's call, or nothing can be recorded
 * @return like trk_binding_next()
 */
void *trk_binding_begin(struct trk_binding *binding, unsigned call, const void *caller, struct trk_frame **frame);

#pragma GCC visibility pop

#endif /* TRK_BINDING_H */
