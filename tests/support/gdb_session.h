/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file gdb_session.h
 * Scripted GDB sessions with an expected transcript: what a user types and sees, with the errors where they appear.
 *
 * tests/gdb/NAME.gdb is typed line by line; "@WORD@" in it is what gdb_word() has set. A line "-COMMAND" is typed
 * before or in between without being shown, its answer neither; "+NAME" includes the lines of NAME.gdb.
 * The transcript is that of the user: "(gdb) COMMAND" and the answer.
 * What differs between runs is given names in the order of its appearance: addresses and handles (0x1001, ...),
 * process and thread numbers (4711, ...), the host, folders, versions, times, ages, numbers of frames; lines of GDB
 * about threads and libraries are left out.
 */
#ifndef TEST_GDB_SESSION_H
#define TEST_GDB_SESSION_H

#include "scratch.h"

#include <stdbool.h>
#include <sys/types.h>

/** Forget all words. "@BUILD@", the folder of the build, is always known. */
void gdb_words_clear(void);

/** Set a word (copied). A number among the values is a process id for the transcript. */
void gdb_word(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

/**
 * Run tests/gdb/NAME.gdb and compare with tests/gdb/EXPECTED.expected (GOLDEN_UPDATE writes it). Ends the test when
 * they differ, when GDB does not end in time, and when there is a Python traceback in it.
 *
 * @param ... arguments of gdb, with words; the last one NULL
 */
void gdb_session(const char *name, const char *expected, ...) __attribute__((sentinel));

/** GDB is run by this command, "mpirun -n 1" for example (with words; copied), in the sessions to come; NULL:
 * directly. */
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

/** Start it. Words: PROGRAM, LAUNCHER, PID0, PID1 ... @param flavour "openmpi", "mpich" @param tracked with
 * mpi2dd-run */
void gdb_hang_start(struct gdb_hang *ret, const char *flavour, bool tracked, int n);

/** As gdb_hang_start(), with another program of tests/programs that writes FOLDER/RANK when it is ready. */
void gdb_job_start(struct gdb_hang *ret, const char *program, const char *flavour, bool tracked, int n);

/** Take a core of rank 0. Word: CORE. */
void gdb_hang_core(struct gdb_hang *hang);

/** End it and remove its folder. */
void gdb_hang_end(struct gdb_hang *hang);

#endif /* TEST_GDB_SESSION_H */
