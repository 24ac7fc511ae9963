/* SPDX-License-Identifier: BSD-3-Clause */
#include "waits.h"

#include "calls.h"
#include "glibc.h"
#include "global_lock.h"
#include "open_files.h"
#include "runtimes.h"
#include "signals.h"
#include "transit.h"

#include "../host/called.h"
#include "../host/modules.h"

#include <inttypes.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

enum { NEAR = 10 }; /* frames between the system call and the function that users know */

static bool add(struct wt_waits *w, const struct wt_wait *x)
{
	if (w->n == w->cap) {
		size_t cap = w->cap ? 2 * w->cap : 8;
		struct wt_wait *v = realloc(w->v, cap * sizeof(*v));
		if (!v)
			return false;
		w->v = v;
		w->cap = cap;
	}
	w->v[w->n++] = *x;
	return true;
}

/*
 * The function of the C library that waits: the first whose name is known, from the innermost frame outwards, in the
 * file of that frame; the C library is one file, or part of the program. If no name is known there, the function that
 * its caller has called: without debug information only the functions that programs call have names.
 */
static enum wt_kind function_of(struct host_target *t, const struct host_stopped *s, char *name, size_t size)
{
	const struct host_module *libc = s->n_frames ? host_module_of(t, s->frames[0].pc) : NULL;

	for (size_t i = 0; libc && i < s->n_frames && i < NEAR; i++) {
		struct host_module *m = host_module_of(t, s->frames[i].pc);
		if (m != libc)
			return host_called_function(t, s->frames[i].pc + 1, name, size) ? wt_glibc_kind(name)
											: WT_NOTHING;
		if (!host_module_function(m, s->frames[i].pc, name, size))
			continue;
		enum wt_kind kind = wt_glibc_kind(name);
		if (kind != WT_NOTHING)
			return kind;
	}
	return WT_NOTHING;
}

static bool is_futex_wait(const struct host_stopped *s)
{
	int op = (int)s->args[1] & FUTEX_CMD_MASK;

	return (s->call == SYS_futex || s->call == SYS_restart_syscall) &&
	       (op == FUTEX_WAIT || op == FUTEX_WAIT_BITSET || op == FUTEX_LOCK_PI || op == FUTEX_LOCK_PI2 ||
		op == FUTEX_WAIT_REQUEUE_PI);
}

/* Is a function of the program on the stack? What threads of libraries wait for is their business. */
static bool runs_program(struct host_target *t, const struct host_stopped *s)
{
	for (size_t i = 0; i < s->n_frames; i++) {
		struct host_module *m = host_module_of(t, s->frames[i].pc);
		if (m && m->executable)
			return true;
	}
	return false;
}

static void find_one(struct host_target *t, const struct wt_threads *threads, const struct host_stopped *s,
		     struct wt_waits *ret)
{
	struct wt_wait x = { .tid = s->tid };
	char name[256] = "";

	if (is_futex_wait(s))
		x.kind = function_of(t, s, name, sizeof(name));
	if (x.kind != WT_NOTHING)
		wt_glibc_read(t, threads, s, name, &x);
	if (wt_runtime_read(t, s, &x) || x.kind != WT_NOTHING) {
		add(ret, &x);
	} else if (!host_core_path(t) && runs_program(t, s) && wt_call_read(t, s, &x)) {
		wt_call_describe(host_pid(t), &x, false);
		add(ret, &x);
	}
}

/* A handler may write into a pipe or post a semaphore. What other processes may end anyway need not be looked at. */
static void read_signal(pid_t pid, struct wt_wait *x)
{
	struct wt_signals signals;

	if ((x->kind != WT_CALL && x->kind != WT_SEMAPHORE) || (x->foreign && x->use != WT_REAPS))
		return;
	if (wt_signals_read(pid, &signals) && *signals.own) {
		snprintf(x->signal, sizeof(x->signal), "%s", signals.own);
		x->foreign = true;
	}
}

void wt_look_up(struct host_target *t, struct wt_waits *w, double resumed_ms)
{
	wt_open_files_after(resumed_ms);
	wt_transit_after(resumed_ms);
	for (size_t i = 0; !host_core_path(t) && i < w->n; i++) {
		if (w->v[i].kind == WT_CALL)
			wt_call_describe(host_pid(t), &w->v[i], true);
		read_signal(host_pid(t), &w->v[i]);
	}
}

static int by_thread(const void *a, const void *b)
{
	const struct wt_wait *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* Count the threads of OpenMP teams that have not come to where the others wait, and name one: wt_wait.owner. */
static void find_absent(struct host_target *t, struct wt_waits *w)
{
	size_t n_waiting = 0, n_absent = 0;
	struct host_stopped s;
	int64_t absent = 0;

	for (size_t i = 0; i < w->n; i++)
		n_waiting += w->v[i].kind == WT_OPENMP && w->v[i].holder == WT_HOLDER_ANY;
	for (size_t i = 0; n_waiting && host_stopped_thread(t, i, &s); i++) {
		const struct wt_wait *x = wt_of(w, s.tid);
		if ((x && x->kind == WT_OPENMP && x->holder == WT_HOLDER_ANY) || !wt_is_in_team(t, &s))
			continue;
		absent = absent ? absent : s.tid;
		n_absent++;
	}
	for (size_t i = 0; n_absent && i < w->n; i++) {
		struct wt_wait *x = &w->v[i];
		size_t n = strlen(x->what);
		if (x->kind != WT_OPENMP || x->holder != WT_HOLDER_ANY)
			continue;
		snprintf(x->what + n, sizeof(x->what) - n, ", to which %zu thread%s not come", n_absent,
			 n_absent == 1 ? " has" : "s have");
		x->owner = absent;
	}
}

/* Name the thread that has the global lock of Python for which others wait, as their interpreter says.
 * @return how many wait for one of which it is not known */
static size_t find_holders(struct host_target *t, const struct wt_threads *threads, struct wt_waits *w)
{
	struct host_stopped s;
	size_t n_unknown = 0;

	for (size_t i = 0; w->n && host_stopped_thread(t, i, &s); i++) {
		const struct wt_wait *x = wt_of(w, s.tid);
		if (!wt_is_at_global_lock(x))
			continue;
		int64_t holder = wt_global_lock_holder(t, threads, &s);
		bool known = holder && !wt_is_at_global_lock(wt_of(w, holder));
		n_unknown += !known;
		if (!known)
			continue;
		w->v[x - w->v].owner = holder;
		w->v[x - w->v].holder = WT_HOLDER_THREAD;
	}
	return n_unknown;
}

/* If the interpreter does not say it, and all threads with
 * Python code but one wait for the global lock, that one has it. */
static void find_global_lock(struct host_target *t, const struct wt_threads *threads, struct wt_waits *w)
{
	size_t n_unknown = find_holders(t, threads, w);
	size_t n_waiting = 0, n_others = 0;
	struct host_stopped s;
	int64_t other = 0;

	for (size_t i = 0; i < w->n; i++)
		n_waiting += wt_is_at_global_lock(&w->v[i]);
	for (size_t i = 0; n_waiting && n_unknown && n_others < 2 && host_stopped_thread(t, i, &s); i++) {
		if (wt_is_at_global_lock(wt_of(w, s.tid)) || !wt_runs_python(t, &s))
			continue;
		other = s.tid;
		n_others++;
	}
	for (size_t i = 0; n_others == 1 && i < w->n; i++) {
		struct wt_wait *x = &w->v[i];
		if (!wt_is_at_global_lock(x) || x->holder == WT_HOLDER_THREAD)
			continue;
		x->owner = other;
		snprintf(x->what, sizeof(x->what), "Python's global lock, for which all Python threads wait but one");
	}
}

void wt_find(struct host_target *t, struct wt_waits *ret)
{
	struct wt_threads threads;
	struct host_stopped s;
	size_t n;

	host_threads(t, &n);
	wt_threads_init(&threads, t);
	for (size_t i = 0; host_word_bytes(t) == 8 && host_stopped_thread(t, i, &s); i++)
		find_one(t, &threads, &s, ret);
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_thread);
	find_absent(t, ret);
	find_global_lock(t, &threads, ret);
	wt_threads_deinit(&threads);
}

void wt_waits_deinit(struct wt_waits *w)
{
	free(w->v);
	*w = (struct wt_waits){ 0 };
}

const struct wt_wait *wt_of(const struct wt_waits *w, int64_t tid)
{
	const struct wt_wait key = { .tid = tid };

	return w->n ? bsearch(&key, w->v, w->n, sizeof(key), by_thread) : NULL;
}

const char *wt_kind_text(enum wt_kind kind)
{
	static const char *const texts[] = { "nothing",
					     "mutex",
					     "read-write lock",
					     "condition variable",
					     "semaphore",
					     "barrier",
					     "once",
					     "thread",
					     "system call",
					     "Python",
					     "OpenMP",
					     "TBB",
					     "GPU" };

	return texts[kind];
}

const char *wt_holder_text(enum wt_holder holder)
{
	static const char *const texts[] = { "any", "unknown", "thread", "self", "gone" };

	return texts[holder];
}
