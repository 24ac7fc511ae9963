/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file mpidbg_run.h
 * Run the command under test, $MPIDBG_BUILD/mpidbg, and store its output.
 */
#ifndef TEST_MPIDBG_RUN_H
#define TEST_MPIDBG_RUN_H

#include <jansson.h>

struct mpidbg_run {
	int exit_code; /**< 0..255; -N: killed by signal N; -1000: timeout */
	char *out, *err;
	double seconds;
};

/**
 * Run it with the given arguments, the last one NULL, at most 120 s.
 *
 * @param[out] ret mpidbg_run_free()
 */
void mpidbg_run(struct mpidbg_run *ret, ...) __attribute__((sentinel));

/** As mpidbg_run(), another program: argv[0] is its path, or a name in PATH; the last one is NULL. */
void mpidbg_run_program(struct mpidbg_run *ret, char *const argv[]);

/**
 * Replace the output of a program that was run by the text of the file to which it wrote instead, "" if there is none,
 * and remove the file. A launcher may lose the end of what a failing rank prints (Open MPI 5.0).
 */
void mpidbg_run_read(struct mpidbg_run *run, const char *path);

/** Release. */
void mpidbg_run_free(struct mpidbg_run *run);

/** Its standard output as JSON, a new reference; a snapshot as
 * one value (snapshots_tree()). Ends the test if it is not JSON. */
json_t *mpidbg_run_json(const struct mpidbg_run *run);

#endif /* TEST_MPIDBG_RUN_H */
