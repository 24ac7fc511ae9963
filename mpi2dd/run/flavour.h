/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file flavour.h
 * Which MPI implementation a program uses (from the libraries that
 * it needs) or a launcher belongs to (from its name and libraries).
 */
#ifndef RUN_FLAVOUR_H
#define RUN_FLAVOUR_H

#include <stdbool.h>
#include <stddef.h>

/** RUN_ABI: the standard ABI of MPI 5, whichever MPI implements it; of programs, never of launchers. */
enum run_flavour { RUN_NO_FLAVOUR, RUN_OPENMPI, RUN_MPICH, RUN_ABI };

/** "openmpi", "mpich" or "abi": for option arguments and file names. Static text. */
const char *run_flavour_name(enum run_flavour flavour);

/** "Open MPI", "MPICH" or "the MPI ABI": for messages. Static text. */
const char *run_flavour_title(enum run_flavour flavour);

/** Parse the argument of --mpi. @return RUN_NO_FLAVOUR: unknown name. */
enum run_flavour run_flavour_parse(const char *name);

/**
 * The MPI implementation that one of these libraries belongs to, provided that our library supports its binary
 * interface. Unsupported interfaces (Open MPI before 2.0) give RUN_NO_FLAVOUR.
 *
 * @param names  sonames
 * @param[out] ret_why the soname that decided; written only if a flavour is found. Borrowed from @p names.
 */
enum run_flavour run_flavour_of_libraries(char *const *names, size_t n, const char **ret_why);

struct run_program_facts {
	enum run_flavour flavour;
	char why[64]; /**< the soname that decided; "" without a flavour */
	int bits;     /**< 32 or 64; 0: not an ELF file (a script) */
	/** Why no library of ours fits: libraries of two interfaces, or an ABI of a later version; "": none. */
	char wrong[192];
};

/**
 * Find the MPI of a program from all libraries that it needs. RUN_NO_FLAVOUR for scripts and for programs that load MPI
 * at run time.
 */
struct run_program_facts run_flavour_of_program(const char *path);

/**
 * Is this the name of a command that starts MPI jobs and takes
 * arguments like mpirun? Only the last component of the path counts.
 */
bool run_flavour_is_launcher(const char *path);

/**
 * The MPI that a launcher belongs to. Symbolic links are followed, because "mpirun" may belong to any MPI. @return
 * RUN_NO_FLAVOUR: cannot tell (a script).
 */
enum run_flavour run_flavour_of_launcher(const char *path);

#endif /* RUN_FLAVOUR_H */
