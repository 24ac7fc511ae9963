/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An MPI library in which something happens while the in-target library asks for a group. It is found before the real
 * one, since it has PMPI_Init; everything else it has from that one, which it is linked with.
 */
#include "swapped.h"

#include <dlfcn.h>
#include <stddef.h>

void (*swapped_after)(void);
MPI_Comm swapped_comm;

static void *real(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

int PMPI_Init(int *argc, char ***argv)
{
	return ((int (*)(int *, char ***))real("PMPI_Init"))(argc, argv);
}

int PMPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
	int rc = ((int (*)(MPI_Comm, MPI_Group *))real("PMPI_Comm_group"))(comm, group);
	void (*after)(void) = swapped_after;

	if (after && comm == swapped_comm) {
		swapped_after = NULL;
		after();
	}
	return rc;
}
