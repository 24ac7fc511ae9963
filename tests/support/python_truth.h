/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file python_truth.h
 * What a Python program's own faulthandler says of its stack: the programs of tests/programs/python write it on
 * SIGUSR1.
 */
#ifndef TEST_PYTHON_TRUTH_H
#define TEST_PYTHON_TRUTH_H

#include "job.h"

enum { PYTHON_ASKED_S = 120, PYTHON_STACK_MAX = 32, PYTHON_FRAME_BYTES = 256 };

struct python_stack {
	char frame[PYTHON_STACK_MAX][PYTHON_FRAME_BYTES]; /**< "receive at hang.py:52", innermost first */
	int n;
};

/** Ask a process, which writes to @p path; @p file is what its source is called. Fails the test when it does not
 * answer. */
void python_ask(pid_t pid, const char *path, const char *file, struct python_stack *ret);

/** Ask a rank of tests/programs/python/hang.py. */
void python_ask_rank(const struct job *job, int rank, struct python_stack *ret);

/** Does our text match that of faulthandler, which has neither the class of a method nor non-ASCII characters? */
bool python_is_same(const char *ours, const char *truth);

/** Wait until deadlock comes to this conclusion: the ranks may not be there yet. */
void python_wait_for(const struct job *job, const char *result, const char *place);

#endif /* TEST_PYTHON_TRUTH_H */
