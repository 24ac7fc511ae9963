/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file demangle.h
 * Names of C++ functions as programmers write them.
 */
#ifndef HOST_DEMANGLE_H
#define HOST_DEMANGLE_H

#include <stddef.h>

/**
 * Replace the symbol of a C++ function by its name without parameters, as GDB's backtraces have it: _ZL3addPKvPvi is
 * "add", _ZNK3MPI9Intracomm3DupEv "MPI::Intracomm::Dup".
 *
 * By the C++ library of the system (__cxa_demangle), which is loaded when it is needed first; where there is none, the
 * symbol stays as it is, and so do symbols of other languages, malformed ones, and ones of more than 1,000 characters.
 * The library's calls must come from one thread at a time.
 *
 * @param[in,out] name of @p size bytes; a longer result is cut
 */
void host_demangle(char *name, size_t size);

#endif /* HOST_DEMANGLE_H */
