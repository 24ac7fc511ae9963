/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library with the name of the standard ABI's, of an MPI that mpidbg has never seen, which has only a few functions.
 * Compiled with mpi2dd/abi/mpi.h; -DABI_VERSION=N is what MPI_Abi_get_version() returns.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef ABI_VERSION
#define ABI_VERSION 1
#endif

#define FUNCTION(name, params)                                                                                         \
	int P##name params;                                                                                            \
	int name params __attribute__((weak, alias("P" #name)));                                                       \
	int P##name params

FUNCTION(MPI_Init, (int *argc, char ***argv))
{
	(void)argc, (void)argv;
	return MPI_SUCCESS;
}

FUNCTION(MPI_Initialized, (int *flag))
{
	*flag = 1;
	return MPI_SUCCESS;
}

FUNCTION(MPI_Comm_rank, (MPI_Comm comm, int *rank))
{
	(void)comm;
	*rank = 0;
	return MPI_SUCCESS;
}

FUNCTION(MPI_Comm_size, (MPI_Comm comm, int *size))
{
	(void)comm;
	*size = 2;
	return MPI_SUCCESS;
}

FUNCTION(MPI_Abi_get_version, (int *version, int *subversion))
{
	*version = ABI_VERSION;
	*subversion = 0;
	return MPI_SUCCESS;
}

FUNCTION(MPI_Get_library_version, (char *text, int *length))
{
	strcpy(text, "Some MPI 7.1");
	*length = (int)strlen(text);
	return MPI_SUCCESS;
}

FUNCTION(MPI_Recv, (void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status))
{
	(void)buffer, (void)count, (void)type, (void)source, (void)tag, (void)comm, (void)status;
	for (;;)
		pause();
}
