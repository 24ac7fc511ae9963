/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file gdb_session.h
 * Scripted GDB sessions with an expected transcript: what a user types and sees, with the errors where they appear.
 *
 * The lines of tests/gdb/NAME.gdb are run as commands; "@WORD@" stands for the value set by gdb_word(). "-COMMAND" is
 * run without showing the command or its output; "+NAME" includes the lines of NAME.gdb.
 * The transcript shows "(gdb) COMMAND" and the output, as the user sees them.
 * Text that differs between runs is replaced, numbers in order of appearance: addresses and handles (0x1001, ...),
 * process and thread numbers (4711, ...), the host, folders, versions, times, ages, frame numbers. GDB's lines about
 * threads and libraries are left out.
 */
#ifndef TEST_GDB_SESSION_H
#define TEST_GDB_SESSION_H

#include "scratch.h"

#include <stdbool.h>
#include <sys/types.h>

/** Remove all words. "@BUILD@", the build folder, is always defined. */
void gdb_words_clear(void);

/** Set a word (copied). A value that is a number is treated as a process id in the transcript. */
void gdb_word(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

/**
 * Run tests/gdb/NAME.gdb and compare the transcript with tests/gdb/EXPECTED.expected (GOLDEN_UPDATE writes it). The
 * test fails when they differ, when GDB does not end in time, or when the output has a Python traceback.
 *
 * @param ... arguments of gdb, which may contain "@WORD@"; the last one NULL
 */
void gdb_session(const char *name, const char *expected, ...) __attribute__((sentinel));

/** Run GDB in the following sessions with this command in front, such as "mpirun -n 1" (copied; may contain "@WORD@").
 * NULL: run it directly. */
void gdb_session_launcher(const char *command);

/* ---- the job that hangs ------------------------------------------------------------------------------- */

enum { GDB_HANG_MAX = 8 };

/** ring_hang of tests/programs, all ranks about to block. */
struct gdb_hang {
	pid_t launcher, ranks[GDB_HANG_MAX];
	int n;
	char dir[SCRATCH_MAX], program[600];
	char core[SCRATCH_MAX + 32]; /**< of rank 0, after gdb_hang_core() */
};

/** Start it. Sets the words PROGRAM, LAUNCHER, PID0, PID1 ...
 * @param flavour "openmpi", "mpich" @param tracked with mpi2dd-run */
void gdb_hang_start(struct gdb_hang *ret, const char *flavour, bool tracked, int n);

/** As gdb_hang_start(), with another program of tests/programs that writes FOLDER/RANK when it is ready. */
void gdb_job_start(struct gdb_hang *ret, const char *program, const char *flavour, bool tracked, int n);

/** Take a core of rank 0. Sets the word CORE. */
void gdb_hang_core(struct gdb_hang *hang);

/** After gdb_hang_core(): put the cores of all ranks in one folder. Sets the word CORES. */
void gdb_hang_cores(struct gdb_hang *hang);

/** End it and remove its folder. */
void gdb_hang_end(struct gdb_hang *hang);

#endif /* TEST_GDB_SESSION_H */
