/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file directory.h
 * MPI2DD_info's proctable, directory_table and meta_*: what the set-up of the world has found, made readable.
 *
 * A debugger that stops the process at any instruction sees a table as it was or as it is to be: the new array is
 * whole before the pointer moves, the size grows after it, and old arrays stay. Strings are copied, each once.
 */
#ifndef M2D_DIRECTORY_H
#define M2D_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

struct MPI2DD_SPAWNDESC;

struct m2d_process {
	const char *host, *executable;
	int pid;
	int rank; /**< in MPI_COMM_WORLD */
};

/**
 * Make this process a directory (I_AM_DIR) of these processes.
 *
 * @param world_id "" for a world whose name is not known: comm_world_id is 0 then
 * @param spawn    of all of them; kept as a pointer; NULL: started by a starter
 * @return false: no memory, nothing has changed
 */
bool m2d_directory_set_processes(const struct m2d_process *processes, size_t n, const char *world_id,
				 const struct MPI2DD_SPAWNDESC *spawn);

/** Make this process a metadirectory (I_AM_METADIR) of these directories, none of which is itself; n may be 0. */
bool m2d_directory_set_directories(const struct m2d_process *directories, size_t n);

/** Where the metadirectory is. The strings are kept as pointers. */
void m2d_directory_set_meta(const char *host, const char *executable, int pid);

/** A forked child is no process of the job: it holds no tables. It still tells where the job's metadirectory is. */
void m2d_directory_forget(void);

#endif /* M2D_DIRECTORY_H */
