/* SPDX-License-Identifier: BSD-3-Clause */
#include "thread_state.h"

#include "maps.h"

#include "../access/grow.h"

#include <dirent.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

enum { THREADS_MAX = 1 << 16 };

/* ---- /proc ----------------------------------------------------------------------------------------------------- */

static char *task_file(pid_t pid, pid_t tid, const char *name)
{
	char path[96];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)pid, (int)tid, name);
	return host_read_file(path, NULL);
}

static void read_state(pid_t pid, struct host_thread_state *s)
{
	char *text = task_file(pid, s->tid, "stat"), *end = text ? strrchr(text, ')') : NULL;

	if (end && end[1] == ' ')
		s->letter = end[2];
	free(text);
	text = task_file(pid, s->tid, "schedstat");
	s->timed = text && sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &s->ran_ns, &s->waited_ns, &s->n_runs) == 3;
	free(text);
}

/* "230 0x0 0x0 ...": number, six arguments, stack pointer, program counter; "running"; "-1 ...": in no system call */
static void read_call(pid_t pid, struct host_thread_state *s)
{
	char *text = task_file(pid, s->tid, "syscall");
	uint64_t *a = s->args, sp;

	if (!text || sscanf(text,
			    "%" SCNd64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64
			    " %" SCNx64 " %" SCNx64,
			    &s->call, &a[0], &a[1], &a[2], &a[3], &a[4], &a[5], &sp, &s->pc) != 9)
		s->call = -1;
	free(text);
}

struct host_thread_state *host_thread_states(pid_t pid, bool calls, size_t *n_ret)
{
	char path[64];
	struct host_thread_state *ret = NULL;
	size_t n = 0;

	*n_ret = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *d = opendir(path);
	for (struct dirent *e; d && n < THREADS_MAX && (e = readdir(d));) {
		pid_t tid = (pid_t)atoi(e->d_name);
		if (tid <= 0)
			continue;
		if (!ACC_GROW(ret, n))
			break;
		ret[n] = (struct host_thread_state){ .tid = tid, .call = -1 };
		read_state(pid, &ret[n]);
		if (calls)
			read_call(pid, &ret[n]);
		n++;
	}
	if (d)
		closedir(d);
	*n_ret = n;
	return ret;
}

/* ---- system calls ---------------------------------------------------------------------------------------------- */

/* How a system call is told its end. */
enum end {
	END_NONE,   /* it has none */
	END_MS,     /* int, milliseconds; negative: none */
	END_SPEC,   /* address of a struct timespec, relative; 0: none */
	END_VAL,    /* address of a struct timeval */
	END_CLOCK,  /* clock_nanosleep: relative, or absolute by its flags */
	END_FUTEX,  /* futex: relative or absolute by its operation */
	END_SOON,   /* the kernel ends it when a device, a server or another process answers */
	END_RESTART /* a call that was interrupted and continues: its place says which one it is */
};

enum { NO_FILE = 6 }; /* no argument is a descriptor */

static const struct call {
	long number;
	const char *name;
	uint8_t end, arg;
} calls[] = {
	{ SYS_nanosleep, "nanosleep", END_SPEC, 0 },
	{ SYS_clock_nanosleep, "clock_nanosleep", END_CLOCK, 2 },
	{ SYS_ppoll, "ppoll", END_SPEC, 2 },
	{ SYS_pselect6, "pselect", END_SPEC, 4 },
	{ SYS_epoll_pwait, "epoll_wait", END_MS, 3 },
	{ SYS_rt_sigtimedwait, "sigtimedwait", END_SPEC, 2 },
	{ SYS_semtimedop, "semtimedop", END_SPEC, 3 },
	{ SYS_futex, "futex", END_FUTEX, 3 },
	{ SYS_restart_syscall, "restart_syscall", END_RESTART, 0 },
#ifdef SYS_poll
	{ SYS_poll, "poll", END_MS, 2 },
#endif
#ifdef SYS_select
	{ SYS_select, "select", END_VAL, 4 },
#endif
#ifdef SYS_epoll_wait
	{ SYS_epoll_wait, "epoll_wait", END_MS, 3 },
#endif
#ifdef SYS_epoll_pwait2
	{ SYS_epoll_pwait2, "epoll_wait", END_SPEC, 3 },
#endif
#ifdef SYS_pause
	{ SYS_pause, "pause", END_NONE, 0 },
#endif
	{ SYS_read, "read", END_NONE, 0 },
	{ SYS_write, "write", END_NONE, 0 },
	{ SYS_readv, "readv", END_NONE, 0 },
	{ SYS_wait4, "wait4", END_NONE, 0 },
	{ SYS_waitid, "waitid", END_NONE, 0 },
	{ SYS_recvfrom, "recvfrom", END_NONE, 0 },
	{ SYS_recvmsg, "recvmsg", END_NONE, 0 },
	{ SYS_accept, "accept", END_NONE, 0 },
	{ SYS_accept4, "accept", END_NONE, 0 },
	{ SYS_connect, "connect", END_NONE, 0 },
	{ SYS_flock, "flock", END_NONE, 0 },
	{ SYS_fcntl, "fcntl", END_NONE, 0 },
	{ SYS_rt_sigsuspend, "sigsuspend", END_NONE, 0 },
	{ SYS_fsync, "fsync", END_SOON, 0 },
	{ SYS_fdatasync, "fdatasync", END_SOON, 0 },
	{ SYS_syncfs, "syncfs", END_SOON, 0 },
	{ SYS_sync, "sync", END_SOON, NO_FILE },
	{ SYS_pread64, "pread", END_SOON, 0 },
	{ SYS_pwrite64, "pwrite", END_SOON, 0 },
	{ SYS_preadv, "preadv", END_SOON, 0 },
	{ SYS_pwritev, "pwritev", END_SOON, 0 },
	{ SYS_writev, "writev", END_SOON, 0 },
	{ SYS_ftruncate, "ftruncate", END_SOON, 0 },
	{ SYS_fallocate, "fallocate", END_SOON, 0 },
	{ SYS_getdents64, "getdents", END_SOON, 0 },
	{ SYS_ioctl, "ioctl", END_SOON, 0 },
	{ SYS_close, "close", END_SOON, 0 },
	{ SYS_fstat, "fstat", END_SOON, 0 },
	{ SYS_openat, "open", END_SOON, NO_FILE },
	{ SYS_newfstatat, "stat", END_SOON, NO_FILE },
	{ SYS_statx, "stat", END_SOON, NO_FILE },
	{ SYS_unlinkat, "unlink", END_SOON, NO_FILE },
	{ SYS_mkdirat, "mkdir", END_SOON, NO_FILE },
#ifdef SYS_open
	{ SYS_open, "open", END_SOON, NO_FILE },
	{ SYS_stat, "stat", END_SOON, NO_FILE },
	{ SYS_lstat, "lstat", END_SOON, NO_FILE },
	{ SYS_unlink, "unlink", END_SOON, NO_FILE },
	{ SYS_rename, "rename", END_SOON, NO_FILE },
	{ SYS_vfork, "vfork", END_SOON, NO_FILE },
#endif
};

static const struct call *call_of(int64_t number)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (calls[i].number == number)
			return &calls[i];
	return NULL;
}

/* Two words: seconds, and thousand-millionths or millionths. @return false: unreadable or invalid */
static bool read_time(struct host_target *t, uint64_t addr, double unit, double *ret)
{
	int64_t v[2];

	if (!host_read(t, addr, sizeof(v), v) || v[0] < 0 || v[1] < 0 || (double)v[1] * unit >= 1)
		return false;
	*ret = (double)v[0] + (double)v[1] * unit;
	return true;
}

/*
 * Are these the arguments of a relative clock_nanosleep(): a clock, no flag, a time? Of the calls that continue, poll()
 * and nanosleep() have no time there, and futex() begins with an address.
 */
static bool is_clock_nanosleep(struct host_target *t, const struct host_thread_state *s)
{
	double seconds;

	return s->args[0] <= CLOCK_TAI && !s->args[1] && read_time(t, s->args[2], 1e-9, &seconds);
}

/*
 * The call that continues, by the function of the C library that has made it; NULL: unknown. Since glibc 2.41 all
 * calls are made in one function without a symbol; then the registers tell, which still have its arguments.
 */
static const struct call *continued(struct host_target *t, const struct host_thread_state *s)
{
	char place[256];

	if (!host_place(t, s->pc, place, sizeof(place)))
		return NULL;
	/* nanosleep() of the C library calls clock_nanosleep, too */
	if (strstr(place, "nanosleep") || is_clock_nanosleep(t, s))
		return call_of(SYS_clock_nanosleep);
#ifdef SYS_poll
	if (strncmp(place, "poll+", 5) == 0 || strncmp(place, "__poll", 6) == 0)
		return call_of(SYS_poll);
#endif
	return NULL;
}

static double left_until(clockid_t clock, double end)
{
	struct timespec now;

	if (clock_gettime(clock, &now) != 0)
		return 0;
	double left = end - ((double)now.tv_sec + (double)now.tv_nsec / 1e9);
	return left > 0 ? left : 0;
}

/* FUTEX_WAIT is relative, the others are absolute. */
static enum host_doing futex(struct host_target *t, const struct host_thread_state *s, double *ends_s)
{
	int op = (int)s->args[1] & FUTEX_CMD_MASK;
	bool waits = op == FUTEX_WAIT || op == FUTEX_WAIT_BITSET || op == FUTEX_LOCK_PI || op == FUTEX_WAIT_REQUEUE_PI;

	if (!waits || !s->args[3])
		return waits || op == FUTEX_LOCK_PI2 ? HOST_WAITS : HOST_DOING_UNKNOWN;
	if (!read_time(t, s->args[3], 1e-9, ends_s))
		return HOST_DOING_UNKNOWN;
	if (op != FUTEX_WAIT)
		*ends_s = left_until(s->args[1] & FUTEX_CLOCK_REALTIME || op == FUTEX_LOCK_PI ? CLOCK_REALTIME
											      : CLOCK_MONOTONIC,
				     *ends_s);
	return HOST_SLEEPS;
}

static enum host_doing by_end(struct host_target *t, const struct host_thread_state *s, const struct call *c,
			      double *ends_s)
{
	uint64_t arg = s->args[c->arg];

	switch (c->end) {
	case END_NONE:
		return HOST_WAITS;
	case END_MS:
		*ends_s = (int)arg / 1e3;
		return (int)arg < 0 ? HOST_WAITS : HOST_SLEEPS;
	case END_FUTEX:
		return futex(t, s, ends_s);
	case END_CLOCK:
		if (!read_time(t, arg, 1e-9, ends_s))
			return HOST_DOING_UNKNOWN;
		if (s->args[1] & TIMER_ABSTIME)
			*ends_s = left_until((clockid_t)s->args[0], *ends_s);
		return HOST_SLEEPS;
	default:
		if (!arg)
			return HOST_WAITS;
		return read_time(t, arg, c->end == END_VAL ? 1e-6 : 1e-9, ends_s) ? HOST_SLEEPS : HOST_DOING_UNKNOWN;
	}
}

enum host_doing host_doing_of(struct host_target *t, const struct host_thread_state *s, double *ends_s,
			      const char **name)
{
	*ends_s = 0;
	*name = NULL;
	if (s->letter == 'R')
		return HOST_RUNS;
	if (s->call < 0 || host_word_bytes(t) != sizeof(long) || (s->letter != 'S' && s->letter != 'D'))
		return HOST_DOING_UNKNOWN;
	const struct call *c = call_of(s->call);
	if (c && c->end == END_RESTART)
		c = continued(t, s);
	if (!c)
		return HOST_DOING_UNKNOWN;
	*name = c->name;
	/* in an uninterruptible call, it goes on when the device answers */
	return s->letter == 'D' || c->end == END_SOON ? HOST_DOING_UNKNOWN : by_end(t, s, c, ends_s);
}

bool host_thread_file(const struct host_thread_state *s, char *ret, size_t size)
{
	static const long others[] = { SYS_read, SYS_write, SYS_readv, SYS_flock, SYS_fcntl };
	const struct call *c = s->call < 0 ? NULL : call_of(s->call);
	bool has = c && c->end == END_SOON && c->arg != NO_FILE;
	char path[64];

	for (size_t i = 0; c && i < sizeof(others) / sizeof(others[0]); i++)
		has |= c->number == others[i];
	if (!has || s->args[0] > INT_MAX)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)s->tid, (int)s->args[0]);
	ssize_t n = readlink(path, ret, size - 1);
	if (n > 0)
		ret[n] = '\0';
	return n > 0;
}

bool host_thread_kernel_function(pid_t tid, char *ret, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/wchan", (int)tid);
	char *text = host_read_file(path, NULL);
	bool known = text && *text && strcmp(text, "0") != 0 && strlen(text) < size;
	snprintf(ret, size, "%s", known ? text : "");
	free(text);
	return known;
}
