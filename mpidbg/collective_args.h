/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file collective_args.h
 * Facts derived from the arguments of a collective call on which all ranks of the communicator must agree.
 */
#ifndef MPIDBG_COLLECTIVE_ARGS_H
#define MPIDBG_COLLECTIVE_ARGS_H

#include "describe.h"

/**
 * Write the members "collectives_begun" and "datatype_signature" (docs/json.md) of a recorded call as JSON; nothing
 * for a call without a communicator or with a tag. Facts that are not recorded are omitted, or null with the reason.
 */
void mpidbg_collective_args(struct mpidbg_description *d, const struct mdl_call *c);

#endif /* MPIDBG_COLLECTIVE_ARGS_H */
