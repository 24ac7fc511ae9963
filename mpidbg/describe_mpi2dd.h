/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file describe_mpi2dd.h
 * MPI2DD_info and its tables as text and JSON.
 */
#ifndef MPIDBG_DESCRIBE_MPI2DD_H
#define MPIDBG_DESCRIBE_MPI2DD_H

#include "../readers/jobs/mpi2dd_info.h"
#include "describe.h"

/** Write the structure: an object "mpi2dd", or lines. Invalid values are reported as problems. */
void mpidbg_write_mpi2dd(struct mpidbg_description *d, const struct rd_mpi2dd *info);

/** Write the entries of the process table, into the open array or below the heading that the caller has written. */
void mpidbg_write_world_procs(struct mpidbg_description *d, const struct rd_mpi2dd *info);

/** Write a table of other processes: an array, or a heading and lines; no text if it has no entries. */
void mpidbg_write_places(struct mpidbg_description *d, const struct rd_mpi2dd *info, enum rd_mpi2dd_table table);

/** Columns of the lines about processes. */
enum { MPIDBG_COL_PID = 8, MPIDBG_COL_HOST = 18, MPIDBG_COL_EXECUTABLE = 38, MPIDBG_COL_WORLD = 64 };

#endif /* MPIDBG_DESCRIBE_MPI2DD_H */
