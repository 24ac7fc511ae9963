/* SPDX-License-Identifier: BSD-3-Clause */
#include "look.h"

#include "../host/clock.h"
#include "../host/thread_state.h"
#include "../verdict/locks.h"

#include <stdlib.h>
#include <time.h>

enum {
	ASLEEP_MS = 300,    /* a missing rank that sleeps must not run for this time */
	BESIDE_MS = 100,    /* the same of a thread outside MPI of a rank that waits in MPI */
	ENDS_MAX_MS = 3000, /* a sleep with an earlier end is watched beyond it */
	SHORT_NS = 200000,  /* a thread that computes runs longer before another one has its processor */
	TRIES = 4
};

struct cmd_looked {
	int64_t pid;
	struct host_thread_state *before, *after;
	size_t n_before, n_after;
};

static bool is_outside(const struct vd_thread *t)
{
	return t->call == VD_CALL_NONE && !t->helper;
}

/* Is it known after the second reading only that the rank waits, because the returns of a call are counted until then?
 */
static bool may_stay(const struct vd_job *j, const struct vd_rank *r)
{
	for (size_t k = r->first_thread; k < r->first_thread + r->n_threads; k++)
		if (j->threads[k].returns_to)
			return true;
	return false;
}

int cmd_look_needed(const struct vd_job *j, const struct vd_verdict *v)
{
	int ret = 0;

	for (size_t i = 0; i < v->n_suspects; i++)
		if (j->ranks[v->suspects[i]].state == VD_READ)
			ret = ASLEEP_MS;
	for (size_t i = 0; i < j->n_ranks; i++) {
		const struct vd_rank *r = &j->ranks[i];
		if (v->classes[i] == VD_FREE && vd_is_locked(j, r, false) && ret < ASLEEP_MS)
			ret = ASLEEP_MS;
		bool waits = v->classes[i] == VD_WAITING || v->classes[i] == VD_BUSY ||
			     (v->classes[i] == VD_OPAQUE && may_stay(j, r));
		for (size_t k = r->first_thread; waits && k < r->first_thread + r->n_threads; k++) {
			const struct vd_thread *t = &j->threads[k];
			if (!is_outside(t))
				continue;
			int ms = t->doing == VD_SLEEPS && t->ends_ms < ENDS_MAX_MS ? 2 * (int)t->ends_ms + BESIDE_MS
										   : BESIDE_MS;
			ret = ms > ret ? ms : ret;
		}
	}
	return ret;
}

static const struct host_thread_state *find_state(const struct host_thread_state *v, size_t n, int64_t tid)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].tid == tid)
			return &v[i];
	return NULL;
}

/* Has none of the threads outside MPI run? */
static bool is_quiet(const struct cmd_looked *x, const struct vd_job *j, const struct vd_rank *r)
{
	for (size_t k = r->first_thread; k < r->first_thread + r->n_threads; k++) {
		const struct host_thread_state *a = find_state(x->before, x->n_before, j->threads[k].tid),
					       *b = find_state(x->after, x->n_after, j->threads[k].tid);
		if (is_outside(&j->threads[k]) && (!a || !b || a->n_runs != b->n_runs))
			return false;
	}
	return true;
}

static bool watch(struct cmd_look *l, const struct vd_job *j, int ms)
{
	bool quiet = true;
	double start = host_now_ms();

	for (size_t i = 0; i < l->n; i++) {
		free(l->ranks[i].before);
		l->ranks[i].before = host_thread_states((pid_t)l->ranks[i].pid, false, &l->ranks[i].n_before);
	}
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000L }, NULL);
	for (size_t i = 0; i < l->n; i++) {
		free(l->ranks[i].after);
		l->ranks[i].after = host_thread_states((pid_t)l->ranks[i].pid, false, &l->ranks[i].n_after);
		quiet &= is_quiet(&l->ranks[i], j, &j->ranks[i]);
	}
	l->ms = host_now_ms() - start;
	return quiet;
}

void cmd_look(struct cmd_look *l, const struct vd_job *j, int ms)
{
	l->ranks = calloc(j->n_ranks + 1, sizeof(*l->ranks));
	l->n = l->ranks ? j->n_ranks : 0;
	for (size_t i = 0; i < l->n; i++)
		l->ranks[i].pid = j->ranks[i].state == VD_READ ? j->ranks[i].pid : -1;
	for (int i = 0; l->n && i < TRIES && !watch(l, j, ms); i++)
		;
}

static void apply(const struct cmd_looked *x, double ms, struct vd_thread *t)
{
	const struct host_thread_state *a = find_state(x->before, x->n_before, t->tid),
				       *b = find_state(x->after, x->n_after, t->tid);

	if (!a || !b || !a->timed || !b->timed || b->n_runs < a->n_runs || b->ran_ns < a->ran_ns)
		return;
	t->n_runs = (int64_t)(b->n_runs - a->n_runs);
	/* on a busy machine, one that computes waits for a processor most of the time; one that only wakes up, too */
	uint64_t waited_ns = b->waited_ns > a->waited_ns ? b->waited_ns - a->waited_ns : 0;
	if (t->n_runs && b->ran_ns - a->ran_ns < (uint64_t)t->n_runs * SHORT_NS)
		waited_ns = 0;
	bool runnable = a->letter == 'R' && b->letter == 'R';
	t->ran_permille = runnable ? 1000 : (int64_t)((double)(b->ran_ns - a->ran_ns + waited_ns) / (ms * 1e3) + 0.5);
	/* a thread that computes all the time is given a processor once, before */
	if (!t->n_runs && (a->letter == 'R' || b->letter == 'R' || b->ran_ns > a->ran_ns))
		t->n_runs = 1;
}

void cmd_look_apply(const struct cmd_look *l, struct vd_job *j)
{
	for (size_t i = 0; i < j->n_ranks; i++) {
		const struct vd_rank *r = &j->ranks[i];
		const struct cmd_looked *x = NULL;
		for (size_t k = 0; k < l->n && r->pid > 0 && !x; k++) /* in the same place unless ranks have ended */
			if (l->ranks[(i + k) % l->n].pid == r->pid)
				x = &l->ranks[(i + k) % l->n];
		for (size_t k = r->first_thread; x && k < r->first_thread + r->n_threads; k++)
			apply(x, l->ms, &j->threads[k]);
	}
}

void cmd_look_deinit(struct cmd_look *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->ranks[i].before);
		free(l->ranks[i].after);
	}
	free(l->ranks);
	*l = (struct cmd_look){ .ranks = NULL };
}
