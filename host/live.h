/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file live.h
 * A live process: look before we touch it, stop all its threads, read, let it go as it was.
 *
 * PTRACE_SEIZE and PTRACE_INTERRUPT: a thread that was stopped by a signal stays so afterwards, a system call that was
 * interrupted continues, and a signal that arrives in between is delivered on release. As after any stop, those few
 * system calls that the kernel does not start again (epoll_wait, semop, sigtimedwait: see signal(7)) return EINTR. All
 * calls must come from one thread, because ptrace requires this.
 *
 * A thread that did not stop in time because it is in an uninterruptible system call stays attached to us until that
 * call returns and we look again, or until we exit: the kernel offers nothing better.
 */
#ifndef HOST_LIVE_H
#define HOST_LIVE_H

#include "target.h"

/**
 * Check that the process exists and may be read. It continues to run.
 *
 * @return HOST_OK; HOST_ABSENT: no such process; HOST_DENIED: no permission, or traced by another process;
 *         HOST_UNREADABLE: a zombie or a kernel thread; HOST_USAGE: ourselves. @p ret untouched on failure.
 */
enum host_errc host_live_open(pid_t pid, struct host_live **ret, struct host_error *err);

/**
 * Stop every thread of several processes, as nearly at one moment as can be: all that run are asked before the first is
 * waited for. A thread that does not stop in time is warned about, and holds the others for 0.2 s at most when it is
 * in an uninterruptible system call.
 *
 * @param t        their targets, for the warnings
 * @param[out] ret of each, codes as host_live_open()
 * @param[out] err of each that failed
 */
void host_live_stop(struct host_live *const *l, struct host_target *const *t, size_t n, enum host_errc *ret,
		    struct host_error *err);

/** Detach from every thread; harmless when it was done. */
void host_live_detach(struct host_live *l);

/** Detach and release. Takes NULL. */
void host_live_close(struct host_live *l);

bool host_live_is_stopped(const struct host_live *l);

/** Has every thread stopped? One in a system call that cannot be interrupted may still change the address space. */
bool host_live_all_stopped(const struct host_live *l);
pid_t host_live_pid(const struct host_live *l);

/** From when it was last seen running, until we let it go; more than that it cannot have been stopped. */
double host_live_stopped_ms(const struct host_live *l);

/** Copy memory; works before the stop and after it too. @return bytes copied, from the start. */
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
