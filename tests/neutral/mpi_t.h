/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpi_t.h
 * Included before each program of the suite's mpi_t folder, with Open MPI 4.1: it then tests the events too.
 */
#ifndef NEUTRAL_MPI_T_H
#define NEUTRAL_MPI_T_H

#include "../programs/mpit_weak.h"

#undef MPI_VERSION
#undef MPI_SUBVERSION
#define MPI_VERSION    4
#define MPI_SUBVERSION 0

#endif /* NEUTRAL_MPI_T_H */
