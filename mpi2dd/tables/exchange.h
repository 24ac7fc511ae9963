/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file exchange.h
 * The directories of a world's nodes and rank 0, its metadirectory, tell each other where they are: by MPI messages
 * on MPI_COMM_WORLD, within MPI_Init, three for each node but rank 0's. Only when it is known that every node has a
 * directory. No message of the program can be there yet: no process leaves MPI_Init before rank 0
 * has received the messages of all nodes, and later messages between the same two processes arrive after these.
 */
#ifndef M2D_EXCHANGE_H
#define M2D_EXCHANGE_H

#include "directory.h"
#include "message.h"

enum { M2D_EXCHANGE_WAIT_MS = 20000 };

/**
 * Rank 0: where the other directories are.
 *
 * @param n_processes of the world less those of rank 0's node: the sum over the other nodes
 * @param[out] ret    *ret_n elements, permanent
 * @param[out] ret_complete whether all of these nodes say that they are complete
 * @return true: all have reported. false: not in time; those who have are in @p ret, and want an answer too.
 */
bool m2d_exchange_gather(int n_processes, struct m2d_process **ret, size_t *ret_n, bool *ret_complete);

/** Rank 0: the same answer to all who have reported. */
void m2d_exchange_answer(const struct m2d_process *directories, size_t n, const struct m2d_message *answer);

/** Rank 0: wait until all have said that their tables are filled. */
void m2d_exchange_wait_filled(const struct m2d_process *directories, size_t n);

/** Another directory: report, and wait for the answer. */
bool m2d_exchange_report(const struct m2d_process *self, int local_size, bool complete, struct m2d_message *ret);

/** Another directory, after a report that was answered: the tables are filled. */
void m2d_exchange_send_filled(void);

#endif /* M2D_EXCHANGE_H */
