/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file queues.h
 * What must hold for every communicator and every operation that the reader of an MPI library gives out, whatever the
 * memory holds.
 */
#ifndef FUZZ_QUEUES_H
#define FUZZ_QUEUES_H

#include "../readers/reader.h"

/** A number is known, or 0 with the reason. */
void fuzz_check_num(const struct mdl_num *n);

/**
 * Walk all communicators, their members, topologies and operations, and the operations of no communicator.
 *
 * @param all       internal ones, too
 * @param mode_max  the last mode that a send of this library can have: MDL_READY, or MDL_MODE_UNKNOWN where the transport
 *                  does not record it
 * @param ops_max   more operations in one queue than such a process can hold
 */
void fuzz_walk_comms(struct rd_process *p, bool all, enum mdl_send_mode mode_max, unsigned ops_max);

#endif /* FUZZ_QUEUES_H */
