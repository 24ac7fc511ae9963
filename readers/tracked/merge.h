/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file merge.h
 * What the tracker knows of communicators and operations that an MPI's own reader has read from the library's memory.
 *
 * What the library does (completion, matching, sequence) stays as its reader says. What the program did (which function
 * asked, where it was called, what a communicator was made of) comes from here, when a live record has the same handle
 * value, or a thread waits in the call; an operation that has neither gets nothing.
 */
#ifndef RD_TRACK_MERGE_H
#define RD_TRACK_MERGE_H

#include "tracked.h"

#include "../../model/operation.h"

struct rd_track_merge;

/**
 * Index the live requests. Good until the process runs again.
 *
 * @param[out] ret the caller's, rd_track_merge_close(); untouched on failure
 * @return ACC_OK; ACC_NONE: requests are not recorded here; ACC_ENOMEM, ACC_ELIMIT, noted.
 */
enum acc_rc rd_track_merge_open(struct rd_track *t, struct rd_track_merge **ret);

/** Release. Takes NULL. */
void rd_track_merge_close(struct rd_track_merge *m);

/**
 * Combine an operation with the record of its request, or else with the one call that a thread waits in and that can
 * have made it. Facts that the library's memory does not have are taken from there (op->from_tracker), and so are the
 * function, the caller, and the creator of the datatype; op->tracked is set. Facts that both have with different
 * values are in op->differences; when these are the peer, the tag, the communicator or the kind, the record is not of
 * this operation as it is now, and nothing is taken. The tracker's word for "shared" or "complete" is not taken over.
 *
 * @param m    NULL: nothing is added
 * @param comm its communicator; NULL: nothing is added
 */
void rd_track_merge_op(struct rd_track_merge *m, const struct mdl_comm *comm, struct mdl_op *op);

/** The live record of a communicator. @return ACC_OK; ACC_NONE: there is none; a failure. */
enum acc_rc rd_track_merge_comm(struct rd_track *t, const struct mdl_comm *comm, struct mdl_handle *ret);

#endif /* RD_TRACK_MERGE_H */
