/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi_library.h"

#include "../host/elf_file.h"
#include "../host/modules.h"

#include <stdio.h>
#include <string.h>

static const char unknown_abi[] = "an MPI of the standard ABI that we do not know";

/* For each MPI a symbol that only it defines, even if linked statically, and a file name for messages. */
static const struct {
	const char *symbol, *file, *name;
} mpis[] = {
	{ "ompi_mpi_comm_world", "libmpi.so", "Open MPI" },
	{ "MPIR_Process", "libmpich.so", "MPICH" }, /* and its derivatives: Intel MPI, Cray MPICH, MVAPICH2 */
	{ NULL, "libmpich.so", "MPICH" },
	{ NULL, "libmpi.so", "an MPI that we do not know" },
	{ NULL, "libmpi_abi", unknown_abi },
	{ NULL, "libmpi_", "an MPI that we do not know" },
};
enum { N_MPIS = sizeof(mpis) / sizeof(mpis[0]) };

const char *cmd_which_mpi(struct host_target *t, const char **file)
{
	uint64_t addr;

	for (size_t i = 0; i < N_MPIS; i++) {
		const char *path = host_module(t, mpis[i].file);
		if (mpis[i].symbol ? host_symbol(t, mpis[i].symbol, &addr) : path != NULL) {
			if (file)
				*file = path ? path : host_executable(t);
			return mpis[i].name;
		}
	}
	return NULL;
}

bool cmd_knows_mpi(const char *mpi)
{
	return strcmp(mpi, "Open MPI") == 0 || strcmp(mpi, "MPICH") == 0;
}

static bool is_of(const char *name, const char *const *list)
{
	while (*list && strncmp(name, *list, strlen(*list)) != 0)
		list++;
	return *list != NULL;
}

/* Only what the program itself names counts: a library of the ABI may need the MPI's own. */
bool cmd_wrong_mpi(struct host_target *t, char *ret, size_t size)
{
	static const char prefix[] = "libmpi_abi.so.", known[] = "libmpi_abi.so.1";
	static const char *const others[] = { "libmpi.so.", "libmpich.so.", NULL };
	const struct host_module *m = host_module_at(t, 0);
	const char *name, *standard = NULL, *other = NULL;

	if (!m || !m->executable || !m->elf)
		return false;
	for (size_t i = 0; (name = host_elf_needed(m->elf, i)); i++) {
		const char *slash = strrchr(name, '/');
		name = slash ? slash + 1 : name;
		standard = strncmp(name, prefix, sizeof(prefix) - 1) == 0 ? name : standard;
		other = is_of(name, others) ? name : other;
	}
	if (standard && other)
		snprintf(ret, size,
			 "it is linked with both %.64s and %.64s, whose handles differ: what is shown may be of "
			 "either; link it with one of them",
			 standard, other);
	else if (standard && strcmp(standard, known) != 0)
		snprintf(ret, size,
			 "it is linked with %.64s, a version of the MPI ABI that is not known here: constants and "
			 "handles may have other meanings (%s is known)",
			 standard, known);
	else
		return false;
	return true;
}
