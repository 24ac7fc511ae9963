/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file native_calls.h
 * The calls of threads in a process without the in-target library: the function from the stack, its arguments
 * from the operations in the MPI library's memory (threads.h). For an unknown MPI library only the function.
 */
#ifndef MPIDBG_NATIVE_CALLS_H
#define MPIDBG_NATIVE_CALLS_H

#include "describe.h"

/** Number of requests named in a line; more are only counted. */
enum { MPIDBG_REQUESTS_SHOWN = 4 };

/** Does a function wait for requests, or test them? "MPI_Waitall", "MPI_Test". */
bool mpidbg_waits(const char *function);

/** The first operations of a thread's call, in the order of the queues. */
struct mpidbg_call_operations {
	size_t n;
	struct {
		struct mdl_comm comm;
		struct mdl_op op;
	} v[MPIDBG_REQUESTS_SHOWN];
};

struct mpidbg_native_calls {
	struct mpidbg_call_operations *of; /**< one for each of d->threads; NULL: no operations */
};

/**
 * Open the library, and find the operations of the threads.
 *
 * @param[out] ret release with mpidbg_native_close(), also after a failure
 * @return of mqs_state_update(); ACC_ENOMEM
 */
enum acc_rc mpidbg_native_open(struct mpidbg_description *d, struct mpidbg_native_calls *ret);
void mpidbg_native_close(struct mpidbg_native_calls *calls);

/**
 * Write the call of the @p i-th thread, which is in MPI, within a line, as in the source: "MPI_Recv from 3, tag
 * 99, 4 x MPI_INT on ring".
 */
void mpidbg_native_call(struct mpidbg_description *d, const struct mpidbg_native_calls *calls, size_t i);

/** MPIDBG_WHAT_CALLS for a process without the in-target library. @return as mpidbg_describe() */
int mpidbg_describe_native_calls(struct mpidbg_description *d);

#endif /* MPIDBG_NATIVE_CALLS_H */
