/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file world.h
 * Sets up this process's MPI_COMM_WORLD in MPI_Init: finds out which processes carry the library and which of them hold
 * tables, and fills the tables.
 *
 * Before the real MPI_Init, each process announces that it carries the library: by a local socket, and by a HELLO to
 * the starter if there is one. MPI_Init synchronizes all processes, so that afterwards each process knows, without
 * waiting for others, whether all processes carry the library. Only then is anything exchanged: within a node over the
 * local socket, and between nodes with one message per node to rank 0 and one back.
 */
#ifndef M2D_WORLD_H
#define M2D_WORLD_H

/** Call before the real MPI_Init or MPI_Init_thread. */
void m2d_world_before_init(void);
/**
 * Call after it: fills the tables, raises START, and holds the
 * rank at the gate. Does nothing if @p rc is not MPI_SUCCESS.
 */
void m2d_world_after_init(int rc);

/** Call before the real MPI_Finalize: reads late arrivals and closes all file descriptors of the library. */
void m2d_world_before_finalize(void);

#endif /* M2D_WORLD_H */
