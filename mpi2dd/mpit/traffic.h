/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file traffic.h
 * Counters that run only while a performance variable that shows them is started:
 * messages and bytes of the communicators for which a handle was created,
 * requests, and time in MPI. Counters only increase; handles show differences.
 */
#ifndef MPIT_TRAFFIC_H
#define MPIT_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum mpit_traffic { MPIT_MESSAGES_SENT, MPIT_BYTES_SENT, MPIT_MESSAGES_RECEIVED, MPIT_BYTES_RECEIVED, MPIT_N_TRAFFIC };

/**
 * Count a message on this communicator. Takes no lock. @param bytes MPIT_BYTES_UNKNOWN: the message is counted, its
 * bytes are not.
 */
void mpit_traffic_count(uint64_t comm, bool is_received, uint64_t bytes);

/**
 * Start to count for a communicator; its counters exist for the rest of the process. With the lock of MPI_T held.
 *
 * @param[out] is_new the counters are new: the mirror must be updated
 * @return its number in the registry; 0: it is not recorded, or out of memory
 */
uint64_t mpit_traffic_of(uint64_t comm, bool *is_new);

/** The communicator's number only; 0: no such communicator is recorded. Async-signal-safe. */
uint64_t mpit_traffic_identity(uint64_t comm);

/** Read one of its counters. Async-signal-safe. @return false: it has none */
bool mpit_traffic_read(uint64_t comm, enum mpit_traffic which, uint64_t *ret);

/** The permanent address of that counter, and the communicator's number. NULL: none. Async-signal-safe. */
const uint64_t *mpit_traffic_cell(uint64_t comm, enum mpit_traffic which, uint64_t *id);

extern uint64_t mpit_requests_started, mpit_requests_completed, mpit_nanoseconds_in_mpi;

#pragma GCC visibility pop

#endif /* MPIT_TRAFFIC_H */
