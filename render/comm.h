/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file comm.h
 * A communicator, for `comms` and for `queues`.
 *
 *     out_comms_begin, then for each one
 *     out_comm_begin
 *       out_comm_members (its own group, then the remote one of an intercommunicator)
 *       out_topology     when it has one
 *       for each class of operations: out_queue_begin, out_operation ..., out_queue_end   (queues only, operation.h)
 *       out_flows_begin, out_flow ..., out_flows_end   when they are known
 *     out_comm_end
 */
#ifndef OUT_COMM_H
#define OUT_COMM_H

#include "../model/comm.h"
#include "members.h"

/** Begin and end of the list of communicators of a process. */
void out_comms_begin(struct out *o);
void out_comms_end(struct out *o);

/** The facts. @param queues its queues follow: less about the communicator itself in text */
void out_comm_begin(struct out *o, const struct mdl_comm *comm, bool queues);

/**
 * Text: print the members after out_members_end() has collected them. JSON: does nothing.
 *
 * @param queues world ranks only where they differ from the local ones
 */
void out_comm_members(struct out *o, const struct out_members *members, bool remote, bool queues);

/** The arguments of the topology. */
void out_topology(struct out *o, const struct mdl_topology *topology);

/** JSON: the sequence numbers of messages, "flows", between the two others. Not in text. */
void out_flows_begin(struct out *o);
void out_flow(struct out *o, const struct mdl_flow *flow);
void out_flows_end(struct out *o);

/** @param n_shown operations that were shown, for text of queues; UINT64_MAX: no queues were asked for */
void out_comm_end(struct out *o, uint64_t n_shown);

/** A communicator's name for text: the name, or its id when it has none. */
void out_comm_name(struct out *o, const struct mdl_comm *comm);

#endif /* OUT_COMM_H */
