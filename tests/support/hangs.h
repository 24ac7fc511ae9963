/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file hangs.h
 * Jobs of tests/programs/hangs.c, and what mpidbg deadlock says of them, compared with the truth in hangs.def.
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
	const char *detail; /**< the field, the missing rank */
	unsigned told;      /**< configurations in which the verdict is known, a bit each */
	bool moves;         /**< cores mislead */
	unsigned asked;     /**< the configuration that is asked under make check, as a bit; 0: any */
};

extern const struct hang hangs[];
extern const int n_hangs;

/** Start the job of a case. The job_wrapper applies, and is reset. */
void hang_start(const struct hang *h, enum hang_config config, struct job *ret);

/**
 * Start the job of a case, ask mpidbg deadlock about it until it says what is true, and end it. What is not true fails the test
 * at once where the case goes on or its verdict is not known.
 *
 * @param cores ask about cores of it, too
 */
void hang_try(const struct hang *h, enum hang_config config, bool cores);

/**
 * Add the cases that hang, or those that go on, to a test case: with each MPI, without and with the library, live and from
 * cores under make check-all, else each with one of these, and every fourth from cores.
 *
 * @param test a loop test whose index hang_try_index() takes
 * @param stride of the cases that are added under make check
 */
void hang_add(TCase *tc, const TTest *test, bool going_on, int stride);
void hang_try_index(int index);

#endif /* TEST_HANGS_H */
