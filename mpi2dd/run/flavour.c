/* SPDX-License-Identifier: BSD-3-Clause */
#include "flavour.h"

#include "elf.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = { "", "openmpi", "mpich", "abi" };
static const char *const titles[] = { "no MPI", "Open MPI", "MPICH", "the MPI ABI" };

const char *run_flavour_name(enum run_flavour flavour)
{
	return names[flavour];
}

const char *run_flavour_title(enum run_flavour flavour)
{
	return titles[flavour];
}

enum run_flavour run_flavour_parse(const char *name)
{
	for (enum run_flavour f = RUN_OPENMPI; f <= RUN_ABI; f++)
		if (strcmp(name, names[f]) == 0)
			return f;
	return RUN_NO_FLAVOUR;
}

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* ---- programs ------------------------------------------------------------------------------------ */

static enum run_flavour of_soname(const char *name)
{
	/* Open MPI uses soname version 20 in 2.x and 40 since 3.0. libmpi.so.12 is the common ABI of MPICH, Intel MPI
	 * and MVAPICH2 (Debian names it libmpich.so.12); Open MPI 1.10 used the same name. */
	if (strcmp(name, "libmpi.so.40") == 0 || strcmp(name, "libmpi.so.20") == 0)
		return RUN_OPENMPI;
	if (strcmp(name, "libmpich.so.12") == 0 || strcmp(name, "libmpi.so.12") == 0)
		return RUN_MPICH;
	if (strcmp(name, "libmpi_abi.so.1") == 0)
		return RUN_ABI;
	/* A program linked with the in-target library may name no other MPI library. */
	if (strcmp(name, "libmpi2dd-openmpi.so") == 0)
		return RUN_OPENMPI;
	if (strcmp(name, "libmpi2dd-mpich.so") == 0)
		return RUN_MPICH;
	if (strcmp(name, "libmpi2dd-abi.so") == 0)
		return RUN_ABI;
	return RUN_NO_FLAVOUR;
}

enum run_flavour run_flavour_of_libraries(char *const *list, size_t n, const char **ret_why)
{
	for (size_t i = 0; i < n; i++) {
		enum run_flavour f = of_soname(last_part(list[i]));

		if (!f)
			continue;
		if (strcmp(last_part(list[i]), "libmpi.so.12") == 0)
			for (size_t k = 0; k < n; k++)
				if (starts(last_part(list[k]), "libopen-pal."))
					return RUN_NO_FLAVOUR;
		*ret_why = list[i];
		return f;
	}
	return RUN_NO_FLAVOUR;
}

/*
 * A program that names libraries of both interfaces passes the handles of one to the other. Only what the program
 * itself names counts: libmpi_abi may need a libmpi.
 */
static void find_wrong(const struct run_elf *elf, char *ret, size_t size)
{
	static const char abi[] = "libmpi_abi.so.";
	const char *standard = NULL, *other = NULL;

	for (size_t i = 0; i < elf->n; i++) {
		const char *name = last_part(elf->names[i]);
		enum run_flavour f = of_soname(name);

		if (starts(name, abi) && f == RUN_NO_FLAVOUR)
			snprintf(ret, size, "%.64s is a version of the MPI ABI that is not known here", name);
		standard = f == RUN_ABI ? name : standard;
		other = f && f != RUN_ABI ? name : other;
	}
	if (standard && other)
		snprintf(ret, size, "it is linked with both %.40s and %.40s, whose handles differ", standard, other);
}

struct run_program_facts run_flavour_of_program(const char *path)
{
	struct run_program_facts ret = { 0 };
	struct run_elf elf;
	const char *why = NULL;

	run_elf_init(&elf, path);
	ret.bits = elf.bits;
	find_wrong(&elf, ret.wrong, sizeof(ret.wrong));
	ret.flavour = run_flavour_of_libraries(elf.names, elf.n, &why);
	/* libmpi.so.12 is ambiguous, so look at all libraries. Most programs name the MPI library themselves, and the
	 * loader need not be asked. */
	if ((!ret.flavour || strcmp(last_part(why), "libmpi.so.12") == 0) && run_elf_ask_loader(&elf, path))
		ret.flavour = run_flavour_of_libraries(elf.names, elf.n, &why);
	if (ret.flavour)
		snprintf(ret.why, sizeof(ret.why), "%s", last_part(why));
	run_elf_deinit(&elf);
	return ret;
}

/* ---- launchers ----------------------------------------------------------------------------------- */

static const char *const of_openmpi[] = { "orterun", "prterun", "mpirun.openmpi", "mpiexec.openmpi", "oshrun" };
static const char *const of_mpich[] = { "mpiexec.hydra", "mpirun.mpich", "mpiexec.mpich", "mpirun.hydra" };

static bool is_one_of(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, list[i]) == 0)
			return true;
	return false;
}

static enum run_flavour by_name(const char *path)
{
	const char *name = last_part(path);

	if (is_one_of(name, of_openmpi, sizeof(of_openmpi) / sizeof(of_openmpi[0])))
		return RUN_OPENMPI;
	if (is_one_of(name, of_mpich, sizeof(of_mpich) / sizeof(of_mpich[0])))
		return RUN_MPICH;
	return RUN_NO_FLAVOUR;
}

bool run_flavour_is_launcher(const char *path)
{
	const char *name = last_part(path);

	return by_name(name) || strcmp(name, "mpirun") == 0 || strcmp(name, "mpiexec") == 0 ||
	       starts(name, "mpirun.") || starts(name, "mpiexec.") || starts(name, "mpirun-") ||
	       starts(name, "mpiexec-");
}

enum run_flavour run_flavour_of_launcher(const char *path)
{
	char real[PATH_MAX];
	struct run_elf elf;
	enum run_flavour ret = RUN_NO_FLAVOUR;

	if (!realpath(path, real))
		return RUN_NO_FLAVOUR;
	ret = by_name(real);
	if (ret)
		return ret;
	run_elf_init(&elf, real);
	for (size_t i = 0; i < elf.n && !ret; i++) {
		const char *name = elf.names[i];

		/* The mpirun of Open MPI 5 is a wrapper program of the runtime PRRTE. */
		if (starts(name, "libopen-rte.") || starts(name, "libopen-pal.") || starts(name, "libprrte."))
			ret = RUN_OPENMPI;
		else if (starts(name, "libmpl.") || starts(name, "libhydra"))
			ret = RUN_MPICH;
	}
	/* Not an ELF file (a script): decide by the name under which it was called. */
	if (!ret)
		ret = by_name(path);
	run_elf_deinit(&elf);
	return ret;
}
