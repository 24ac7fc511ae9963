/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file thread_state.h
 * States of threads from /proc, read without stopping them, and the ends of the sleeps that they are in.
 */
#ifndef HOST_THREAD_STATE_H
#define HOST_THREAD_STATE_H

#include "host.h"

/** A thread at one moment. */
struct host_thread_state {
	pid_t tid;
	char letter;        /**< R, S, D, T, t, Z, X; 0: unknown */
	bool timed;         /**< the next three are known */
	uint64_t ran_ns;    /**< time that it has used a processor so far */
	uint64_t waited_ns; /**< time that it has waited for a processor, until it was given one */
	uint64_t n_runs;    /**< how often it was given a processor */
	int64_t call;       /**< number of its system call; -1: it is in none, or unknown */
	uint64_t args[6];
	uint64_t pc;
};

/** What a thread does. */
enum host_doing {
	HOST_DOING_UNKNOWN,
	HOST_RUNS,
	HOST_WAITS, /**< for an event, in a system call without an end of its own */
	HOST_SLEEPS /**< in a system call that ends by itself */
};

/**
 * The threads of a process. @return malloc'ed array of *n_ret; NULL: no such process, or out of memory
 *
 * @param calls system calls are read, too: permission to trace the process is needed, and some time
 */
struct host_thread_state *host_thread_states(pid_t pid, bool calls, size_t *n_ret);

/**
 * What a thread does, by its system call. Reads the time at which it ends from the memory of the process.
 *
 * @param[out] ends_s of HOST_SLEEPS: seconds until its end, at the moment of the call, not negative
 * @param[out] name   static: "nanosleep", "futex" ...; NULL: it is in no system call, or in one without a name here
 */
enum host_doing host_doing_of(struct host_target *t, const struct host_thread_state *s, double *ends_s,
			      const char **name);

/** The file, pipe or socket of the system call that a thread is in, as /proc names it. @return false: it has none, or
 * it is unknown */
bool host_thread_file(const struct host_thread_state *s, char *ret, size_t size);

/** The function of the kernel in which a thread waits, as "folio_wait_bit_common". @return false: it is in none, or the
 * kernel does not say it */
bool host_thread_kernel_function(pid_t tid, char *ret, size_t size);

#endif /* HOST_THREAD_STATE_H */
