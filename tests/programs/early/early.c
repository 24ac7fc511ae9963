/* SPDX-License-Identifier: BSD-3-Clause */
/* A library whose constructor calls MPI, as that of Open MPI's C++ binding does: before the in-target library's has run. */
#include <mpi.h>

int early_initialized = -1;

__attribute__((constructor)) static void call_early(void)
{
	MPI_Initialized(&early_initialized);
}
