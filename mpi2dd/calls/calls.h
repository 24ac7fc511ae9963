/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file calls.h
 * Every MPI call of the program passes here: caught at MPI_X and at PMPI_X, handed to the real function once, with
 * the caller's own arguments; its result and errno go back unchanged.
 *
 * One row of a .def file per function (calls.def includes them all):
 *
 *   CALL(Comm_dup, (MPI_Comm comm, MPI_Comm *newcomm), (comm, newcomm), BEFORE, AFTER)
 *
 * BEFORE and AFTER are statements ((void)0 for none). They see the parameters, struct m2d_thread *t, and AFTER sees
 * int rc. They must not call MPI through the wrapped names: m2d_pmpi.X is the real one.
 *
 * Which calls are the program's: all but those that the MPI library makes itself. Outside of any call that is
 * everything that does not come out of the MPI library's own text; within a call (depth > 0) it is what comes from
 * a callback of the program, not what the library or a PMPI tool makes of the call that is under way.
 */
#ifndef M2D_CALLS_H
#define M2D_CALLS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#define M2D_EXPORT __attribute__((visibility("default")))

/** One number per row, from 0. */
enum m2d_call_id {
#define CALL(name, params, args, before, after) M2D_CALL_##name,
#include "calls.def"
#undef CALL
	M2D_N_CALLS
};

/** A pointer per row; NULL: the host has no such function, or m2d_calls_resolve() has not run. */
struct m2d_functions {
#define CALL(name, params, args, before, after) int(*name) params;
#include "calls.def"
#undef CALL
};

/** The next MPI_X after ours (a PMPI tool's, or the library's) and the library's own PMPI_X. */
extern struct m2d_functions m2d_mpi, m2d_pmpi;

/** What a thread is doing. One per thread, zero at first. */
struct m2d_thread {
	unsigned depth;         /**< wrapped calls on its stack */
	enum m2d_call_id call;  /**< the innermost recorded one, when depth > 0 */
	const void *frame;      /**< its frame: one that a longjmp has left is seen by it */
};
extern __thread struct m2d_thread m2d_thread __attribute__((tls_model("initial-exec")));

/**
 * Find the real functions: after us in scope order, else in a library that was loaded apart (dlopen with RTLD_LOCAL).
 * Called by the wrappers when a pointer is NULL; by others before they use m2d_pmpi outside of a call.
 *
 * @return true: the MPI library is there. Safe in any thread, any number of times; leaves errno alone.
 */
bool m2d_calls_resolve(void);

/** Address of a symbol of the MPI library (a predefined object of Open MPI); NULL: no such. As m2d_calls_resolve(). */
void *m2d_calls_symbol(const char *name);

/** Is the code at this address the MPI library's own (its components too, but not its language bindings)? */
bool m2d_calls_from_library(const void *address);

/**
 * The constants of the host, also where they are addresses of objects (Open MPI): fetched by name so that the
 * library loads where there is no MPI. Valid after m2d_calls_resolve() has returned true.
 */
struct m2d_constants {
	MPI_Comm comm_world, comm_self, comm_null;
	MPI_Datatype byte, int32, uint64;
	MPI_Info info_null;
	MPI_Errhandler errors_return;
	MPI_Request request_null;
};
extern struct m2d_constants m2d_constants;

#endif /* M2D_CALLS_H */
