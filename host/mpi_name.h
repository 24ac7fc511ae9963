/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpi_name.h
 * Which function names are MPI's, in C and in Fortran.
 */
#ifndef HOST_MPI_NAME_H
#define HOST_MPI_NAME_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Is @p name a function of the MPI standard, and which?
 *
 * MPI_Recv, PMPI_Recv, and what Fortran compilers make of it: mpi_recv_, pmpi_recv__, MPI_RECV, mpi_recv_f08_.
 *
 * @param[out] ret the C name, "MPI_Recv", cut to @p size; untouched when it is none; may be NULL with size 0.
 */
bool host_mpi_name(const char *name, char *ret, size_t size);

#endif /* HOST_MPI_NAME_H */
