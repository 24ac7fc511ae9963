/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file counts.h
 * What the set-up of the world has cost this process. Read by debuggers and the benchmark; nothing depends on it.
 */
#ifndef M2D_COUNTS_H
#define M2D_COUNTS_H

#include <stdint.h>

struct m2d_counts {
	uint64_t node_messages, node_bytes; /**< sent over sockets within the node */
	uint64_t mpi_messages, mpi_bytes;   /**< sent on MPI_COMM_WORLD to other nodes */
	uint64_t probes;                    /**< looks for the socket of a process */
	uint64_t nanoseconds; /**< in our part of MPI_Init, before and after the real one, without the gate */
};
extern struct m2d_counts m2d_counts;

#endif /* M2D_COUNTS_H */
