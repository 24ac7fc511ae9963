/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An MPI library that gives its first two control variables each other's index when it is told to, as one may that has
 * unloaded a component. It is found before the real one, since it has PMPI_Init;
 * everything else it has from that one, which it is linked with.
 */
#include "renumbered.h"

#include <dlfcn.h>
#include <mpi.h>

int renumbered;

static void *real(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

static int index_of(int index)
{
	return renumbered && (index == 0 || index == 1) ? 1 - index : index;
}

int PMPI_Init(int *argc, char ***argv)
{
	return ((int (*)(int *, char ***))real("PMPI_Init"))(argc, argv);
}

int PMPI_T_cvar_get_info(int index, char *name, int *name_len, int *verbosity, MPI_Datatype *datatype,
			 MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind, int *scope)
{
	return ((int (*)(int, char *, int *, int *, MPI_Datatype *, MPI_T_enum *, char *, int *, int *, int *))real(
		"PMPI_T_cvar_get_info"))(index_of(index), name, name_len, verbosity, datatype, enumtype, desc, desc_len,
					 bind, scope);
}

int PMPI_T_cvar_handle_alloc(int index, void *object, MPI_T_cvar_handle *handle, int *count)
{
	return ((int (*)(int, void *, MPI_T_cvar_handle *, int *))real("PMPI_T_cvar_handle_alloc"))(
		index_of(index), object, handle, count);
}
