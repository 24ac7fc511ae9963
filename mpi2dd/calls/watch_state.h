/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file watch_state.h
 * The state of a watched call from its beginning to its end; shared by the files watch*.c.
 *
 * It belongs to one frame of a thread's slot and is kept when the
 * thread ends, for the slot's next thread. No lock is needed.
 */
#ifndef M2D_WATCH_STATE_H
#define M2D_WATCH_STATE_H

#include "../tracker/registry.h"
#include "../../functions/functions.h"
#include "watch.h"

#pragma GCC visibility push(hidden)

/** Bits of trk_frame.flags: m2d_watch_enter() was called for this frame; m2d_watch_statuses() was called. */
enum { M2D_FRAME_WATCHED = 16, M2D_FRAME_STATUSES = 32 };

/** A request that a call waits for or tests, as it was before the call. */
struct m2d_saved_request {
	MPI_Request handle;
	bool shared;                      /**< many requests have this handle value */
	const struct trk_request *record; /**< the record in the table, for its current flags */
	struct trk_request was;           /**< copy of the record before the call */
	bool known;
};

struct m2d_epochs {
	bool known;
	bool fence, started, posted, lock_all;
};

struct m2d_watched {
	int64_t began; /**< time at which the call began; 0: not timed */
	uint64_t made, parent;
	uint64_t comm; /**< communicator of the message that MPI_Mrecv receives */
	struct m2d_epochs epochs;
	/* statuses of this call */
	MPI_Status *statuses, one;
	bool single;
	const int *n_some, *indices;
	MPI_Status *own; /**< memory for the statuses that the program ignores */
	size_t own_bytes;
	/* requests of this call */
	struct m2d_saved_request *saved;
	size_t saved_bytes;
	int n_saved;
};

/** The state of a frame, created when needed; NULL: the frame cannot be watched. */
struct m2d_watched *m2d_watched_of(const struct m2d_thread *t, const struct trk_frame *frame);

/** Make a buffer at least @p wanted bytes large; its contents may be lost. @return false: out of memory. */
bool m2d_watch_reserve(void **memory, size_t *bytes, size_t wanted);

/* watch_messages.c: messages, requests */
void m2d_watch_save_requests(const struct m2d_thread *t, const struct trk_frame *frame, struct m2d_watched *w);
void m2d_watch_messages(const struct trk_frame *frame, const struct m2d_watched *w, int rc);
void m2d_watch_requests(const struct m2d_thread *t, const struct trk_frame *frame, const struct m2d_watched *w, int rc);

/* watch_objects.c: windows, communicators, files, error handlers */
void m2d_watch_windows_before(const struct trk_frame *frame, struct m2d_watched *w);
void m2d_watch_windows(const struct trk_frame *frame, const struct m2d_watched *w, int rc);
void m2d_watch_objects(const struct trk_frame *frame, const struct m2d_watched *w);
void m2d_watch_new_comm(uint64_t comm, uint64_t parent, unsigned call);
void m2d_watch_errhandler(const struct trk_frame *frame, const struct m2d_watched *w, int rc);

#pragma GCC visibility pop

#endif /* M2D_WATCH_STATE_H */
