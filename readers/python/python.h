/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file python.h
 * Functions of a Python program on the stack of a thread, read from CPython's own frames, living or in a core.
 *
 * Where the members of its structures are is known from a layout pack whose witnesses agree; since 3.13 the pack says where the
 * interpreter's description of itself has them (_Py_DebugOffsets, with which _PyRuntime begins). Nothing is believed that does
 * not read back: an object is taken for code, a text or bytes only when its type is the interpreter's own, found by its symbol.
 */
#ifndef RD_PYTHON_H
#define RD_PYTHON_H

#include "../../model/python_frame.h"
#include "../reader.h"

/** The function of CPython that runs Python code: the frames that it runs stand above its own. */
#define RD_PYTHON_LOOP "_PyEval_EvalFrameDefault"

struct rd_python;

/**
 * Find CPython in a process and resolve its layout.
 *
 * @param sp    stays the caller's, must outlive the result; nothing is noted in it.
 * @param packs must outlive the result.
 * @param[out] why of a failure, in words: "CPython 3.15: no layout pack fits; ...". Untouched on success and with ACC_NONE.
 * @param[out] ret the caller's, rd_python_close(). Untouched on failure.
 * @return ACC_OK; ACC_NONE: no CPython is in this process; ACC_EWITNESS: one that no pack fits; ACC_EFIELD, ACC_ESYMBOL, ACC_ENOMEM.
 */
enum acc_rc rd_python_open(struct acc_space *sp, const struct rd_packs *packs, char why[ACC_NOTE_BYTES],
			   struct rd_python **ret);

/** Release. Takes NULL. */
void rd_python_close(struct rd_python *p);

/** "3.11": what the pack is for, or a version of the interpreter's own description. Borrowed. */
const char *rd_python_version(const struct rd_python *p);

/**
 * The Python frames of a thread, innermost first. The process is a core, or stopped.
 *
 * A frame that does not read back is the last one: its function is NULL, and its `why` says what is wrong.
 *
 * @param tid the system's number of the thread.
 * @param[out] ret   of the space's allocator, rd_python_free(); NULL when there are none.
 * @param[out] n_ret how many, at most RD_PYTHON_FRAMES_MAX + 1.
 * @return ACC_OK, also when the thread runs no Python code; ACC_ENOMEM: what there was room for.
 */
enum acc_rc rd_python_frames(struct rd_python *p, int64_t tid, struct mdl_python_frame **ret, size_t *n_ret);

/** Takes NULL. */
void rd_python_free(struct acc_space *sp, struct mdl_python_frame *frames, size_t n);

enum {
	RD_PYTHON_FRAMES_MAX = 2000,      /**< of a thread: twice what CPython's limit of recursion is */
	RD_PYTHON_TEXT_MAX = 4096,        /**< characters of a name: PATH_MAX */
	RD_PYTHON_TABLE_MAX = 1 << 20,    /**< bytes of a table of lines */
	RD_PYTHON_INTERPRETERS_MAX = 256, /**< of a process */
	RD_PYTHON_THREADS_MAX = 65536,    /**< of a process */
};

#endif /* RD_PYTHON_H */
