/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file collective_args.h
 * What all ranks of a communicator must agree on in a collective call, beyond its arguments as they are.
 */
#ifndef MPIDBG_COLLECTIVE_ARGS_H
#define MPIDBG_COLLECTIVE_ARGS_H

#include "describe.h"

/**
 * Write the members "collectives_begun" and "datatype_signature" (docs/json.md) of a recorded call as JSON; nothing of a
 * call without a communicator or with a tag. What is not recorded is left out, or null with the reason.
 */
void mpidbg_collective_args(struct mpidbg_description *d, const struct mdl_call *c);

#endif /* MPIDBG_COLLECTIVE_ARGS_H */
