/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file python_lines.h
 * The table of a Python function's lines, co_linetable (CPython 3.11 and later, Objects/locations.md).
 */
#ifndef HOST_PYTHON_LINES_H
#define HOST_PYTHON_LINES_H

#include <stddef.h>
#include <stdint.h>

/**
 * @param first_line co_firstlineno
 * @param offset     of the instruction from the first one, in bytes
 * @return the line; -1: it has none, or the table makes no sense
 */
int64_t host_python_line(const uint8_t *table, size_t n, int64_t first_line, uint64_t offset);

#endif /* HOST_PYTHON_LINES_H */
