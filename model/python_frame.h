/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file python_frame.h
 * A function of a Python program that a thread is in.
 */
#ifndef MDL_PYTHON_FRAME_H
#define MDL_PYTHON_FRAME_H

#include <stdbool.h>
#include <stdint.h>

struct mdl_python_frame {
	char *function; /**< qualified since 3.11: "Grid.receive"; UTF-8 but for bytes that were none; NULL: unavailable */
	char *file;     /**< as the interpreter has it, a path or "<string>"; NULL: unavailable */
	int64_t line;    /**< 1 or more; 0: unavailable */
	const char *why; /**< static text: why one of the three is unavailable; NULL: all are known */
	bool entry;      /**< the outermost one that this activation of the interpreter's loop runs */
};

#endif /* MDL_PYTHON_FRAME_H */
