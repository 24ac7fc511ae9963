/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file lines.h
 * The line number table of a Python function in its three formats: co_lnotab up to CPython 3.9
 * (Objects/lnotab_notes.txt), co_linetable of 3.10, and that of 3.11 and later (Objects/locations.md,
 * InternalDocs/code_objects.md).
 */
#ifndef RD_PYTHON_LINES_H
#define RD_PYTHON_LINES_H

#include <stddef.h>
#include <stdint.h>

/**
 * The formats: pairs of code and line increments (3.9), pairs of
 * range end and line increment (3.10), variable-size entries (3.11).
 */
enum rd_python_lines { RD_PYTHON_LNOTAB, RD_PYTHON_PAIRS, RD_PYTHON_ENTRIES };

/**
 * Find the line of an instruction.
 *
 * @param first_line co_firstlineno
 * @param offset     of the instruction from the first one, in bytes
 * @return the line; -1: it has none, or the table is invalid
 */
int64_t rd_python_line(enum rd_python_lines format, const uint8_t *table, size_t n, int64_t first_line,
		       uint64_t offset);

#endif /* RD_PYTHON_LINES_H */
