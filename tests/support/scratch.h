/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file scratch.h
 * Private folders and files of a test, below $TMPDIR, or below /tmp if that is unset or empty.
 *
 * They are called mpidbg-NAME-XXXXXX. Failures end the test through Check: call it from tests and fixtures, not
 * from main(). What a failing test leaves behind is removed by tools/run_tests, together with its $TMPDIR.
 */
#ifndef TEST_SCRATCH_H
#define TEST_SCRATCH_H

/** Maximum size of a path, including its NUL. */
enum { SCRATCH_MAX = 256 };

/**
 * Make a new folder that only its owner may enter. The caller gives @p path to scratch_remove().
 *
 * @param name a short word: an MPI puts sockets below some of these folders, and the path of one has 108 bytes at most
 */
void scratch_make(char path[SCRATCH_MAX], const char *name);

/**
 * Make a new empty file that only its owner may read. The caller gives @p path to unlink() or scratch_remove().
 *
 * @return descriptor to write to, closed on exec; the caller closes it.
 */
int scratch_file(char path[SCRATCH_MAX], const char *name);

/**
 * Remove a folder with its contents, or a file. Symbolic links are removed, not followed. If an ending process
 * still creates files there, this is repeated for up to a second. No error if it does not exist, or for "".
 */
void scratch_remove(const char *path);

#endif /* TEST_SCRATCH_H */
