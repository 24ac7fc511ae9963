/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file queues.h
 * Conditions that hold for every communicator and operation that a reader returns, whatever the memory contains.
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
 * @param mode_max  the last mode that a send of this library can have: MDL_READY, or MDL_MODE_UNKNOWN where the
 *                  transport does not record it
 * @param ops_max   a limit above the number of operations that a queue of such a process can contain
 */
void fuzz_walk_comms(struct rd_process *p, bool all, enum mdl_send_mode mode_max, unsigned ops_max);

#endif /* FUZZ_QUEUES_H */
