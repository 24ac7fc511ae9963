/* SPDX-License-Identifier: BSD-3-Clause */
#include "live.h"

#include "absent.h"
#include "clock.h"
#include "error.h"
#include "other_users.h"
#include "proc_status.h"
#include "stopped.h"
#include "tracer.h"

#include "../access/grow.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	THREADS_MAX = 1 << 16,
	STOP_WAIT_MS = 15000, /* on an overloaded machine a thread takes time to stop */
	STUCK_WAIT_MS = 200,  /* a thread in an uninterruptible system call
			       * may never stop; many are in one only briefly */
	STATES_MS = 5,        /* interval of checking for that */
	CLOSE_WAIT_MS = 200   /* last wait for such a thread when detaching */
};

struct thread {
	pid_t tid;
	bool seized, asked, stopped; /* asked: to stop */
	bool by_signal;              /* it was in a group stop when it stopped for us */
	int signal;                  /* arrived during the stop; delivered on release */
};

struct host_live {
	pid_t pid;
	int mem_fd;
	struct thread *threads;
	size_t n_threads;
	bool stopped;
	double since_ms, total_ms;
	int n_new, cause;      /* result of the last search for new threads: how many, or -1 with errno in cause */
	bool all;              /* every interrupted thread has stopped */
	bool by_signal;        /* at the last stop: a signal had stopped the process before */
	double stuck_since_ms; /* since when all remaining threads are in
				* uninterruptible system calls; 0: they are not */
};

/* ---- before the stop ----------------------------------------------------------------------------- */

bool host_owner(pid_t pid, uid_t *ret)
{
	char uids[128] = "";
	unsigned real;
	char *status = host_status_read(pid);
	bool known = status && host_status_field(status, "Uid", uids, sizeof(uids)) && sscanf(uids, "%u", &real) == 1;

	free(status);
	if (known)
		*ret = real;
	return known;
}

static enum host_errc error_gone(pid_t pid, struct host_error *err)
{
	return host_error_absent("process", pid, err);
}

/* Threads of closed targets that did not stop: they stay traced by this process, which may open their target again. */
static struct {
	pid_t *tids;
	size_t n;
} kept;

static void keep_stopped(pid_t tid)
{
	if (ACC_GROW(kept.tids, kept.n))
		kept.tids[kept.n++] = tid;
}

/* @return it was kept */
static bool take_back(pid_t tid)
{
	for (size_t i = 0; i < kept.n; i++)
		if (kept.tids[i] == tid) {
			kept.tids[i] = kept.tids[--kept.n];
			return true;
		}
	return false;
}

static bool is_kept(pid_t tid)
{
	for (size_t i = 0; i < kept.n; i++)
		if (kept.tids[i] == tid)
			return true;
	return false;
}

/* Report whether another debugger is attached. Another mpidbg is waited for. */
static enum host_errc error_traced(pid_t pid, struct host_error *err)
{
	char name[64] = "?";

	if (is_kept(pid) || host_wait_for_reader(pid))
		return HOST_OK;
	pid_t tracer = host_tracer(pid);
	char *other = tracer ? host_status_read(tracer) : NULL;
	if (other)
		host_status_field(other, "Name", name, sizeof(name));
	free(other);
	return !tracer ? HOST_OK
		       : host_error_set(err, HOST_DENIED,
					"process %d is being traced by PID %d (%s): detach that first", (int)pid,
					(int)tracer, name);
}

/* The static command knows no names: getpwuid() loads shared libraries of the C library that it was linked with. */
static const char *user_name(uid_t uid)
{
#ifndef MPIDBG_STATIC
	const struct passwd *pw = getpwuid(uid);
	if (pw)
		return pw->pw_name;
#else
	(void)uid;
#endif
	return NULL;
}

void host_user_name(uid_t uid, char *ret, size_t n)
{
	const char *name = user_name(uid);

	snprintf(ret, n, name ? "%s" : "%.0s%u", name ? name : "", (unsigned)uid);
}

/* Are system calls of this process filtered (seccomp)? */
static bool is_filtered(void)
{
	char mode[16];
	char *status = host_status_read(getpid());
	bool is = status && host_status_field(status, "Seccomp", mode, sizeof(mode)) && strcmp(mode, "2") == 0;

	free(status);
	return is;
}

/* Report the cause, and what the user can do. */
static enum host_errc error_denied(pid_t pid, const char *status, const char *what, struct host_error *err)
{
	enum host_errc rc = error_traced(pid, err);
	if (rc)
		return rc;

	if (host_is_of_other_users(pid))
		return host_error_set(
			err, HOST_DENIED,
			"process %d: not allowed to %s it: it is in another user name space, that of a container: run "
			"mpidbg in there (--via 'COMMAND %%h' reaches containers), or as root of this machine",
			(int)pid, what);
	char uids[128] = "", scope[16] = "";
	unsigned ruid = (unsigned)-1, euid = (unsigned)-1;
	if (geteuid() && host_status_field(status, "Uid", uids, sizeof(uids)) &&
	    sscanf(uids, "%u %u", &ruid, &euid) == 2 && (ruid != geteuid() || euid != geteuid())) {
		return host_error_set(
			err, HOST_DENIED,
			"process %d: no permission to %s it: it belongs to %s (uid %u): run as that user or as root",
			(int)pid, what, user_name(ruid) ? user_name(ruid) : "another user", ruid);
	}
	if (is_filtered())
		return host_error_set(
			err, HOST_DENIED,
			"process %d: not allowed to %s it: a seccomp filter of this container or batch system may "
			"forbid ptrace: run mpidbg outside of it, or start it with --cap-add=SYS_PTRACE",
			(int)pid, what);
	if (geteuid() == 0)
		return host_error_set(
			err, HOST_DENIED,
			"process %d: not allowed to %s it, not even to root: a container or a security "
			"module forbids it: CAP_SYS_PTRACE is needed, and in a container its user namespace",
			(int)pid, what);
	char *text = host_read_file("/proc/sys/kernel/yama/ptrace_scope", NULL);
	if (text)
		snprintf(scope, sizeof(scope), "%.*s", (int)strcspn(text, "\n"), text);
	free(text);
	if (scope[0] == '3')
		return host_error_set(
			err, HOST_DENIED,
			"process %d: not allowed to %s it: kernel.yama.ptrace_scope is 3, nobody may trace "
			"until the next boot: take a core (kill -ABRT) and use --core",
			(int)pid, what);
	if (scope[0] == '1' || scope[0] == '2')
		return host_error_set(
			err, HOST_DENIED,
			"process %d: not allowed to %s it: kernel.yama.ptrace_scope is %s: run as root, or "
			"sysctl kernel.yama.ptrace_scope=0",
			(int)pid, what, scope);
	return host_error_set(
		err, HOST_DENIED,
		"process %d: not allowed to %s it%s%s: it may be set-uid or undumpable, or a container or a "
		"security module forbids tracing: run as root, with CAP_SYS_PTRACE",
		(int)pid, what, scope[0] ? ", kernel.yama.ptrace_scope is " : "", scope);
}

/* Does the process have no memory: a kernel thread, or a process that is exiting but not yet a zombie? */
static bool has_no_memory(pid_t pid, const char *status)
{
	char vm[32], path[64], link[8];

	if (host_status_field(status, "VmSize", vm, sizeof(vm)))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	return readlink(path, link, sizeof(link)) < 0 && errno == ENOENT;
}

/* Is PF_KTHREAD set in the flags, the seventh number after the name? */
static bool is_kernel_thread(pid_t pid)
{
	enum { KTHREAD = 0x00200000 };
	char path[64];
	unsigned flags = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	char *text = host_read_file(path, NULL), *end = text ? strrchr(text, ')') : NULL;
	bool known = end && sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) == 1;
	free(text);
	return known && flags & KTHREAD;
}

/* The thread group leader may have exited while other threads run; then the process is alive. 0: it is not. */
pid_t host_living_thread(pid_t pid)
{
	char path[64];
	pid_t ret = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *d = opendir(path);
	if (!d)
		return 0;
	for (struct dirent *e; !ret && (e = readdir(d));) {
		char state[32];
		pid_t tid = (pid_t)atoi(e->d_name);
		if (tid <= 0 || tid == pid)
			continue;
		char *status = host_status_read(tid);
		if (status && host_status_field(status, "State", state, sizeof(state)) && state[0] != 'Z' &&
		    state[0] != 'X')
			ret = tid;
		free(status);
	}
	closedir(d);
	return ret;
}

static enum host_errc check_process(pid_t pid, pid_t *leader, struct host_error *err)
{
	char state[32] = "", tgid[32] = "";
	char *status = pid > 0 ? host_status_read(pid) : NULL;
	enum host_errc rc;

	if (pid <= 0)
		return host_error_set(err, HOST_USAGE, "%d is not a process id", (int)pid);
	if (!status)
		return errno == ENOENT || errno == ESRCH
			       ? error_gone(pid, err)
			       : host_error_set(err, HOST_UNREADABLE, "process %d: /proc/%d/status: %s", (int)pid,
						(int)pid, strerror(errno));
	if (host_status_field(status, "Tgid", tgid, sizeof(tgid)) && atoi(tgid) > 0)
		*leader = (pid_t)atoi(tgid);
	host_status_field(status, "State", state, sizeof(state));
	bool dead = state[0] == 'Z' || state[0] == 'X';
	pid_t living = dead ? host_living_thread(*leader) : 0;
	if (*leader == getpid())
		rc = host_error_set(err, HOST_USAGE, "process %d is this command itself", (int)pid);
	else if (dead && !living)
		rc = host_error_set(
			err, HOST_UNREADABLE,
			"process %d is a zombie: it has ended and waits for its parent; only a core could tell more",
			(int)pid);
	else if (living) /* /proc shows no memory of the first thread, which has ended, but that of the others */
		rc = HOST_OK;
	else if (has_no_memory(pid, status) && is_kernel_thread(pid))
		rc = host_error_set(err, HOST_UNREADABLE, "process %d is a kernel thread", (int)pid);
	else if (has_no_memory(pid, status))
		rc = host_error_set(err, HOST_UNREADABLE, "process %d is ending: its memory was already released",
				    (int)pid);
	else
		rc = error_traced(pid, err);
	free(status);
	if (living)
		*leader = living;
	return rc;
}

enum host_errc host_live_open(pid_t pid, struct host_live **ret, struct host_error *err)
{
	pid_t leader = pid;
	enum host_errc rc = check_process(pid, &leader, err);
	if (rc)
		return rc;

	struct host_live *l = calloc(1, sizeof(*l));
	if (!l)
		return host_error_set(err, HOST_UNREADABLE, "process %d: out of memory", (int)pid);
	l->pid = leader;
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)leader);
	l->mem_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (l->mem_fd < 0) {
		int cause = errno;
		char *status = host_status_read(leader);
		if (!status)
			rc = error_gone(pid, err);
		else if (cause == EACCES || cause == EPERM)
			rc = error_denied(leader, status, "read", err);
		else
			rc = host_error_set(err, HOST_UNREADABLE, "process %d: %s: %s", (int)pid, path,
					    strerror(cause));
		free(status);
		host_live_close(l);
		return rc;
	}
	*ret = l;
	return HOST_OK;
}

/* ---- the stop ------------------------------------------------------------------------------------ */

static struct thread *find_thread(struct host_live *l, pid_t tid)
{
	for (size_t i = 0; i < l->n_threads; i++)
		if (l->threads[i].tid == tid)
			return &l->threads[i];
	return NULL;
}

static struct thread *add_thread(struct host_live *l, pid_t tid)
{
	if (l->n_threads >= THREADS_MAX || !ACC_GROW(l->threads, l->n_threads))
		return NULL;
	struct thread *th = &l->threads[l->n_threads++];
	*th = (struct thread){ .tid = tid };
	return th;
}

/* State letter R, S, D, T, t, Z; X: it has exited. */
static char thread_state(pid_t tid)
{
	char state[32];
	char *status = host_status_read(tid);
	bool known = status && host_status_field(status, "State", state, sizeof(state));

	free(status);
	return known ? state[0] : 'X';
}

static bool thread_is_dead(pid_t tid)
{
	char state = thread_state(tid);

	return state == 'Z' || state == 'X';
}

/* Attach to a thread. @return false: errno says why not */
static bool seize(pid_t tid)
{
	for (bool again = true;;) {
		if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) == 0)
			return true;
		if (errno != EPERM)
			return false;
		if (take_back(tid))
			return true;
		pid_t tracer = host_tracer(tid);
		if (tracer ? !host_is_reader(tracer) || !host_wait_for_reader(tid) : !again) {
			errno = EPERM;
			return false;
		}
		again = tracer != 0; /* once: it may just have been released */
	}
}

/* Attach to threads that are new. @return how many, or -1 with *failed_errno. */
static int seize_new_threads(struct host_live *l, int *failed_errno)
{
	char path[64];
	int n_new = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)l->pid);
	DIR *d = opendir(path);
	if (!d) {
		*failed_errno = ESRCH;
		return -1;
	}
	for (struct dirent *e; (e = readdir(d));) {
		pid_t tid = (pid_t)atoi(e->d_name);
		if (tid <= 0 || find_thread(l, tid))
			continue;
		if (!seize(tid)) {
			int cause = errno;
			/* it is exiting now, or is a leader that exited before its threads */
			if (cause == ESRCH || thread_is_dead(tid))
				continue;
			*failed_errno = cause;
			closedir(d);
			return -1;
		}
		struct thread *th = add_thread(l, tid);
		if (!th) {
			/* it is released when we detach from the others */
			*failed_errno = ENOMEM;
			closedir(d);
			return -1;
		}
		th->seized = true;
		n_new++;
	}
	closedir(d);
	return n_new;
}

/* Check whether the thread has stopped, and record how. */
static void update_state(struct thread *th)
{
	int status;
	pid_t got = waitpid(th->tid, &status, __WALL | WNOHANG);

	if (got == 0)
		return;
	if (got < 0 || !WIFSTOPPED(status)) {
		th->seized = false; /* it ended */
		return;
	}
	th->stopped = true;
	/* PTRACE_EVENT_STOP: the interrupt, or the group stop that
	 * it was in. Otherwise a signal was about to be delivered. */
	if (status >> 16 == 0)
		th->signal = WSTOPSIG(status);
	th->by_signal = status >> 16 == PTRACE_EVENT_STOP && WSTOPSIG(status) != SIGTRAP;
}

/*
 * A thread that has stopped because a signal is about to be delivered goes on with it at once: if we are killed while
 * it is in this stop, the kernel detaches and the signal is lost. The interrupt stops the thread again before it
 * executes an instruction of the handler, and before the next signal; in that stop later signals stay pending.
 */
static void look_and_deliver(struct thread *th)
{
	update_state(th);
	if (!th->stopped || !th->signal || ptrace(PTRACE_CONT, th->tid, NULL, (void *)(long)th->signal) != 0)
		return;
	th->stopped = false;
	th->signal = 0;
}

static bool all_stopped(struct host_live *l)
{
	double before = host_now_ms();
	bool all = true, any = false;

	for (size_t i = 0; i < l->n_threads; i++) {
		struct thread *th = &l->threads[i];
		if (th->seized && !th->stopped)
			look_and_deliver(th);
		if (th->asked && th->seized && !th->stopped)
			all = false;
		any |= th->stopped;
	}
	if (!any) /* the process ran until now, as far as we know */
		l->since_ms = before;
	return all;
}

/* Are all remaining threads in uninterruptible system calls? */
static bool rest_is_stuck(struct host_live *l)
{
	for (size_t i = 0; i < l->n_threads; i++) {
		struct thread *th = &l->threads[i];
		if (!th->asked || !th->seized || th->stopped)
			continue;
		if (thread_state(th->tid) != 'D')
			return false;
	}
	return true;
}

/* Is there nothing more to wait for? */
static bool has_settled(struct host_live *l)
{
	return l->all || (l->stuck_since_ms > 0 && host_now_ms() > l->stuck_since_ms + STUCK_WAIT_MS);
}

/* @param look_at_states whether to ask the system what the
 * threads do that have not stopped: dear, when there are many */
static void look_at_threads(struct host_live *l, bool look_at_states)
{
	l->all = all_stopped(l);
	if (l->all || !look_at_states)
		return;
	if (!rest_is_stuck(l))
		l->stuck_since_ms = 0;
	else if (l->stuck_since_ms <= 0)
		l->stuck_since_ms = host_now_ms();
}

/*
 * Sleep until a thread changes its state (the tracer gets SIGCHLD). On a loaded machine, polling would compete with
 * spinning ranks for the processor. If SIGCHLD is ignored, the short timeout is used. The waiting time for stuck
 * threads runs for all processes at once, so one of them delays the others by at most that time.
 */
static void wait_stopped(struct host_live *const *l, size_t n, double wait_ms)
{
	double start = host_now_ms(), states_at = 0;
	sigset_t news, before;
	bool not_ours = false;

	sigemptyset(&news);
	sigaddset(&news, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &news, &before);
	for (size_t i = 0; i < n; i++)
		l[i]->stuck_since_ms = 0;
	for (;;) {
		bool settled = true, look_at_states = host_now_ms() >= states_at + STATES_MS;
		if (look_at_states)
			states_at = host_now_ms();
		for (size_t i = 0; i < n; i++) {
			if (!l[i]->all || look_at_states)
				look_at_threads(l[i], look_at_states);
			settled &= has_settled(l[i]);
		}
		if (settled || host_now_ms() > start + wait_ms)
			break;
		siginfo_t info;
		if (sigtimedwait(&news, &info, &(struct timespec){ .tv_nsec = 1000000 }) > 0)
			not_ours |= info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED;
	}
	if (not_ours) /* a child of the caller has exited; the caller may be waiting for the signal */
		raise(SIGCHLD);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/*
 * Interrupt the threads that were not interrupted so far; with
 * @p running_only, only those that are running or runnable.
 */
static void ask_threads(struct host_live *l, bool running_only)
{
	for (size_t i = 0; i < l->n_threads; i++) {
		struct thread *th = &l->threads[i];
		if (!th->seized || th->asked || (running_only && thread_state(th->tid) != 'R'))
			continue;
		th->asked = true;
		ptrace(PTRACE_INTERRUPT, th->tid, NULL, NULL);
	}
}

static void forget_dead_threads(struct host_live *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n_threads; i++)
		if (l->threads[i].seized)
			l->threads[n++] = l->threads[i];
	l->n_threads = n;
}

/* Determine the result after the last check. */
static enum host_errc conclude_stop(struct host_live *l, struct host_target *t, struct host_error *err)
{
	forget_dead_threads(l);
	if (l->n_new < 0 || l->n_threads == 0) {
		int cause = l->cause;
		host_live_detach(l);
		char *status = host_status_read(l->pid);
		enum host_errc rc;
		if (!status || cause == ESRCH || cause == 0)
			rc = error_gone(l->pid, err);
		else if (cause == EPERM || cause == EACCES || cause == ENOSYS)
			rc = error_denied(l->pid, status, "trace", err);
		else
			rc = host_error_set(err, HOST_UNREADABLE, "process %d: ptrace: %s", (int)l->pid,
					    strerror(cause));
		free(status);
		return rc;
	}
	l->by_signal = false;
	for (size_t i = 0; i < l->n_threads; i++) {
		l->by_signal |= l->threads[i].by_signal;
		if (!l->threads[i].stopped)
			host_warn(t, "thread %d does not stop: %s", (int)l->threads[i].tid,
				  thread_state(l->threads[i].tid) == 'D'
					  ? "it is in a system call that cannot be interrupted"
					  : "it was given no processor in time");
	}
	return HOST_OK;
}

void host_live_stop(struct host_live *const *l, struct host_target *const *t, size_t n, enum host_errc *ret,
		    struct host_error *err)
{
	bool again = false;

	/*
	 * Interrupt running threads first. On a loaded machine each needs a processor before it can stop, and once all
	 * are interrupted, each leaves its processor to the next one. Sleeping threads stop at once, so they need not
	 * be stopped while the others wait.
	 */
	for (size_t i = 0; i < n; i++) {
		l[i]->cause = 0;
		l[i]->n_new = seize_new_threads(l[i], &l[i]->cause);
		l[i]->since_ms = host_now_ms();
		l[i]->stopped = true;
		l[i]->all = false;
		again |= l[i]->n_new > 0;
	}
	for (size_t i = 0; i < n; i++)
		ask_threads(l[i], true);
	wait_stopped(l, n, STOP_WAIT_MS);
	/* a thread that has not stopped yet may create another one: repeat until none is new */
	while (again) {
		again = false;
		for (size_t i = 0; i < n; i++) {
			ask_threads(l[i], false);
			l[i]->all = false;
		}
		wait_stopped(l, n, STOP_WAIT_MS);
		for (size_t i = 0; i < n; i++) {
			if (l[i]->n_new <= 0)
				continue;
			l[i]->n_new = seize_new_threads(l[i], &l[i]->cause);
			again |= l[i]->n_new > 0 && l[i]->all;
		}
	}
	for (size_t i = 0; i < n; i++)
		ret[i] = conclude_stop(l[i], t[i], &err[i]);
}

/* @return false: the thread is still traced. */
static bool let_go(struct thread *th)
{
	if (!th->stopped)
		update_state(th);
	if (!th->seized)
		return true;
	if (!th->stopped)
		return false;
	if (ptrace(PTRACE_DETACH, th->tid, NULL, (void *)(long)th->signal) != 0 && errno == ESRCH) {
		/* it was killed meanwhile: collect the status, or its parent never gets it */
		int status;
		waitpid(th->tid, &status, __WALL | WNOHANG);
	}
	return true;
}

void host_live_detach(struct host_live *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n_threads; i++)
		if (!let_go(&l->threads[i]))
			l->threads[n++] = l->threads[i];
	if (l->stopped)
		l->total_ms += host_now_ms() - l->since_ms;
	l->stopped = false;
	l->n_threads = n;
}

void host_live_close(struct host_live *l)
{
	if (!l)
		return;
	host_live_detach(l);
	if (l->n_threads) {
		/* threads that did not stop are released when they do, or by the kernel when we exit */
		l->all = false;
		wait_stopped(&l, 1, CLOSE_WAIT_MS);
		host_live_detach(l);
		for (size_t i = 0; i < l->n_threads; i++)
			keep_stopped(l->threads[i].tid);
	}
	if (l->mem_fd >= 0)
		close(l->mem_fd);
	free(l->threads);
	free(l);
}

bool host_live_is_stopped(const struct host_live *l)
{
	return l->stopped;
}

bool host_live_by_signal(const struct host_live *l)
{
	return l->by_signal;
}

bool host_live_all_stopped(const struct host_live *l)
{
	return l->stopped && l->all;
}

pid_t host_live_pid(const struct host_live *l)
{
	return l->pid;
}

double host_live_stopped_ms(const struct host_live *l)
{
	return l->total_ms + (l->stopped ? host_now_ms() - l->since_ms : 0);
}

/* ---- reading ------------------------------------------------------------------------------------- */

size_t host_live_read(struct host_live *l, uint64_t addr, size_t n, void *ret)
{
	size_t done = 0;

	while (done < n) {
		struct iovec to = { (char *)ret + done, n - done };
		struct iovec from = { (void *)(uintptr_t)(addr + done), n - done };
		ssize_t got = process_vm_readv(l->pid, &to, 1, &from, 1, 0);
		/* process_vm_readv() fails at unreadable mappings, and some containers forbid it */
		if (got <= 0 && addr + done <= INT64_MAX)
			got = pread(l->mem_fd, (char *)ret + done, n - done, (off_t)(addr + done));
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

bool host_live_thread(const struct host_live *l, size_t i, pid_t *tid)
{
	if (i >= l->n_threads)
		return false;
	*tid = l->threads[i].tid;
	return true;
}

/* "0 0x3 0x7f.. 0x20000 0x0 0x0 0x0 0x7ffe.. 0x7f..": number, six arguments, stack pointer, program counter. */
static void regs_of_syscall(const struct host_live *l, pid_t tid, struct host_regs *ret)
{
	unsigned long long a[6], sp, pc;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", (int)l->pid, (int)tid);
	char *text = host_read_file(path, NULL);
	long number;
	if (text && sscanf(text, "%ld %llx %llx %llx %llx %llx %llx %llx %llx", &number, &a[0], &a[1], &a[2], &a[3],
			   &a[4], &a[5], &sp, &pc) == 9) {
		host_regs_of_call(number, a, sp, pc, ret);
	}
	free(text);
}

bool host_live_regs(const struct host_live *l, size_t i, struct host_regs *ret)
{
	struct iovec iov = { ret->bytes, sizeof(ret->bytes) };

	ret->n = 0;
	if (i >= l->n_threads)
		return false;
	if (!l->threads[i].stopped)
		regs_of_syscall(l, l->threads[i].tid, ret);
	else if (ptrace(PTRACE_GETREGSET, l->threads[i].tid, (void *)(uintptr_t)NT_PRSTATUS, &iov) == 0)
		ret->n = iov.iov_len;
	return l->threads[i].stopped;
}
