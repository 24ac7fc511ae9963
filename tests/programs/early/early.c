/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library whose constructor calls MPI, like that of Open MPI's C++ bindings: it runs before the in-target library's.
 */
#include <mpi.h>

int early_initialized = -1;

__attribute__((constructor)) static void call_early(void)
{
	MPI_Initialized(&early_initialized);
}
