/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file python_frame.h
 * A Python function on the stack of a thread.
 */
#ifndef MDL_PYTHON_FRAME_H
#define MDL_PYTHON_FRAME_H

#include <stdbool.h>
#include <stdint.h>

struct mdl_python_frame {
	char *function;  /**< qualified since 3.11: "Grid.receive"; UTF-8, except invalid bytes; NULL: unavailable */
	char *file;      /**< name in the interpreter, a path or "<string>"; NULL: unavailable */
	int64_t line;    /**< 1 or more; 0: unavailable */
	const char *why; /**< static text: why one of the three is unavailable; NULL: all are known */
	bool entry;      /**< the outermost function of this activation of the interpreter's loop */
};

#endif /* MDL_PYTHON_FRAME_H */
