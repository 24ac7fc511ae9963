/* SPDX-License-Identifier: BSD-3-Clause */
#include "enders.h"

#include "alarm.h"
#include "children.h"
#include "descriptor.h"
#include "signals.h"
#include "transit.h"

#include "../host/thread_state.h"

#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PROCESSES_MAX = 64 };

/* Processes that can end the wait; those that are followed are replaced by others. */
struct search {
	pid_t self;
	pid_t v[PROCESSES_MAX];
	bool followed[PROCESSES_MAX];
	size_t n;
	uint64_t state; /* of the threads of those that are followed */
};

static void mix(struct search *s, uint64_t value)
{
	for (int i = 0; i < 64; i += 8)
		s->state = (s->state ^ (value >> i & 0xff)) * 0x100000001b3;
}

/* Its own threads are judged otherwise. @return false: there are too many */
static bool add(struct search *s, const pid_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool there = v[i] == s->self;
		for (size_t k = 0; k < s->n && !there; k++)
			there = s->v[k] == v[i];
		if (there)
			continue;
		if (s->n == PROCESSES_MAX)
			return false;
		s->v[s->n++] = v[i];
	}
	return true;
}

/* A pipe of which no process is seen to have the other end has one in a process that is not seen. */
static bool add_pipe(struct search *s, pid_t pid, int fd, bool reads)
{
	struct wt_descriptor d;
	pid_t holders[PROCESSES_MAX];
	bool all;

	wt_descriptor_read(pid, fd, false, &d);
	size_t n = d.kind == WT_FD_PIPE ? wt_pipe_holders(&d, reads, holders, PROCESSES_MAX, &all) : 0;
	return n && all && !wt_transit_possible() && add(s, holders, n);
}

/* Are numbers of processes in its system calls the same ones as here? */
static bool has_our_numbers(pid_t pid)
{
	char path[64], ours[64] = "", theirs[64] = "";

	snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)pid);
	return readlink("/proc/self/ns/pid", ours, sizeof(ours) - 1) > 0 &&
	       readlink(path, theirs, sizeof(theirs) - 1) > 0 && strcmp(ours, theirs) == 0;
}

/* A thread may wait for the children of all threads of its process. @param child not positive: for any */
static bool add_children(struct search *s, pid_t pid, int64_t child)
{
	pid_t v[PROCESSES_MAX];
	size_t n = wt_children(pid, v, PROCESSES_MAX);

	if (!n || n == PROCESSES_MAX || !has_our_numbers(pid))
		return false;
	for (size_t i = 0; child > 0 && i < n; i++)
		if (v[i] == child)
			return add(s, &v[i], 1);
	return child <= 0 && add(s, v, n);
}

/* Only another thread of its process can wake it. */
static bool is_private_futex(const struct host_thread_state *t)
{
	int op = (int)t->args[1], what = op & FUTEX_CMD_MASK;

	return t->call == SYS_futex && (op & FUTEX_PRIVATE_FLAG) && (what == FUTEX_WAIT || what == FUTEX_WAIT_BITSET) &&
	       !t->args[3];
}

/* @return false: it may go on by itself, or it is not known for what it waits */
static bool follow_thread(struct search *s, pid_t pid, const struct host_thread_state *t)
{
	if (t->letter != 'S' || !t->timed)
		return false;
	mix(s, (uint64_t)t->tid);
	mix(s, t->n_runs);
	mix(s, (uint64_t)t->call);
	mix(s, t->args[0]);
	switch (t->call) {
	case SYS_read:
	case SYS_readv:
		return add_pipe(s, pid, (int)t->args[0], true);
	case SYS_write:
	case SYS_writev:
		return add_pipe(s, pid, (int)t->args[0], false);
	case SYS_wait4:
		return add_children(s, pid, (int32_t)t->args[0]);
	case SYS_waitid:
		return add_children(s, pid, t->args[0] == 1 ? (int64_t)t->args[1] : -1);
	default:
		return is_private_futex(t);
	}
}

/* Can no signal end the waits of the process but those from other processes, or of children that are added? */
static bool follow_signals(struct search *s, pid_t pid)
{
	struct wt_signals x;
	pid_t v[PROCESSES_MAX];

	if (!wt_signals_read(pid, &x) || *x.own || x.traced ||
	    (pid != s->self && x.alarm && wt_alarm_possible(pid, s->self)))
		return false;
	size_t n = x.children ? wt_children(pid, v, PROCESSES_MAX) : 0;
	return n < PROCESSES_MAX && add(s, v, n);
}

/* Replace a process by those for which it waits. Nothing is changed if one of its threads may go on by itself. */
static void follow(struct search *s, size_t at)
{
	size_t n_threads;
	struct search old = *s;
	struct host_thread_state *v = host_thread_states(s->v[at], true, &n_threads);
	bool all = n_threads > 0 && follow_signals(s, s->v[at]);

	for (size_t i = 0; i < n_threads && all; i++)
		all = follow_thread(s, s->v[at], &v[i]);
	free(v);
	if (!all)
		*s = old;
	s->followed[at] = all;
}

static bool begin_search(struct search *s, const struct wt_wait *x)
{
	bool reads = x->use == WT_READS;

	if (!follow_signals(s, s->self))
		return false;
	if (x->use == WT_REAPS)
		return add_children(s, s->self, x->child);
	return (reads || x->use == WT_WRITES) && x->n_fds == 1 && add_pipe(s, s->self, x->fds[0], reads);
}

void wt_enders_find(pid_t pid, struct wt_wait *x)
{
	struct search s = { .self = pid, .state = 0xcbf29ce484222325 };

	x->enders = (struct wt_enders){ .known = false };
	if (x->ends || !begin_search(&s, x))
		return;
	for (size_t i = 0; i < s.n; i++)
		follow(&s, i);
	x->enders.known = true;
	x->enders.state = s.state >> 12; /* a JSON number of 52 bits is read exactly everywhere */
	for (size_t i = 0; i < s.n; i++) {
		struct wt_signals signals;
		if (s.followed[i])
			continue;
		/* with a handler it may do more than what it waits for lets it do */
		x->enders.known &= x->enders.n < WT_PEERS_MAX && wt_signals_read(s.v[i], &signals) && !*signals.own &&
				   !signals.children && !signals.traced;
		if (x->enders.n < WT_PEERS_MAX)
			x->enders.v[x->enders.n++] = s.v[i];
	}
}
