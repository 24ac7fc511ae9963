/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file flows.h
 * Messages that were sent and have not arrived, found by the numbers that the MPI library keeps for each pair of ranks.
 *
 * A sender numbers its messages per communicator and receiver; a receiver accepts them in that order and stores
 * the number it expects next. Messages from that number to the last one sent, except those that arrived early, are
 * in transit or lost. They are reported only if both ranks were read. A receiver that is in no MPI function has
 * not looked yet, and a sender that is in none may still hold the message. A message is called lost, or held by
 * the transport, if it was missing in two snapshots between which both ranks have polled.
 */
#ifndef VD_FLOWS_H
#define VD_FLOWS_H

#include "words.h"

struct vd_loading;

/** Load the numbers of the rank being loaded into vd_job.flows. Its operations must be loaded already. */
void vd_load_flows(struct vd_loading *l);

/** Compare the numbers of all pairs; fills vd_job.transits. All ranks must be loaded. */
void vd_find_transits(struct vd_job *job);

/** Mark messages that were also in transit at the earlier moment, between
 * ranks that have both polled since: vd_transit.stayed. */
void vd_compare_transits(const struct vd_job *earlier, struct vd_job *later);

/** Are messages in transit between ranks that poll, so that a second snapshot would show whether they arrive? */
bool vd_may_be_lost(const struct vd_job *job);

/** Are the rank's message numbers in the communicator known? Of all its members? vd_find_transits() must have run. */
bool vd_flows_known(const struct vd_job *job, int32_t comm, int32_t rank);
bool vd_flows_all_known(const struct vd_job *job, int32_t comm);

/** The messages from one rank to another in a communicator that have not arrived; NULL: none are known. */
const struct vd_transit *vd_transit_between(const struct vd_job *job, int32_t comm, int32_t from, int32_t to);

/** Is the message in transit although both ranks poll? */
bool vd_is_transit_odd(const struct vd_job *job, const struct vd_transit *x);

/** "1 message from rank 0 to rank 1 on MPI_COMM_WORLD has not
 * arrived (number 17 was sent, 17 is expected next): ..." */
void vd_append_transit(struct vd_text *t, const struct vd_job *job, const struct vd_transit *x);

#endif /* VD_FLOWS_H */
