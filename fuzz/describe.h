/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file describe.h
 * Calls mpidbg_describe() for text and for JSON, and checks that the text is bounded and the JSON valid.
 */
#ifndef FUZZ_DESCRIBE_H
#define FUZZ_DESCRIBE_H

#include "../include/mpidbg.h"

/** Describe in both formats. @param options `format` is ignored, `write` must be NULL. */
void fuzz_describe(mqs_process *process, int what, const struct mpidbg_options *options);

#endif /* FUZZ_DESCRIBE_H */
