/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpidbg_jobs.h
 * The part of mpidbg.h, which includes this header, about the processes of a job: a launcher's table, and MPI2DD.
 */
#ifndef MPIDBG_JOBS_H
#define MPIDBG_JOBS_H

#include "mqs.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef MPIDBG_EXPORT
#define MPIDBG_EXPORT extern
#endif

/* ---- process tables ------------------------------------------------------------------------------- */

/** A process of a job. Strings belong to the array. */
struct mpidbg_proc {
	int64_t rank;                  /**< in its MPI_COMM_WORLD */
	int64_t pid;                   /**< -1: the entry could not be read */
	const char *host, *executable; /**< "" when they could not be read */
};

/**
 * The process table of a launcher (MPIR_proctable).
 *
 * @param[out] ret one allocation, to be freed with mpidbg_free(); untouched on failure.
 * @return MPIDBG_SUCCESS; MPIDBG_ERR_NOT_FOUND: none, or an empty one; MPIDBG_ERR_UNAVAILABLE;
 *         MPIDBG_ERR_OUT_OF_RANGE; MPIDBG_ERR_NO_MEM.
 */
MPIDBG_EXPORT int mpidbg_get_proctable(mqs_process *process, struct mpidbg_proc **ret, size_t *n_ret);

/* ---- MPI2DD (spec 004; mpi2dd.h) --------------------------------------------------------------------- */

/** The MPI2DD_info of a process, converted to the caller's byte order and word size. Strings belong to the struct. */
struct mpidbg_mpi2dd {
	int version, variant;
	int debug_state;                       /**< MPI2DD_DEBUG_*; 0: MPI2DD_breakpoint was not called yet */
	uint32_t debugger_flags;               /**< MPI2DD_FLAG_* */
	uint32_t mpi_flags;                    /**< MPI2DD_MPIFLAG_* */
	const char *dll_name_32, *dll_name_64; /**< NULL: none */
	const char *meta_host, *meta_executable;
	int64_t meta_pid;                                   /**< 0: not known yet (before MPI_Init has returned) */
	const char *abort_string;                           /**< NULL: none */
	uint64_t n_procs, n_directories, n_metadirectories; /**< entries of its tables */
	uint64_t info_addr;     /**< address of the structure; debugger_flags, 4 bytes, are at info_addr + 8 */
	uint64_t registry_addr; /**< 0: the process has no registry of MPI objects */
};

/**
 * Read and check MPI2DD_info.
 *
 * @param[out] ret one allocation, to be freed with mpidbg_free(); untouched on failure.
 * @return MPIDBG_SUCCESS; MPIDBG_ERR_NOT_FOUND: no such symbol; MPIDBG_ERR_UNAVAILABLE: it cannot be read or a field of
 *         it is invalid (mpidbg_error_string() names the field); MPIDBG_ERR_OUT_OF_RANGE; MPIDBG_ERR_NO_MEM.
 */
MPIDBG_EXPORT int mpidbg_get_mpi2dd(mqs_process *process, struct mpidbg_mpi2dd **ret);

/** An entry of MPI2DD's process table. Strings belong to the array; equal strings may share memory. */
struct mpidbg_world_proc {
	int64_t rank, pid;             /**< pid -1: the entry is invalid */
	const char *host, *executable; /**< "" when they could not be read */
	const char *world;             /**< the comm_world_id */
	const char *parent_world;      /**< comm_world_id of the world that spawned it; NULL: started by a starter */
	int64_t parent_rank, sequence; /**< -1 when parent_world is NULL */
};

/**
 * The process table of a directory process.
 *
 * A table of 10^6 entries is read in blocks of up to 16 MiB. One allocation, to be freed with mpidbg_free().
 *
 * @param[out] n_bad number of entries with a field that is unreadable or invalid; may be NULL.
 * @return MPIDBG_SUCCESS, even if some entries are bad; MPIDBG_ERR_NOT_FOUND: no MPI2DD_info, or no table in it;
 *         else as mpidbg_get_mpi2dd(). *ret is untouched on failure.
 */
MPIDBG_EXPORT int mpidbg_get_world_procs(mqs_process *process, struct mpidbg_world_proc **ret, size_t *n_ret,
					 size_t *n_bad);

/** Which table of a metadirectory process. */
enum mpidbg_table { MPIDBG_TABLE_DIRECTORIES = 0, MPIDBG_TABLE_METADIRECTORIES = 1 };

/** A directory or metadirectory process. Strings belong to the array. */
struct mpidbg_place {
	int64_t pid; /**< -1: the entry is invalid */
	const char *host, *executable;
};

/** A table of a metadirectory process. Arguments and codes as mpidbg_get_world_procs(). */
MPIDBG_EXPORT int mpidbg_get_places(mqs_process *process, int table, struct mpidbg_place **ret, size_t *n_ret,
				    size_t *n_bad);

#ifdef __cplusplus
}
#endif

#endif /* MPIDBG_JOBS_H */
