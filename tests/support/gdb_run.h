/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file gdb_run.h
 * Run a GDB session with the scripts and store its output.
 */
#ifndef TEST_GDB_RUN_H
#define TEST_GDB_RUN_H

#include "mpidbg_run.h"

/** Unless GDB with Python can be run here, print why as the last line and exit with 77. For main(). */
void gdb_require(void);

/** As gdb_require(), and exit with 77 if GDB is older than this version. */
void gdb_require_version(int major);

/**
 * Run gdb -nx -batch with gdb-scripts/mpidbg.py and libmpidbg.so of the build.
 *
 * @param ret      GDB's standard output and standard error, separately; the caller frees it with mpidbg_run_free()
 * @param commands GDB commands, one per line
 * @param ...      arguments of gdb ("-p", "4711" or a program and a core), the last one NULL
 */
void gdb_run(struct mpidbg_run *ret, const char *commands, ...) __attribute__((sentinel));

/** As gdb_run(), with another library ($MPIDBG_LIBRARY). */
void gdb_run_library(struct mpidbg_run *ret, const char *library, const char *commands, ...) __attribute__((sentinel));

/**
 * Run a shell command line with the build's folder in $B and a scratch folder in $D.
 *
 * @return its output, malloc
 */
char *gdb_shell(const char *script);

/**
 * Replace in place what differs between runs: addresses by ADDRESS, the given number by PID. GDB's lines about threads,
 * libraries and missing sources are removed.
 */
void gdb_normalise(char *text, long pid);

/**
 * Compare with tests/gdb/NAME.expected. With GOLDEN_UPDATE=1 in the environment the file is written instead.
 */
void gdb_expect(const char *text, const char *name);

/** The part of a session's output from the first line that begins with @p from up to the next one that begins with @p
 * to, or to the end if there is none or @p to is NULL; malloc. */
char *gdb_part(const char *text, const char *from, const char *to);

#endif /* TEST_GDB_RUN_H */
