/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file binding.h
 * Functions of a language binding that make objects behind the C functions: we stand before them by their own names
 * (fortran.c, cxx.c), hand the call on as it came, and record it as a call of the C function.
 */
#ifndef TRK_BINDING_H
#define TRK_BINDING_H

#include "registry.h"

#pragma GCC visibility push(hidden)

/** What the wrapper of a function needs of it; static, one for each exported name. */
struct trk_binding {
	const char *symbol;
	void *next; /**< NULL: not looked for yet */
};

/**
 * The function that we stand before: the next one of this name, or, of a library that is not in the program's scope, the
 * caller's. Any thread, without the lock.
 * @param caller return address of the call
 * @return NULL: there is none; errno is as it was
 */
void *trk_binding_next(struct trk_binding *binding, const void *caller);

/**
 * Begin a call.
 * @param call   M2D_CALL_*: the C function that it is recorded as
 * @param frame  of the call, for trk_leave(); NULL: it is not the program's, or nothing can be recorded
 * @return as trk_binding_next()
 */
void *trk_binding_begin(struct trk_binding *binding, unsigned call, const void *caller, struct trk_frame **frame);

#pragma GCC visibility pop

#endif /* TRK_BINDING_H */
