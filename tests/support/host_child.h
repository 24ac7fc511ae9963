/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file host_child.h
 * A process to read: forked from the test, so that every address of the test's data is valid in it too.
 */
#ifndef TESTS_HOST_CHILD_H
#define TESTS_HOST_CHILD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** Memory that test and child share. */
struct host_child_shared {
	atomic_ulong beats;   /**< grows while the child runs */
	atomic_ulong signals; /**< that it has handled */
	atomic_int ready;     /**< set by the child's function when it is where it should be */
	atomic_int done;
	atomic_long value[16]; /**< whatever the two agree upon */
};

struct host_child {
	pid_t pid;
	struct host_child_shared *shared;
};

/** Fork. The child runs @p run and then waits to be killed; it ends with the test program. Fails the test on error. */
struct host_child host_child_start(void (*run)(struct host_child_shared *shared));

/** Kill and reap. Harmless when it was done. */
void host_child_end(struct host_child *c);

/** Wait until @p *what is not 0; the test fails after 20 s. */
void host_child_wait(const atomic_int *what);

/** State letter of /proc/PID/status: R, S, D, T, t, Z; 0: gone. */
char host_child_state(pid_t pid);

/** Does it beat? Waits up to 5 s for it. */
bool host_child_beats(const struct host_child *c);

/** Read a file, or end the test. malloc'ed. */
unsigned char *host_child_file(const char *path, size_t *n);

/** Write a file below $TMPDIR. @return its path, malloc'ed. */
char *host_child_write(const char *name, const void *bytes, size_t n);

/** $TMPDIR/name, malloc'ed. */
char *host_child_path(const char *name);

#endif /* TESTS_HOST_CHILD_H */
