/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file native_comm.h
 * Full description of one communicator in a process without the in-target library, from the MPI library's own memory.
 */
#ifndef MPIDBG_NATIVE_COMM_H
#define MPIDBG_NATIVE_COMM_H

#include "describe.h"

/**
 * Write the facts of the communicator that d->options.value names. The reader is open.
 *
 * @return ACC_OK; ACC_NONE, ACC_EREAD, ACC_EINVAL: noted in the process's note, nothing was written
 */
enum acc_rc mpidbg_native_comm(struct mpidbg_description *d);

#endif /* MPIDBG_NATIVE_COMM_H */
