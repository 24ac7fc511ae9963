/* SPDX-License-Identifier: BSD-3-Clause */
#include "locks.h"

enum { COMPUTES_PERMILLE = 50, CHAIN_MAX = 1000 };

const struct vd_thread *vd_waits_for(const struct vd_job *job, const struct vd_rank *r, const struct vd_thread *t)
{
	if (!t->waits_for || (t->holder != VD_HELD_THREAD && t->holder != VD_HELD_SELF))
		return NULL;
	for (size_t i = r->first_thread; i < r->first_thread + r->n_threads; i++)
		if (job->threads[i].tid == t->owner)
			return &job->threads[i];
	return NULL;
}

/*
 * Only the thread itself, or another one of its rank, ends its wait, and it has not ended meanwhile. One moment, as in
 * a core, shows that as well for threads in a cycle: each is in the function that locks, so it unlocks nothing until it
 * has gone round.
 */
static const struct vd_thread *next_of(const struct vd_job *job, const struct vd_rank *r, const struct vd_thread *t,
				       bool certain)
{
	bool stood = t->n_runs == 0 || (t->n_runs < 0 && (!certain || r->one_moment));

	return t->call == VD_CALL_NONE && !t->foreign && !t->ends && stood ? vd_waits_for(job, r, t) : NULL;
}

/* Does the way from a thread to the one for which it waits,
 * and so on, come back? Brent's search: two steps against one. */
static bool leads_to_cycle(const struct vd_job *job, const struct vd_rank *r, const struct vd_thread *t, bool certain)
{
	const struct vd_thread *slow = t, *fast = t;

	for (int i = 0; i < CHAIN_MAX; i++) {
		for (int k = 0; k < 2; k++) {
			fast = next_of(job, r, fast, certain);
			if (!fast)
				return false;
		}
		slow = next_of(job, r, slow, certain);
		if (slow == fast)
			return true;
	}
	return false;
}

bool vd_is_locked(const struct vd_job *job, const struct vd_rank *r, bool certain)
{
	bool any = false;

	for (size_t i = r->first_thread; r->state == VD_READ && i < r->first_thread + r->n_threads; i++) {
		const struct vd_thread *t = &job->threads[i];
		if (t->helper)
			continue;
		if (!t->waits_for || !leads_to_cycle(job, r, t, certain))
			return false;
		any = true;
	}
	return any;
}

bool vd_has_worker(const struct vd_job *job, const struct vd_rank *r)
{
	for (size_t i = r->first_thread; i < r->first_thread + r->n_threads; i++) {
		const struct vd_thread *t = &job->threads[i];
		if (!t->helper || t->progress)
			continue;
		if (t->n_runs > 0 ? t->ran_permille >= COMPUTES_PERMILLE
				  : (t->doing == VD_RUNS && t->n_runs < 0) || (t->doing != VD_RUNS && !t->in_futex))
			return true;
	}
	return false;
}
