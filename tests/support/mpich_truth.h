/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpich_truth.h
 * Removes from the expected facts those that MPICH does not store (docs/limits.md).
 */
#ifndef TEST_MPICH_TRUTH_H
#define TEST_MPICH_TRUTH_H

#include <jansson.h>
#include <stdbool.h>

/** The version of MPICH that runs jobs here: 100 * major + minor number. */
int mpich_truth_version(void);

/** @param prepared the program has the in-target library, which records more facts */
void mpich_truth_fit(json_t *truth, bool prepared);

#endif /* TEST_MPICH_TRUTH_H */
