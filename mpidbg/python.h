/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file python.h
 * Python functions of the debugger's threads, in addition to the C functions that the debugger passes.
 */
#ifndef MPIDBG_PYTHON_H
#define MPIDBG_PYTHON_H

#include "../model/python_frame.h"
#include "../mqs/state.h"

/** The Python frames of one thread. */
struct mpidbg_python_thread {
	struct mdl_python_frame *frames; /**< innermost first */
	size_t n;
	const char **backtrace; /**< the debugger's lines with the Python lines inserted before each activation of
				 *   CPython's loop; NULL: use the debugger's */
	bool in_backtrace;      /**< all frames are in the merged backtrace */
	char **lines;           /**< one line per frame, "solve at solve.py:12"; NULL: out of memory */
};

struct mpidbg_python {
	struct acc_space *sp;
	struct mpidbg_python_thread *threads; /**< one per thread of the debugger; NULL: not a Python process */
	size_t n;
	struct mpidbg_thread *merged; /**< the debugger's threads with the merged backtraces; NULL: unchanged */
	char why[ACC_NOTE_BYTES];     /**< why Python functions are unavailable; "" */
};

/**
 * Read the Python frames of threads. Reasons for unavailable
 * parts are in ret->why or in the frames; they are not failures.
 *
 * @param threads borrowed until mpidbg_python_deinit()
 */
void mpidbg_python_init(struct mpidbg_python *ret, struct _mqs_process_info *p, const struct mpidbg_thread *threads,
			size_t n);

/** Takes an all-zero one. */
void mpidbg_python_deinit(struct mpidbg_python *py);

/** The frames of the thread with this number. @return NULL: there are none */
const struct mpidbg_python_thread *mpidbg_python_of(const struct mpidbg_python *py, const struct mpidbg_thread *threads,
						    int64_t tid);

/**
 * The Python function that called, through C, the function in a line of the merged backtrace.
 *
 * @param from index of that line
 * @return a line of the backtrace; NULL: no Python function called it
 */
const char *mpidbg_python_caller(const struct mpidbg_python *py, const struct mpidbg_thread *threads, int64_t tid,
				 size_t from);

#endif /* MPIDBG_PYTHON_H */
