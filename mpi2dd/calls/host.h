/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file host.h
 * What this library is built for: one MPI, whose mpi.h is used, or the standard ABI of MPI 5 (mpi2dd/abi/mpi.h, which
 * defines M2D_ABI), and then the MPI is known at run time only (m2d_calls_is_openmpi()).
 */
#ifndef M2D_HOST_H
#define M2D_HOST_H

#include <mpi.h>

/** The host is Open MPI or may be: its major version; with the ABI that of the first one that has it. */
#if defined(OPEN_MPI)
#define M2D_OPENMPI_MAJOR OMPI_MAJOR_VERSION
#elif defined(M2D_ABI)
#define M2D_OPENMPI_MAJOR 6
#endif

#endif /* M2D_HOST_H */
