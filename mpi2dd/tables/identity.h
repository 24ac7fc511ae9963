/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file identity.h
 * Which process of which world this one is: written by world.c, read by every part of the library.
 */
#ifndef M2D_IDENTITY_H
#define M2D_IDENTITY_H

#include <stdbool.h>

/** Strings are static, valid from m2d_world_after_init() on. */
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

#endif /* M2D_IDENTITY_H */
