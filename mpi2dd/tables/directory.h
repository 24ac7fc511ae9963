/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file directory.h
 * Publishes proctable, directory_table and meta_* of MPI2DD_info: the results of setting up the world.
 *
 * A debugger that stops the process at any instruction sees either the old table or the new one: the new array is
 * complete before the pointer changes, the size is written after the pointer, and old arrays are not freed. Strings are
 * copied, equal ones once.
 */
#ifndef M2D_DIRECTORY_H
#define M2D_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

struct MPI2DD_SPAWNDESC;

/** One process of a world. */
struct m2d_process {
	const char *host, *executable;
	int pid;
	int rank; /**< in MPI_COMM_WORLD */
};

/**
 * Publish the process table and make this process a directory (I_AM_DIR).
 *
 * @param processes the @p n processes that it lists
 * @param world_id  comm_world_id; "" if the world has no known name: the field is 0 then
 * @param spawn     how all of them were spawned; the pointer is kept. NULL: started by a starter
 * @return false: out of memory, nothing has changed
 */
bool m2d_directory_set_processes(const struct m2d_process *processes, size_t n, const char *world_id,
				 const struct MPI2DD_SPAWNDESC *spawn);

/**
 * Publish the directory table and make this process a metadirectory (I_AM_METADIR). @param directories the @p n other
 * directories; @p n may be 0. @return false: out of memory, nothing has changed.
 */
bool m2d_directory_set_directories(const struct m2d_process *directories, size_t n);

/** Publish where the metadirectory is. The strings must stay valid: the pointers are kept. */
void m2d_directory_set_meta(const char *host, const char *executable, int pid);

/**
 * In a forked child, which is not a process of the job: clear
 * the tables. It still says where the job's metadirectory is.
 */
void m2d_directory_forget(void);

#endif /* M2D_DIRECTORY_H */
