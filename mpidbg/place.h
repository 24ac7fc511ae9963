/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file place.h
 * Source locations as described by the debugger.
 */
#ifndef MPIDBG_PLACE_H
#define MPIDBG_PLACE_H

#include "describe.h"

enum { MPIDBG_PLACE_BYTES = 256 };

/** Describe a return address: "main at ring.c:10". @return false: the debugger does not know it; @p ret is "" */
bool mpidbg_place(const struct mpidbg_description *d, uint64_t return_addr, char ret[MPIDBG_PLACE_BYTES]);

/** Describe the address of a function: "add at x.c:30". */
bool mpidbg_function(const struct mpidbg_description *d, uint64_t addr, char ret[MPIDBG_PLACE_BYTES]);

/**
 * Is a location, or a line of a backtrace, in the MPI library: a function with a name that the standard reserves for
 * MPI, also of Fortran and of the C++ bindings, or a file of the library?
 */
bool mpidbg_is_mpi_place(const char *place);

/**
 * Describe the callsite of a thread's outermost MPI call in the program itself. For a call from Fortran or C++, the
 * return address is in the bindings; then the first line of the thread's backtrace outside the MPI library is used.
 *
 * @return false: unknown; @p ret is ""
 */
bool mpidbg_caller_place(const struct mpidbg_description *d, uint64_t tid, uint64_t return_addr,
			 char ret[MPIDBG_PLACE_BYTES]);

/** The same without a recorded return address, from the thread's
 * backtrace. @return NULL: unknown; valid during the description */
const char *mpidbg_stack_caller(const struct mpidbg_description *d, uint64_t tid);

/** Like mpidbg_place_fact(), with @p place as the location; "": none. */
void mpidbg_known_place_fact(struct mpidbg_description *d, const char *key, struct mdl_num return_addr,
			     const char *place);

/** A fact: the address, in JSON with KEY_place, in text followed by its location. */
void mpidbg_place_fact(struct mpidbg_description *d, const char *key, struct mdl_num return_addr);

/** The same for the address of a function. */
void mpidbg_function_fact(struct mpidbg_description *d, const char *key, struct mdl_num addr);

/** Write a list of return addresses: KEY, and KEY_places in JSON; a line each in text. */
void mpidbg_places(struct mpidbg_description *d, const char *key, const int64_t *return_addrs, size_t n);

#endif /* MPIDBG_PLACE_H */
