/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file identity.h
 * The identity of this process: its world, its rank and its
 * metadirectory. Written by world.c, read by every part of the library.
 */
#ifndef M2D_IDENTITY_H
#define M2D_IDENTITY_H

#include <stdbool.h>

/** Strings are permanent. Valid from the end of m2d_world_after_init(). */
struct m2d_world {
	bool complete;    /**< all processes of the world carry the library, so that the tables list all of them */
	int rank, size;   /**< in MPI_COMM_WORLD; -1, 0 before MPI_Init */
	const char *id;   /**< comm_world_id, unique among all worlds on all hosts; "" before MPI_Init */
	const char *host; /**< this process's host */
	const char *executable;
	int pid;
	const char *meta_host, *meta_executable; /**< the metadirectory's; it is rank 0 of the world */
	int meta_pid;
};
extern struct m2d_world m2d_world;

/** 1: the user asserts that all processes carry the library (MPI2DD_EVERYONE=1). 0 before MPI_Init. */
extern int m2d_everyone;

#endif /* M2D_IDENTITY_H */
