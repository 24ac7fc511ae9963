/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file transfer_args.h
 * The data that a call or a request transfers: count and datatype, on both sides.
 */
#ifndef MPIDBG_TRANSFER_ARGS_H
#define MPIDBG_TRANSFER_ARGS_H

#include "describe.h"

/**
 * Write, within a line, @p before and "3 x MPI_INT", and ", receiving 12 x MPI_INT" if the other side differs;
 * with MPI_IN_PLACE, and at the root of an intercommunicator, only the other side. Nothing if it does not apply.
 */
void mpidbg_transfer_words(struct mpidbg_description *d, const char *before, struct mdl_num count,
			   struct mdl_num datatype, const struct mdl_second *second);

/** Write the facts of the other side: members of the open object (JSON), or lines (text). */
void mpidbg_transfer_facts(struct mpidbg_description *d, const struct mdl_second *second);

#endif /* MPIDBG_TRANSFER_ARGS_H */
