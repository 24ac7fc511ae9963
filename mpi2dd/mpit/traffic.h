/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file traffic.h
 * Counted while a performance variable that shows it is started: messages and bytes of those
 * communicators that a handle was made for, requests, time in MPI. Counters only grow; handles show differences.
 */
#ifndef MPIT_TRAFFIC_H
#define MPIT_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum mpit_traffic { MPIT_MESSAGES_SENT, MPIT_BYTES_SENT, MPIT_MESSAGES_RECEIVED, MPIT_BYTES_RECEIVED, MPIT_N_TRAFFIC };

/** A message of this communicator. Takes no lock. @p bytes MPIT_BYTES_UNKNOWN: it is counted, its bytes are not. */
void mpit_traffic_count(uint64_t comm, bool is_received, uint64_t bytes);

/**
 * Begin to keep counters of a communicator. They are kept for the rest of the process. With the lock of MPI_T held.
 *
 * @param is_new they were not kept before: the mirror has to be told
 * @return its number in the registry; 0: it is not recorded, or no memory
 */
uint64_t mpit_traffic_of(uint64_t comm, bool *is_new);

/** The number alone; 0: no such communicator is recorded. Signal safe. */
uint64_t mpit_traffic_identity(uint64_t comm);

/** One of its counters. Signal safe. @return false: it has none */
bool mpit_traffic_read(uint64_t comm, enum mpit_traffic which, uint64_t *ret);

/** Permanent address of that counter, and the number of the communicator. NULL: it has none. Signal safe. */
const uint64_t *mpit_traffic_cell(uint64_t comm, enum mpit_traffic which, uint64_t *id);

extern uint64_t mpit_requests_started, mpit_requests_completed, mpit_nanoseconds_in_mpi;

#pragma GCC visibility pop

#endif /* MPIT_TRAFFIC_H */
