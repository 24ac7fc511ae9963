/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file python.h
 * Functions of a Python program on the stack of a thread, read from CPython's own frames.
 *
 * What is known of each version stands in a table (python_layout.h). Nothing is believed that does not read back: an object is
 * taken for code, a text or bytes only when its type is the interpreter's own, found by its symbol.
 */
#ifndef HOST_PYTHON_H
#define HOST_PYTHON_H

#include "host.h"

/** The function of CPython that runs Python code: the frames that it runs stand above its own. */
#define HOST_PYTHON_LOOP "_PyEval_EvalFrameDefault"

struct host_python_frame {
	char *text; /**< "solve at solve.py:12", or that it is unavailable and why */
	bool entry; /**< the outermost one that this activation of the loop runs */
};

/**
 * The Python frames of a thread, innermost first. The target is a core, or stopped.
 *
 * @param[out] ret host_python_free(); NULL when there are none
 * @return how many; 0: it is no Python process, or the thread runs no Python code. An interpreter of a version that is not
 *         known is a warning (host_warning()).
 */
size_t host_python_frames(struct host_target *t, pid_t tid, struct host_python_frame **ret);
void host_python_free(struct host_python_frame *frames, size_t n);

#endif /* HOST_PYTHON_H */
