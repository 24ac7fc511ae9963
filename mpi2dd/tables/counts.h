/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file counts.h
 * The cost of setting up the world in this process. For debuggers and the benchmark; nothing depends on the values.
 */
#ifndef M2D_COUNTS_H
#define M2D_COUNTS_H

#include <stdint.h>

struct m2d_counts {
	uint64_t node_messages, node_bytes; /**< sent over sockets within the node */
	uint64_t mpi_messages, mpi_bytes;   /**< sent on MPI_COMM_WORLD to other nodes */
	uint64_t probes;                    /**< connection attempts to the sockets of other processes */
	uint64_t nanoseconds; /**< spent by the library in MPI_Init, before and after the real call, without the time
			       *   at the gate */
};
extern struct m2d_counts m2d_counts;

#endif /* M2D_COUNTS_H */
