/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file emit.h
 * Entry points by which the wrappers, and the code that watches calls (calls/watch.h), report to the events and
 * performance variables of MPI_T. Called in the thread of the MPI call, with none of our locks held: each may call back
 * into the program.
 *
 * Communicators, windows, files, requests and error handlers are passed as the bits of their handles, calls by number;
 * -1: not known.
 */
#ifndef MPIT_EMIT_H
#define MPIT_EMIT_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/** The call with this number has returned an error code. */
void mpit_emit_error(int call, int code);

/** MPI_Abort is about to be called. */
void mpit_emit_abort(int code);

/** mpit_message.bytes: the size is not known. */
#define MPIT_BYTES_UNKNOWN UINT64_MAX
struct mpit_message {
	int peer, tag; /**< peer: rank in the communicator (in the remote group of an intercommunicator) */
	uint64_t bytes;
	uint64_t comm;
	int call; /**< the call that sends or receives it, or that created the request which does */
};
void mpit_emit_message_sent(const struct mpit_message *m);
void mpit_emit_message_received(const struct mpit_message *m);
/** Is there a listener for messages? */
bool mpit_has_message_listener(void);

void mpit_emit_request_started(uint64_t request, int call);
void mpit_emit_request_completed(uint64_t request, int call);

void mpit_emit_collective_entered(uint64_t comm, int call);
void mpit_emit_collective_left(uint64_t comm, int call, int code);

/** Kinds of epochs, in the order of the events' values. */
enum mpit_epoch { MPIT_EPOCH_FENCE, MPIT_EPOCH_START, MPIT_EPOCH_POST, MPIT_EPOCH_LOCK, MPIT_EPOCH_LOCK_ALL };
/** An epoch was opened or closed. @param rank the target for MPIT_EPOCH_LOCK, else -1. */
void mpit_emit_epoch_opened(uint64_t win, enum mpit_epoch kind, int rank, int call);
void mpit_emit_epoch_closed(uint64_t win, enum mpit_epoch kind, int rank, int call);

void mpit_emit_comm_created(uint64_t comm, uint64_t parent, int size, int call);
void mpit_emit_comm_freed(uint64_t comm, int call);
void mpit_emit_comm_named(uint64_t comm);
void mpit_emit_file_opened(uint64_t file, uint64_t comm);
void mpit_emit_file_closed(uint64_t file);
void mpit_emit_spawned(int n, uint64_t comm);
void mpit_emit_errhandler(uint64_t errhandler, int call, int code);

/** The clock for mpit_emit_time(), in nanoseconds; and: a thread has spent this time in a call. */
int64_t mpit_emit_clock(void);
void mpit_emit_time(int64_t nanoseconds);

#pragma GCC visibility pop

#endif /* MPIT_EMIT_H */
