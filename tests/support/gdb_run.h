/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file gdb_run.h
 * Run a GDB session with the scripts and store its output.
 */
#ifndef TEST_GDB_RUN_H
#define TEST_GDB_RUN_H

#include "mpidbg_run.h"

/** Can GDB be run here, with Python? If not, prints why as the last line and exits 77. For main(). */
void gdb_require(void);

/** As gdb_require(), and exits 77 unless GDB has this version or a later one. */
void gdb_require_version(int major);

/**
 * Run gdb -nx -batch with gdb-scripts/mpidbg.py and libmpidbg.so of the build.
 *
 * @param commands GDB commands, a line each; standard output and standard error of GDB are stored separately
 * @param ret      mpidbg_run_free()
 * @param ...      arguments of gdb ("-p", "4711" or a program and a core), the last one NULL
 */
void gdb_run(struct mpidbg_run *ret, const char *commands, ...) __attribute__((sentinel));

/** As gdb_run(), with another library ($MPIDBG_LIBRARY). */
void gdb_run_library(struct mpidbg_run *ret, const char *library, const char *commands, ...) __attribute__((sentinel));

/**
 * Replace what differs between runs: addresses by ADDRESS, the given number by PID; lines of GDB about threads,
 * libraries and sources that it does not find are left out. In place.
 */
void gdb_normalise(char *text, long pid);

/**
 * Compare with tests/gdb/NAME.expected. With GOLDEN_UPDATE=1 in the environment the file is written instead.
 */
void gdb_expect(const char *text, const char *name);

/** The part of a session's output from a line that begins with @p from to the one that begins with @p to or the end;
 * malloc. */
char *gdb_part(const char *text, const char *from, const char *to);

#endif /* TEST_GDB_RUN_H */
