/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file demangle.h
 * Converts symbols of C++ functions to readable names.
 */
#ifndef HOST_DEMANGLE_H
#define HOST_DEMANGLE_H

#include <stddef.h>

/**
 * Replace the symbol of a C++ function by its name without parameters, as GDB's backtraces show it: _ZL3addPKvPvi
 * becomes "add", _ZNK3MPI9Intracomm3DupEv "MPI::Intracomm::Dup".
 *
 * Uses __cxa_demangle of the system's C++ library, which is loaded on first use.
 * Without that library the symbol is unchanged; so are symbols of other languages,
 * malformed ones, and those longer than 1,000 characters. Not thread-safe.
 *
 * @param[in,out] name buffer of @p size bytes; a longer result is cut off
 */
void host_demangle(char *name, size_t size);

#endif /* HOST_DEMANGLE_H */
