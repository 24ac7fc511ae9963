/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpi_library.h
 * Which MPI library a process has loaded, by its files and symbols.
 */
#ifndef CMD_MPI_LIBRARY_H
#define CMD_MPI_LIBRARY_H

#include "../host/host.h"

enum { CMD_WRONG_MPI_BYTES = 320 };

/**
 * Name of the MPI library: "Open MPI", "MPICH" ..., static; NULL: none, or unknown.
 *
 * @param[out] file borrowed from the target; may be NULL; untouched without a library
 */
const char *cmd_which_mpi(struct host_target *t, const char **file);

/** Is it an MPI whose memory mpidbg can read, or a derivative of one? @param mpi from cmd_which_mpi() */
bool cmd_knows_mpi(const char *mpi);

/**
 * Does the program need libraries whose handles differ, or a version of the standard ABI that is not known here?
 *
 * @param[out] ret what, and what to do, cut to @p size
 */
bool cmd_wrong_mpi(struct host_target *t, char *ret, size_t size);

#endif /* CMD_MPI_LIBRARY_H */
