/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SWAPPED_H
#define SWAPPED_H

#include <mpi.h>

/** Called once, after PMPI_Comm_group has said what the group of this communicator is; then it is NULL again. */
extern void (*swapped_after)(void);
extern MPI_Comm swapped_comm;

#endif /* SWAPPED_H */
