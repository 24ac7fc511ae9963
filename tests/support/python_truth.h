/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file python_truth.h
 * The stack of a Python program according to its own faulthandler;
 * the programs of tests/programs/python write it on SIGUSR1.
 */
#ifndef TEST_PYTHON_TRUTH_H
#define TEST_PYTHON_TRUTH_H

#include "job.h"

enum { PYTHON_ASKED_S = 120, PYTHON_STACK_MAX = 32, PYTHON_FRAME_BYTES = 256 };

struct python_stack {
	char frame[PYTHON_STACK_MAX][PYTHON_FRAME_BYTES]; /**< "receive at hang.py:52", innermost first */
	int n;
};

/** Request the stack of a process, which writes it to @p path; @p file is the name of its source. Fails the test if it
 * does not answer. */
void python_ask(pid_t pid, const char *path, const char *file, struct python_stack *ret);

/** Ask a rank of tests/programs/python/hang.py. */
void python_ask_rank(const struct job *job, int rank, struct python_stack *ret);

/** Does our text match that of faulthandler, which has neither the class of a method nor non-ASCII characters? */
bool python_is_same(const char *ours, const char *truth);

/** Do code objects of /usr/bin/python3 have the class of a method (CPython 3.11)? */
bool python_has_qualified_names(void);

/** Wait until mpidbg deadlock has this result; the ranks may not have reached their state yet. */
void python_wait_for(const struct job *job, const char *result, const char *place);

#endif /* TEST_PYTHON_TRUTH_H */
