/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file starter_run.h
 * Run the starter under test, $MPIDBG_BUILD/mpi2dd-run (or another command), and store its output.
 *
 * A command that is left behind by a failing test ends with the test.
 */
#ifndef TEST_STARTER_RUN_H
#define TEST_STARTER_RUN_H

#include <stdbool.h>
#include <sys/types.h>

enum { STARTER_TEXT_MAX = 1 << 16, STARTER_PATH_MAX = 512 };

struct starter_run {
	pid_t pid;
	int in; /**< its standard input, -1: none, or closed */
	char out_path[STARTER_PATH_MAX + 16], err_path[STARTER_PATH_MAX + 16];
	int status; /**< after starter_wait(): of waitpid() */
	char out[STARTER_TEXT_MAX], err[STARTER_TEXT_MAX];
};

/** A folder for the test's files; starter_end() removes it. */
extern char starter_dir[STARTER_PATH_MAX];

/** Fixtures: make and remove the folder. */
void starter_setup(void);
void starter_teardown(void);

/**
 * Start a command, whose words are separated by single spaces. "R" as first word is the starter, "@x" is the file
 * x in the folder. '...' quotes spaces. Standard input is /dev/null: mpirun of MPICH may die of SIGPIPE, or exit with
 * 255, if its standard input ends at the moment when its ranks do.
 */
void starter_start(struct starter_run *ret, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** As starter_start(), but standard input is a pipe, to which the test writes (starter_run.in). */
void starter_start_with_input(struct starter_run *ret, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Close its input, wait for its end (at most 60 s) and read its output. */
void starter_wait(struct starter_run *run);

/** starter_start() and starter_wait(). */
void starter_do(struct starter_run *ret, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Wait until its output contains the text (at most 60 s); the output so far is in `out`. */
void starter_await(struct starter_run *run, const char *text);

/** Exit code; 128 + N when it was killed by signal N. After starter_wait(). */
int starter_code(const struct starter_run *run);

/** Write a file of the folder, executable. */
void starter_put(const char *name, const char *text);

/** Make a FIFO in starter_dir: a process that opens it for reading is blocked until starter_open_fifo(). */
void starter_make_fifo(const char *name);

/** Open that FIFO for writing and close it, once a process has it open for reading; ends the test if none comes. */
void starter_open_fifo(const char *name);

/** Compile a C program of the folder: name.c must be there. @p cc with options. */
void starter_compile(const char *cc, const char *name);

#endif /* TEST_STARTER_RUN_H */
