/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file request_ring.h
 * Rounds and the ring: what is not done inline (request_table.h).
 */
#ifndef TRK_REQUEST_RING_H
#define TRK_REQUEST_RING_H

#include "request_table.h"

#pragma GCC visibility push(hidden)

/**
 * Room in the open ring for the next message, where the slot's `next` is, is there or is made.
 *
 * @return false: it is closed now, and the message is to be recorded elsewhere
 */
bool trk_ring_room(struct trk_table *own);

/** What is live in the ring can be found from now on: it is moved to chains and to lists, and the ring is closed. */
void trk_ring_close(struct trk_table *own);

/** A live one is moved to a record of its own, which is found, as others of its kind (requests.c). No room: it is counted. */
void trk_request_move_out(struct trk_table *own, struct trk_request *r);

#pragma GCC visibility pop

#endif /* TRK_REQUEST_RING_H */
