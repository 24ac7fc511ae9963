/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpich_truth.h
 * The facts of the programs under test, without those that MPICH does not store (docs/limits.md).
 */
#ifndef TEST_MPICH_TRUTH_H
#define TEST_MPICH_TRUTH_H

#include <jansson.h>
#include <stdbool.h>

/** The version of MPICH that runs jobs here: 100 * major + minor number. */
int mpich_truth_version(void);

/** @param prepared the program carries the in-target library, which knows more */
void mpich_truth_fit(json_t *truth, bool prepared);

#endif /* TEST_MPICH_TRUTH_H */
