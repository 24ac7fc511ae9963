/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file flavour.h
 * Which MPI: of a program, by the libraries that it needs; of a launcher, by its name and libraries.
 */
#ifndef RUN_FLAVOUR_H
#define RUN_FLAVOUR_H

#include <stdbool.h>
#include <stddef.h>

enum run_flavour { RUN_NO_FLAVOUR, RUN_OPENMPI, RUN_MPICH };

/** "openmpi", "mpich": in options and in names of files. */
const char *run_flavour_name(enum run_flavour flavour);

/** "Open MPI", "MPICH": in words. */
const char *run_flavour_title(enum run_flavour flavour);

/** By name as --mpi takes it. @return RUN_NO_FLAVOUR: no such. */
enum run_flavour run_flavour_parse(const char *name);

/**
 * The MPI that one of these libraries belongs to, if our library for it fits: binary interfaces that ours is not
 * built for (Open MPI before 2.0, the standard's own interface libmpi_abi) are no flavour.
 *
 * @param[out] ret_why the soname that says so; only when there is a flavour. Borrowed from @p names.
 */
enum run_flavour run_flavour_of_libraries(char *const *names, size_t n, const char **ret_why);

struct run_program_facts {
	enum run_flavour flavour;
	char why[64]; /**< the soname, when there is a flavour */
	int bits;     /**< 32, 64; 0: no ELF file (a script) */
};

/** Of a program, with what its libraries need. Scripts, programs that load MPI later: RUN_NO_FLAVOUR. */
struct run_program_facts run_flavour_of_program(const char *path);

/** Does a command of this name start MPI jobs, with arguments of mpirun's kind? The path's last part counts. */
bool run_flavour_is_launcher(const char *path);

/** Of a launcher. Links are followed: mpirun may be anybody's. @return RUN_NO_FLAVOUR: cannot tell (a script). */
enum run_flavour run_flavour_of_launcher(const char *path);

#endif /* RUN_FLAVOUR_H */
