/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file waits.h
 * What threads wait for outside MPI, as the debugger says (mpidbg_options.waits).
 */
#ifndef MPIDBG_WAITS_H
#define MPIDBG_WAITS_H

#include "describe.h"

/** "waits for the mutex io_lock, held by thread 4719"; NULL: not known, or for nothing. */
const char *mpidbg_wait_of(const struct mpidbg_description *d, uint64_t tid);

/** Add it to the line or object of a thread, if it is known. */
void mpidbg_write_wait(struct mpidbg_description *d, uint64_t tid);

#endif /* MPIDBG_WAITS_H */
