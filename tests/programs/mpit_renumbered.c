/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpit_renumbered: the MPI library (renumbered/renumbered.c) gives two variables each other's index. An index of ours
 * keeps its variable: the value cannot be had, rather than be that of the other one, until the variable is back.
 */
#include "mpit_common.h"

#include "renumbered/renumbered.h"

#include <dlfcn.h>

enum { VALUE_BYTES = 1 << 18 };
static char value[VALUE_BYTES];

/* One of the two, by its place among the MPI library's. */
static void try_variable(const char *name)
{
	MPI_T_cvar_handle before, after;
	int index, count;
	bool found = MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS &&
		     MPI_T_cvar_handle_alloc(index, NULL, &before, &count) == MPI_SUCCESS;

	rule("000.3", found && MPI_T_cvar_read(before, value) == MPI_SUCCESS, "no value before");
	if (!found)
		return;
	renumbered = 1;
	rule("000.3", MPI_T_cvar_read(before, value) != MPI_SUCCESS, "read another variable's value");
	rule("000.3", MPI_T_cvar_write(before, value) != MPI_SUCCESS, "wrote another variable");
	rule("000.3", MPI_T_cvar_handle_alloc(index, NULL, &after, &count) != MPI_SUCCESS,
	     "allocated a handle of another variable");
	renumbered = 0;
	rule("000.3", MPI_T_cvar_read(before, value) == MPI_SUCCESS, "no value when it is back");
	MPI_T_cvar_handle_free(&before);
}

int main(int argc, char **argv)
{
	char name[2][256];
	int provided, bytes;

	MPI_Init(&argc, &argv);
	MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
	/* what the MPI library calls them itself: its function, and not ours */
	int (*ask)(int, char *, int *, int *, MPI_Datatype *, MPI_T_enum *, char *, int *, int *, int *) = (int (*)(
		int, char *, int *, int *, MPI_Datatype *, MPI_T_enum *, char *, int *, int *,
		int *))dlsym(dlopen("librenumbered.so", RTLD_NOW | RTLD_NOLOAD), "PMPI_T_cvar_get_info");
	rule("000.1", MPI_T_cvar_get_num(&provided) == MPI_SUCCESS && ask, "no variables");
	for (int i = 0; i < 2; i++) {
		bytes = sizeof name[i];
		rule("000.3", ask(i, name[i], &bytes, NULL, NULL, NULL, NULL, NULL, NULL, NULL) == MPI_SUCCESS,
		     "the library does not say its name");
		try_variable(name[i]);
	}
	MPI_T_finalize();
	MPI_Finalize();
	return n_bad != 0;
}
