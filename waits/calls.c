/* SPDX-License-Identifier: BSD-3-Clause */
#include "calls.h"

#include "children.h"
#include "descriptor.h"
#include "enders.h"
#include "file_locks.h"
#include "open_files.h"

#include "../host/maps.h"
#include "../host/modules.h"
#include "../host/thread_state.h"

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/syscall.h>

/* ---- arguments ----------------------------------------------------------------------------------------- */

/* How a system call names what it waits for. */
enum shape {
	ONE_FD, /* its first argument */
	POLL,   /* an array of struct pollfd and its length */
	SELECT, /* a number, and the bits of those to read from and to write into */
	EPOLL,  /* the first argument, which names others */
	LOCK,   /* fcntl: a descriptor, if its second argument waits for a lock */
	CHILD,  /* wait4, waitid */
	SIGNAL
};

static const struct call {
	long number;
	const char *name;            /* of the function of the C library, for calls that are restarted; NULL: none */
	uint8_t shape, use, timeout; /* use: enum wt_use; timeout: 1 + index of its argument; 0: none */
} calls[] = {
	{ SYS_read, NULL, ONE_FD, WT_READS, 0 },
	{ SYS_pread64, NULL, ONE_FD, WT_READS, 0 },
	{ SYS_readv, NULL, ONE_FD, WT_READS, 0 },
	{ SYS_preadv, NULL, ONE_FD, WT_READS, 0 },
	{ SYS_recvfrom, NULL, ONE_FD, WT_READS, 0 },
	{ SYS_recvmsg, NULL, ONE_FD, WT_READS, 0 },
	{ SYS_write, NULL, ONE_FD, WT_WRITES, 0 },
	{ SYS_pwrite64, NULL, ONE_FD, WT_WRITES, 0 },
	{ SYS_writev, NULL, ONE_FD, WT_WRITES, 0 },
	{ SYS_pwritev, NULL, ONE_FD, WT_WRITES, 0 },
	{ SYS_sendto, NULL, ONE_FD, WT_WRITES, 0 },
	{ SYS_sendmsg, NULL, ONE_FD, WT_WRITES, 0 },
	{ SYS_fsync, NULL, ONE_FD, WT_WRITES, 0 },
	{ SYS_fdatasync, NULL, ONE_FD, WT_WRITES, 0 },
	{ SYS_close, NULL, ONE_FD, WT_CLOSES, 0 },
	{ SYS_accept, NULL, ONE_FD, WT_ACCEPTS, 0 },
	{ SYS_accept4, NULL, ONE_FD, WT_ACCEPTS, 0 },
	{ SYS_connect, NULL, ONE_FD, WT_CONNECTS, 0 },
	{ SYS_flock, NULL, ONE_FD, WT_LOCKS, 0 },
	{ SYS_fcntl, NULL, LOCK, WT_LOCKS, 0 },
	{ SYS_ppoll, "ppoll", POLL, WT_POLLS, 3 },
	{ SYS_pselect6, "pselect", SELECT, WT_POLLS, 5 },
	{ SYS_epoll_pwait, NULL, EPOLL, WT_POLLS, 0 },
#ifdef SYS_poll
	{ SYS_poll, "poll", POLL, WT_POLLS, 3 },
#endif
#ifdef SYS_select
	{ SYS_select, "select", SELECT, WT_POLLS, 5 },
#endif
#ifdef SYS_epoll_wait
	{ SYS_epoll_wait, NULL, EPOLL, WT_POLLS, 0 },
#endif
	{ SYS_wait4, NULL, CHILD, WT_REAPS, 0 },
	{ SYS_waitid, NULL, CHILD, WT_REAPS, 0 },
#ifdef SYS_pause
	{ SYS_pause, NULL, SIGNAL, WT_SIGNALS, 0 },
#endif
	{ SYS_rt_sigsuspend, NULL, SIGNAL, WT_SIGNALS, 0 },
};

/* The call that a thread continues, by the function of the C library in which it is. */
static const struct call *continued(struct host_target *t, const struct host_stopped *s)
{
	struct host_module *m = s->n_frames ? host_module_of(t, s->frames[0].pc) : NULL;
	char name[64];

	if (!m || !host_module_function(m, s->frames[0].pc, name, sizeof(name)))
		return NULL;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (calls[i].name && strcmp(calls[i].name, name + strspn(name, "_")) == 0)
			return &calls[i];
	return NULL;
}

static const struct call *call_of(struct host_target *t, const struct host_stopped *s)
{
	if (s->call == SYS_restart_syscall)
		return continued(t, s);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (calls[i].number == s->call)
			return &calls[i];
	return NULL;
}

static void add_fd(struct wt_wait *x, int fd)
{
	if (fd >= 0 && x->n_fds < WT_FDS_MAX)
		x->fds[x->n_fds] = fd;
	x->n_fds += fd >= 0;
}

static void read_poll(struct host_target *t, const struct host_stopped *s, struct wt_wait *x)
{
	enum { LOOKED_AT = 64 };
	struct pollfd v[LOOKED_AT];
	size_t n = s->args[1] < LOOKED_AT ? (size_t)s->args[1] : LOOKED_AT;

	if (!host_read(t, s->args[0], n * sizeof(*v), v))
		return;
	for (size_t i = 0; i < n; i++)
		add_fd(x, v[i].fd);
	x->n_fds += s->args[1] > n && s->args[1] < 1 << 20 ? s->args[1] - n : 0;
}

static void read_select(struct host_target *t, const struct host_stopped *s, struct wt_wait *x)
{
	size_t n = s->args[0] < FD_SETSIZE ? (size_t)s->args[0] : FD_SETSIZE;
	fd_set in, out;

	FD_ZERO(&in);
	FD_ZERO(&out);
	if ((s->args[1] && !host_read(t, s->args[1], (n + 7) / 8, &in)) ||
	    (s->args[2] && !host_read(t, s->args[2], (n + 7) / 8, &out)))
		return;
	for (size_t i = 0; i < n; i++)
		if (FD_ISSET(i, &in) || FD_ISSET(i, &out))
			add_fd(x, (int)i);
}

/* Has it a time limit? That of poll is a number, which is negative if there is none; those of the others are addresses.
 */
static bool has_limit(const struct call *c, const struct host_stopped *s)
{
#ifdef SYS_poll
	if (c->number == SYS_poll)
		return (int)s->args[2] >= 0;
#endif
	return c->timeout && s->args[c->timeout - 1] != 0;
}

bool wt_call_read(struct host_target *t, const struct host_stopped *s, struct wt_wait *x)
{
	enum { GETS_LOCK_OF_FILE = 38 }; /* F_OFD_SETLKW */
	const struct call *c = call_of(t, s);

	if (!c || (c->shape == LOCK && s->args[1] != F_SETLKW && s->args[1] != GETS_LOCK_OF_FILE))
		return false;
	x->kind = WT_CALL;
	x->use = c->use;
	x->foreign = c->use != WT_SIGNALS;
	x->ends = c->timeout && (s->call == SYS_restart_syscall || has_limit(c, s));
	switch (c->shape) {
	case POLL:
		read_poll(t, s, x);
		break;
	case SELECT:
		read_select(t, s, x);
		break;
	case CHILD:
		x->child = c->number == SYS_wait4 ? (int32_t)s->args[0] : s->args[0] == 1 ? (int64_t)s->args[1] : -1;
		break;
	case SIGNAL:
		break;
	case EPOLL:
		x->epoll = true;
		add_fd(x, (int)s->args[0]);
		x->ends = (int)s->args[3] >= 0;
		break;
	default:
		add_fd(x, (int)s->args[0]);
	}
	/* a select without descriptors is a sleep */
	return c->shape == CHILD || c->shape == SIGNAL || x->n_fds > 0;
}

/* ---- words --------------------------------------------------------------------------------------------- */

static const char *before(const struct wt_wait *x, const struct wt_descriptor *d)
{
	bool file = d->kind == WT_FD_FILE;

	switch (x->use) {
	case WT_READS:
		return d->kind == WT_FD_TERMINAL ? "input from " : file ? "data of " : "data from ";
	case WT_WRITES:
		return file ? "the system to write " : "room in ";
	case WT_CLOSES:
		return "the system to close ";
	case WT_ACCEPTS:
		return "a connection to ";
	case WT_CONNECTS:
		return "an answer to ";
	case WT_LOCKS:
		return "the lock of ";
	default:
		return "an event of ";
	}
}

/* What the first thread of another process does, from /proc alone. @param self the process that waits for it */
static void describe_peer(pid_t self, struct wt_peer *p)
{
	size_t n;
	struct host_thread_state *v = host_thread_states(p->pid, true, &n);
	const struct call *c = NULL;

	for (size_t i = 0; n && v[0].call >= 0 && i < sizeof(calls) / sizeof(calls[0]) && !c; i++)
		c = calls[i].number == v[0].call ? &calls[i] : NULL;
	if (n && v[0].letter == 'R')
		strcpy(p->does, "runs");
	else if (n && (v[0].letter == 'T' || v[0].letter == 't'))
		strcpy(p->does, "is stopped");
	else if (n && (v[0].letter == 'Z' || v[0].letter == 'X'))
		strcpy(p->does, "has ended");
	else if (c && (c->shape == ONE_FD || c->shape == EPOLL)) {
		struct wt_wait y = { .use = c->use, .fds = { (int)v[0].args[0] }, .n_fds = 1 };
		struct wt_descriptor d;
		wt_descriptor_read(p->pid, y.fds[0], true, &d);
		snprintf(p->does, sizeof(p->does), "waits for %s%.80s", before(&y, &d), d.text);
		p->waits_back = wt_descriptor_is_peer(self, &d, c->use != WT_WRITES);
	} else if (c && c->shape == CHILD)
		strcpy(p->does, "waits for a child to end");
	else if (c && c->shape == SIGNAL)
		strcpy(p->does, "waits for a signal");
	else if (n && v[0].call == SYS_futex)
		strcpy(p->does, "waits for another thread");
	else if (n && (v[0].call == SYS_nanosleep || v[0].call == SYS_clock_nanosleep))
		strcpy(p->does, "sleeps");
	free(v);
}

static void add_peer(pid_t self, struct wt_wait *x, pid_t pid)
{
	for (size_t i = 0; i < x->n_peers; i++)
		if (x->peers[i].pid == pid)
			return;
	if (x->n_peers == WT_PEERS_MAX)
		return;
	x->peers[x->n_peers] = (struct wt_peer){ .pid = pid };
	wt_process_name(pid, x->peers[x->n_peers].name);
	describe_peer(self, &x->peers[x->n_peers++]);
}

static void find_peers(pid_t pid, const struct wt_descriptor *d, struct wt_wait *x)
{
	pid_t peers[WT_PEERS_MAX];
	bool all;
	size_t n = 0;

	if (x->use == WT_LOCKS) {
		n = wt_file_lock_holders(pid, x->tid, peers, WT_PEERS_MAX);
		all = false;
	} else {
		n = wt_descriptor_peers(pid, d, x->use != WT_WRITES, peers, WT_PEERS_MAX, &all);
	}
	x->hidden = (d->kind == WT_FD_PIPE || (d->kind == WT_FD_SOCKET && d->peer)) && wt_open_files_hidden();
	for (size_t i = 0; i < n; i++)
		add_peer(pid, x, peers[i]);
	x->peers_known = x->n_fds == 1 && (n > 0 || all);
	/* only this process has the other end: one of its threads may use it */
	x->foreign = x->foreign && !(x->n_fds == 1 && all && !n && wt_descriptor_is_peer(pid, d, x->use != WT_WRITES));
}

/* "one of 3 descriptors (a pipe, a socket, ...)" */
static void describe_several(pid_t pid, struct wt_wait *x, bool more)
{
	struct wt_descriptor d;
	size_t shown = x->n_fds < 3 ? x->n_fds : 3;
	int n = snprintf(x->what, sizeof(x->what), "one of %zu descriptors (", x->n_fds);

	for (size_t i = 0; i < shown; i++) {
		wt_descriptor_read(pid, x->fds[i], more, &d);
		if (n > 0 && (size_t)n < sizeof(x->what))
			n += snprintf(x->what + n, sizeof(x->what) - (size_t)n, "%s%.48s", i ? ", " : "", d.text);
	}
	if (n > 0 && (size_t)n < sizeof(x->what))
		snprintf(x->what + n, sizeof(x->what) - (size_t)n, "%s)", shown < x->n_fds ? ", ..." : "");
}

static void describe_child(pid_t pid, struct wt_wait *x, bool more)
{
	pid_t all[WT_PEERS_MAX];

	if (more && x->child > 0)
		add_peer(pid, x, (pid_t)x->child);
	size_t n = more && x->child <= 0 ? wt_children_of(pid, x->tid, all, WT_PEERS_MAX) : 0;
	for (size_t i = 0; i < n; i++)
		add_peer(pid, x, all[i]);
	x->peers_known = x->n_peers > 0;
	snprintf(x->what, sizeof(x->what), x->child > 0 || n == 1 ? "its child to end" : "a child to end");
}

void wt_call_describe(pid_t pid, struct wt_wait *x, bool more)
{
	struct wt_descriptor d;

	x->n_peers = 0;
	if (more && x->epoll) {
		size_t n = wt_descriptor_watched(pid, x->fds[0], x->fds, WT_FDS_MAX);
		x->n_fds = n ? n : 1;
		x->epoll = false;
	}
	if (x->use == WT_SIGNALS) {
		snprintf(x->what, sizeof(x->what), "a signal");
	} else if (x->use == WT_REAPS) {
		describe_child(pid, x, more);
	} else if (x->n_fds == 1) {
		wt_descriptor_read(pid, x->fds[0], more, &d);
		snprintf(x->what, sizeof(x->what), "%s%s", before(x, &d), d.text);
		if (more)
			find_peers(pid, &d, x);
	} else {
		describe_several(pid, x, more);
	}
	if (more)
		wt_enders_find(pid, x);
}
