/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file flight.h
 * Messages in flight: those that were sent and are in no queue of the receiver yet. Between two readings of ranks that
 * run, they arrive. One moment (a core, a snapshot, a job that was stopped all the time) shows them only where the MPI
 * library numbers its messages (flows.h). A rank that waits for a message which may be in flight may go on.
 */
#ifndef VD_FLIGHT_H
#define VD_FLIGHT_H

#include "judging.h"

/** Initialize vd_judging.is_sent_to and vd_judging.n_one_moment.
 * @return false: out of memory. vd_flight_deinit() frees. */
bool vd_flight_init(struct vd_judging *j);
void vd_flight_deinit(struct vd_judging *j);

/** May a message from @p from to @p to in the communicator be in flight? VD_ANY: from any of its members. */
bool vd_may_be_in_flight(const struct vd_judging *j, int32_t comm, int32_t from, int32_t to);

/**
 * Is it unknown whether the send of a rank to another one is
 * complete, without the sender knowing yet? vd_is_matched() is false.
 */
bool vd_may_be_received(const struct vd_judging *j, int32_t rank, int32_t peer);

/** May something arrive that ends the wait of a rank in a collective, about which the messages
 * themselves tell nothing? */
bool vd_may_complete(const struct vd_judging *j);

#endif /* VD_FLIGHT_H */
