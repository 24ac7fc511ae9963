/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file scratch.h
 * Private folders and files of a test, below $TMPDIR, or /tmp when that is not set or empty.
 *
 * They are called mpidbg-NAME-XXXXXX. Failures end the test through Check: call it from tests and fixtures, not
 * from main(). What a test leaves behind that fails is tools/run_tests' to remove, with the $TMPDIR that it gave.
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
 * Remove a folder with all that is in it, or a file. Symbolic links are removed, not followed. While a process that
 * ends still puts something there, it is tried again for a second. No error when it is gone already, nor for "".
 */
void scratch_remove(const char *path);

#endif /* TEST_SCRATCH_H */
