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

#include <stdbool.h>
#include <stdint.h>

/** In the wrappers of MPI_Init and MPI_Init_thread. */
void m2d_world_before_init(void);
/** Fills the tables, tells START, holds at the gate. Nothing when @p rc is not MPI_SUCCESS. */
void m2d_world_after_init(int rc);

/** In the wrapper of MPI_Finalize: what is late is read, and no file descriptor of ours stays open. */
void m2d_world_before_finalize(void);
void m2d_world_after_finalize(int rc);

/** What the other files ask. Strings are static, valid from m2d_world_after_init() on. */
struct m2d_world {
	bool complete;    /**< all processes of the world carry the library: the tables hold them all */
	int rank, size;   /**< in MPI_COMM_WORLD; -1, 0 before MPI_Init */
	const char *id;   /**< comm_world_id, distinguishes it from every other one anywhere; "" before MPI_Init */
	const char *host; /**< this process's */
	const char *executable;
	int pid;
	const char *meta_host, *meta_executable; /**< the metadirectory's: rank 0 of the world */
	int meta_pid;
};
extern struct m2d_world m2d_world;

/** Has the user vouched for it that all carry the library (MPI2DD_EVERYONE=1)? 0 before MPI_Init. */
extern int m2d_everyone;

#endif /* M2D_WORLD_H */
