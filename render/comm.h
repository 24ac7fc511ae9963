/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file comm.h
 * Writes a communicator, for `comms` and `queues`.
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

/** The facts. @param queues its queues follow; text then has fewer facts about the communicator itself */
void out_comm_begin(struct out *o, const struct mdl_comm *comm, bool queues);

/**
 * Text: print the members after out_members_end() has collected them. JSON: does nothing.
 *
 * @param queues write world ranks only if they differ from the local ones
 */
void out_comm_members(struct out *o, const struct out_members *members, bool remote, bool queues);

/** The arguments of the topology. */
void out_topology(struct out *o, const struct mdl_topology *topology);

/** JSON: a sequence number of messages, between out_flows_begin() and out_flows_end(). Not in text. */
void out_flows_begin(struct out *o);
void out_flow(struct out *o, const struct mdl_flow *flow);
void out_flows_end(struct out *o);

/** @param n_shown number of operations shown, for text of queues; UINT64_MAX: queues were not requested */
void out_comm_end(struct out *o, uint64_t n_shown);

#endif /* OUT_COMM_H */
