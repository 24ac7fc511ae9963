/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file merge.h
 * Adds the facts recorded by the in-target library to communicators and operations that an MPI's own reader has read
 * from the library's memory.
 *
 * Facts about what the library does (completion, matching, sequence) stay as its reader has
 * found them. Facts about what the program did (which function, called from where, how a
 * communicator was created) come from here: from a live record with the same handle value,
 * or from the call that a thread is waiting in. An operation with neither is unchanged.
 */
#ifndef RD_TRACK_MERGE_H
#define RD_TRACK_MERGE_H

#include "tracked.h"

#include "../../model/operation.h"

struct rd_track_merge;

/**
 * Index the live requests. Valid until the process runs again.
 *
 * @param[out] ret released by rd_track_merge_close(); unchanged on failure
 * @return ACC_OK; ACC_NONE: requests are not recorded here; ACC_ENOMEM, ACC_ELIMIT, noted.
 */
enum acc_rc rd_track_merge_open(struct rd_track *t, struct rd_track_merge **ret);

/** Release. Takes NULL. */
void rd_track_merge_close(struct rd_track_merge *m);

/**
 * Combine an operation with the record of its request, or else with the only waiting call that can have created it.
 * Facts missing in the library's memory are added (op->from_tracker), as are the function, the caller, and the creator
 * of the datatype; op->tracked is set. Facts whose values differ are listed in op->differences. If the peer, the tag,
 * the communicator or the kind differ, the record does not belong to this operation, and nothing is added. "Shared" and
 * "complete" are not taken over from the record.
 *
 * @param m    NULL: nothing is added
 * @param comm the operation's communicator; NULL: nothing is added
 */
void rd_track_merge_op(struct rd_track_merge *m, const struct mdl_comm *comm, struct mdl_op *op);

/** The live record of a communicator. @return ACC_OK; ACC_NONE: there is none; a failure. */
enum acc_rc rd_track_merge_comm(struct rd_track *t, const struct mdl_comm *comm, struct mdl_handle *ret);

#endif /* RD_TRACK_MERGE_H */
