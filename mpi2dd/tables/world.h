/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file world.h
 * This process's MPI_COMM_WORLD: who its processes are, which of them hold tables, from MPI_Init to MPI_Finalize.
 *
 * Before the real MPI_Init each process says that it carries the library (a socket of its node in the abstract name
 * space, and the starter when there is one); the library's own barrier in MPI_Init makes that complete, so that
 * afterwards each knows, without waiting for anybody, whether all do. Only then anything is exchanged:
 * within a node over that socket, between nodes one message to rank 0 and one back per node.
 */
#ifndef M2D_WORLD_H
#define M2D_WORLD_H

/** In the wrappers of MPI_Init and MPI_Init_thread. */
void m2d_world_before_init(void);
/** Fills the tables, tells START, holds at the gate. Nothing when @p rc is not MPI_SUCCESS. */
void m2d_world_after_init(int rc);

/** In the wrapper of MPI_Finalize: what is late is read, and no file descriptor of ours stays open. */
void m2d_world_before_finalize(void);
void m2d_world_after_finalize(int rc);

#endif /* M2D_WORLD_H */
