/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file describe.h
 * mpidbg_describe() as text and as JSON: the text has a bound, the JSON is JSON.
 */
#ifndef FUZZ_DESCRIBE_H
#define FUZZ_DESCRIBE_H

#include "../include/mpidbg.h"

/** Both. @param options their format is ignored, their `write` is NULL. */
void fuzz_describe(mqs_process *process, int what, const struct mpidbg_options *options);

#endif /* FUZZ_DESCRIBE_H */
