/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file completion.h
 * Is a request complete? Determined from its record if that says so, otherwise from the MPI library's object.
 */
#ifndef MPIDBG_COMPLETION_H
#define MPIDBG_COMPLETION_H

#include "../mqs/state.h"

struct mpidbg_completion {
	bool applies; /**< false: the question does not apply (predefined, or persistent and not started) */
	bool known;
	bool complete;
	const char *origin; /**< the source: "tracker" or "MPI library"; NULL: not known */
};

/** Determine whether a request is complete. A failure is not recorded in the notes. */
struct mpidbg_completion mpidbg_completion_of(struct _mqs_process_info *p, const struct mdl_handle *h);

/**
 * A nonpersistent request ends with MPI_Request_free or its completion; a persistent one only with MPI_Request_free.
 */
bool mpidbg_freed_by_application(const struct mdl_handle *h);

/**
 * Read the request from the MPI library's own memory. @return ACC_OK: *ret is set; ACC_NONE: no such request is in
 * use; otherwise it cannot be read. A failure is not recorded in the notes.
 */
enum acc_rc mpidbg_ask_library(struct _mqs_process_info *p, const struct mdl_handle *h, struct mdl_op *ret);

#endif /* MPIDBG_COMPLETION_H */
