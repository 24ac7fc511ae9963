/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file hangs.h
 * Run jobs of tests/programs/hangs.c and compare the verdict of mpidbg deadlock with the expected result in hangs.def.
 */
#ifndef TEST_HANGS_H
#define TEST_HANGS_H

#include "job.h"

#include <check.h>
#include <stdbool.h>

/** An MPI, without or with the in-target library. */
enum hang_config { HANG_OMPI, HANG_MPICH, HANG_OMPI_LIB, HANG_MPICH_LIB, N_HANG_CONFIGS };

enum hang_result { GOES_ON_, DEADLOCK_, MISMATCH_, MISMATCH_LIB_, MISSING_, COMPUTES_ };

struct hang {
	const char *name;
	int n; /**< ranks */
	enum hang_result result;
	const char *detail;  /**< the field, the missing rank */
	unsigned determined; /**< configurations in which mpidbg can determine the verdict, one bit each */
	bool moves;          /**< messages are in transit: cores, taken at different times, would mislead */
	unsigned asked;      /**< the configuration to use under make check, as a bit; 0: any */
};

extern const struct hang hangs[];
extern const int n_hangs;

/** Does the kernel count for us how often calls return? "deadlock" needs that for MPI_Probe without a
 * trace in memory. */
bool hang_can_count(void);

/** Start the job of a case. Uses job_wrapper and resets it. */
void hang_start(const struct hang *h, enum hang_config config, struct job *ret);

/**
 * Start the job of a case, repeat mpidbg deadlock until it gives the expected verdict, and end the job. If the case
 * goes on or its verdict cannot be determined, a false verdict fails the test at once.
 *
 * @param cores check cores of the job, too
 */
void hang_try(const struct hang *h, enum hang_config config, bool cores);

/**
 * Add the cases that hang, or those that go on, to a test case. Under make check-all each runs in every configuration,
 * live and from cores; otherwise each runs in one configuration, and every fourth also from cores.
 *
 * @param test   a loop test that passes its index to hang_try_index()
 * @param stride under make check every stride-th case is added
 */
void hang_add(TCase *tc, const TTest *test, bool going_on, int stride);
void hang_try_index(int index);

#endif /* TEST_HANGS_H */
