/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file python.h
 * Python functions on the stack of a thread, read from CPython's own frames, in a live process or a core.
 *
 * The layout of CPython's structures comes from a layout pack whose witnesses agree; since 3.13 the pack describes
 * where to find the interpreter's own description (_Py_DebugOffsets, at the beginning of _PyRuntime). Everything is
 * verified: an object counts as code, string or bytes only if its type is the interpreter's own, found by its symbol.
 */
#ifndef RD_PYTHON_H
#define RD_PYTHON_H

#include "../../model/python_frame.h"
#include "../reader.h"

/** The CPython function that executes Python code; the frames that it executes belong to its activation. */
#define RD_PYTHON_LOOP "_PyEval_EvalFrameDefault"

struct rd_python;

/**
 * Find CPython in a process and resolve its layout.
 *
 * @param sp    stays the caller's, must outlive the result; nothing is noted in it
 * @param packs must outlive the result
 * @param[out] why text of a failure: "CPython 3.15: no layout pack fits; ...". Unchanged on success and for ACC_NONE.
 * @param[out] ret released by rd_python_close(). Unchanged on failure.
 * @return ACC_OK; ACC_NONE: no CPython in this process; ACC_EWITNESS:
 *         no pack fits it; ACC_EFIELD, ACC_ESYMBOL, ACC_ENOMEM.
 */
enum acc_rc rd_python_open(struct acc_space *sp, const struct rd_packs *packs, char why[ACC_NOTE_BYTES],
			   struct rd_python **ret);

/** Release. Takes NULL. */
void rd_python_close(struct rd_python *p);

/**
 * The Python frames of a thread, innermost first. The process must be a core, or stopped.
 *
 * If a frame cannot be read or is invalid, it is the last one: its function is NULL, and its `why` says what is wrong.
 *
 * @param tid the system's thread id
 * @param[out] ret   released by rd_python_free(); NULL: no frames
 * @param[out] n_ret how many, at most RD_PYTHON_FRAMES_MAX + 1
 * @return ACC_OK, also if the thread runs no Python code; ACC_ENOMEM: @p ret is incomplete.
 */
enum acc_rc rd_python_frames(struct rd_python *p, int64_t tid, struct mdl_python_frame **ret, size_t *n_ret);

/** Takes NULL. */
void rd_python_free(struct acc_space *sp, struct mdl_python_frame *frames, size_t n);

enum {
	RD_PYTHON_FRAMES_MAX = 2000,      /**< per thread: twice CPython's default recursion limit */
	RD_PYTHON_TEXT_MAX = 4096,        /**< characters of a name: PATH_MAX */
	RD_PYTHON_TABLE_MAX = 1 << 20,    /**< bytes of a line number table */
	RD_PYTHON_INTERPRETERS_MAX = 256, /**< per process */
	RD_PYTHON_THREADS_MAX = 65536,    /**< per process */
};

#endif /* RD_PYTHON_H */
