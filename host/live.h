/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file live.h
 * A live process: check it without touching it, stop all its threads, read, and release it unchanged.
 *
 * Uses PTRACE_SEIZE and PTRACE_INTERRUPT: a thread that was stopped by a signal stays stopped afterwards, an
 * interrupted system call continues, and a signal that arrives meanwhile is delivered on release. As after any stop,
 * the few system calls that the kernel does not restart (epoll_wait, semop, sigtimedwait: see signal(7)) return EINTR,
 * and one that has written a part into a full pipe or socket returns that part. All calls must come from one thread,
 * because ptrace requires this.
 *
 * A thread that did not stop in time because it is in an uninterruptible system call stays attached until that call
 * returns and we check again, or until we exit: the kernel offers nothing better.
 */
#ifndef HOST_LIVE_H
#define HOST_LIVE_H

#include "target.h"

/**
 * Check that the process exists and may be read. It continues to run.
 *
 * @return HOST_OK; HOST_ABSENT: no such process; HOST_DENIED: no permission, or traced by another process;
 *         HOST_UNREADABLE: a zombie or a kernel thread; HOST_USAGE: this process itself. @p ret unchanged on failure.
 */
enum host_errc host_live_open(pid_t pid, struct host_live **ret, struct host_error *err);

/**
 * Stop every thread of several processes, as simultaneously as possible: all running threads are interrupted before the
 * first one is waited for. A thread that does not stop in time causes a warning; one in an uninterruptible system call
 * delays the others by at most 0.2 s.
 *
 * @param t        the targets, which receive the warnings
 * @param[out] ret code of each, as for host_live_open()
 * @param[out] err error of each that failed
 */
void host_live_stop(struct host_live *const *l, struct host_target *const *t, size_t n, enum host_errc *ret,
		    struct host_error *err);

/** Detach from every thread; does nothing if not attached. */
void host_live_detach(struct host_live *l);

/** Detach and release. Takes NULL. */
void host_live_close(struct host_live *l);

bool host_live_is_stopped(const struct host_live *l);

/**
 * Was the process stopped by a signal (SIGSTOP, SIGTSTP ...) when we last stopped it? The kernel tells it with the stop
 * (ptrace(2), group stop), so this holds at that moment; /proc/PID/stat says something else for a moment before and
 * after it is traced.
 */
bool host_live_by_signal(const struct host_live *l);

/** Has every thread stopped? One in a system call that cannot be interrupted may still change the address space. */
bool host_live_all_stopped(const struct host_live *l);
pid_t host_live_pid(const struct host_live *l);

/** From when it was last seen running until it was released: an upper bound of the time it was stopped. */
double host_live_stopped_ms(const struct host_live *l);

/** Copy memory; also works before and after the stop. @return number of bytes copied, from the start. */
size_t host_live_read(struct host_live *l, uint64_t addr, size_t n, void *ret);

/** The i-th thread, the process's first thread first. @return false: there are not so many. */
bool host_live_thread(const struct host_live *l, size_t i, pid_t *tid);

/**
 * Registers of the i-th thread. Of one that did not stop because it is in a system call, those that /proc/PID/syscall
 * has: the arguments, the stack pointer and the program counter; the others are 0. n = 0: not known.
 *
 * @return whether the thread is stopped
 */
bool host_live_regs(const struct host_live *l, size_t i, struct host_regs *ret);

#endif /* HOST_LIVE_H */
