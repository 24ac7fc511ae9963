/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file python.h
 * The Python functions on the stack of a thread in a snapshot.
 *
 * The argument "python" has them (docs/json.md), innermost first; NULL: none, or the snapshot is of an earlier version.
 */
#ifndef VD_PYTHON_H
#define VD_PYTHON_H

#include <jansson.h>
#include <stdbool.h>

enum { VD_PYTHON_CALL_BYTES = 160 };

/** Is the line of a backtrace a Python function of its thread: "solve at solve.py:12"? */
bool vd_python_is_line(const char *line, const json_t *python);

/**
 * The line of the innermost function that is the program's, not one of Python's own modules such as threading.py; else
 * of the innermost one. What is outside of where a process of multiprocessing begins was executed by its parent.
 *
 * @return borrowed; NULL: there is none
 */
const char *vd_python_place(const json_t *backtrace, const json_t *python);

/**
 * The function of Python's own modules that the program has called and in which a thread is: "Queue.get", "get of
 * queue.py" if its class is unknown, "import".
 *
 * @return false: it is in none
 */
bool vd_python_call(const json_t *python, char ret[VD_PYTHON_CALL_BYTES]);

#endif /* VD_PYTHON_H */
