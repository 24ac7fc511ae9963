/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file summary.h
 * Objects and operations in a short form, as a debugger shows them next to the value of a variable.
 */
#ifndef MPIDBG_SUMMARY_H
#define MPIDBG_SUMMARY_H

#include "describe.h"

/** An object of the registry: "workers, rank 0 of 4". */
void mpidbg_summary_object(struct mpidbg_description *d, const struct mdl_handle *h);

/** An operation of the library: "MPI_Irecv from any, tag 5, 100 x MPI_DOUBLE on ring, pending". @param state
 * false: omit ", pending" */
void mpidbg_summary_operation(struct mpidbg_description *d, const struct mdl_comm *comm, const struct mdl_op *op,
			      const char *function, bool state);

/** "from 3", "to any", "to MPI_PROC_NULL", "from a rank that is unavailable". Nothing if it does not apply. */
void mpidbg_summary_peer(struct out *o, const char *word, struct mdl_num peer);

/** Does the function with this name receive? "MPI_Irecv", "MPI_Mprobe". */
bool mpidbg_summary_receives(const char *function);

#endif /* MPIDBG_SUMMARY_H */
