/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file exchange.h
 * Exchanges locations between rank 0 of the world (its metadirectory) and the directories of the other nodes, with MPI
 * messages on MPI_COMM_WORLD inside MPI_Init: three messages for each node other than rank 0's. Used only when every
 * node is known to have a directory.
 *
 * The messages cannot be confused with the program's: no process leaves MPI_Init before rank 0 has received the
 * messages of all nodes, and later messages between the same two processes arrive after these.
 */
#ifndef M2D_EXCHANGE_H
#define M2D_EXCHANGE_H

#include "directory.h"
#include "message.h"

enum { M2D_EXCHANGE_WAIT_MS = 20000 };

/**
 * In rank 0: collect the locations of the other directories.
 *
 * @param n_processes number of processes of the world outside rank 0's node: the sum over the other nodes
 * @param[out] ret    array of *ret_n elements, permanent
 * @param[out] ret_complete whether all processes of these nodes carry the library
 * @return true: all have reported. false: the time is up; those that
 *         have reported are in @p ret and still wait for an answer.
 */
bool m2d_exchange_gather(int n_processes, struct m2d_process **ret, size_t *ret_n, bool *ret_complete);

/** In rank 0: send the same answer to all directories that have reported. */
void m2d_exchange_answer(const struct m2d_process *directories, size_t n, const struct m2d_message *answer);

/** In rank 0: wait until all of them have filled their tables. */
void m2d_exchange_wait_filled(const struct m2d_process *directories, size_t n);

/** In another directory: send the report and wait for the answer. @return false: no answer in time. */
bool m2d_exchange_report(const struct m2d_process *self, int local_size, bool complete, struct m2d_message *ret);

/** In another directory, after an answered report: tell rank 0 that the tables are filled. */
void m2d_exchange_send_filled(void);

#endif /* M2D_EXCHANGE_H */
