/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file integer.h
 * Address integers and offsets: MPI_Aint and MPI_Offset are integers whose width depends on the MPI.
 */
#ifndef MPIDBG_INTEGER_H
#define MPIDBG_INTEGER_H

#include "describe.h"

/** MPIDBG_AINT or MPIDBG_OFFSET by any of its names: aint, MPI_Aint; offset, MPI_Offset. @return -1: neither */
int mpidbg_integer_kind(const char *name);

/**
 * Width in bytes: from the registry, which has MPI_AINT and MPI_OFFSET; otherwise from the debugger's types; for
 * an MPI_Aint of Open MPI also from the size of pointers.
 *
 * @return ACC_OK; ACC_NONE: unknown, noted.
 */
enum acc_rc mpidbg_integer_bytes(struct _mqs_process_info *p, int kind, unsigned *ret);

/** Write the integer that the options specify by value or by @ADDRESS. Failures are noted. */
enum acc_rc mpidbg_write_integer(struct mpidbg_description *d, int kind);

#endif /* MPIDBG_INTEGER_H */
