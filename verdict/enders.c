/* SPDX-License-Identifier: BSD-3-Clause */
#include "enders.h"

#include "../access/grow.h"
#include "loading.h"
#include "locks.h"

void vd_load_enders(struct vd_job *job, struct vd_thread *t, const json_t *ended_by)
{
	const json_t *list = json_object_get(ended_by, "processes"), *pid;
	size_t i;

	t->first_ender = job->n_enders;
	t->enders_state = vd_json_number(ended_by, "state", -1);
	t->enders_known = json_is_array(list) && t->enders_state >= 0;
	json_array_foreach(list, i, pid)
	{
		bool grown = ACC_GROW(job->enders, job->n_enders);
		t->enders_known &= grown && json_is_integer(pid);
		if (!grown)
			return;
		job->enders[job->n_enders++] = json_integer_value(pid);
		t->n_enders++;
	}
}

static bool same_enders(const struct vd_job *a, const struct vd_thread *x, const struct vd_job *b,
			const struct vd_thread *y)
{
	if (!x->enders_known || !y->enders_known || x->enders_state != y->enders_state || x->n_enders != y->n_enders)
		return false;
	for (size_t i = 0; i < x->n_enders; i++)
		if (a->enders[x->first_ender + i] != b->enders[y->first_ender + i])
			return false;
	return true;
}

void vd_compare_enders(const struct vd_job *earlier, const struct vd_rank *before, struct vd_job *later,
		       const struct vd_rank *r)
{
	for (size_t i = r->first_thread; i < r->first_thread + r->n_threads; i++) {
		struct vd_thread *t = &later->threads[i];
		for (size_t k = before->first_thread;
		     t->enders_known && !t->enders_sure && k < before->first_thread + before->n_threads; k++)
			t->enders_sure = earlier->threads[k].tid == t->tid && before->pid == r->pid &&
					 same_enders(earlier, &earlier->threads[k], later, t);
	}
}

/* Has it waited all the time between the two moments, without an end of its own? */
static bool has_waited(const struct vd_thread *t)
{
	return t->call == VD_CALL_NONE && t->waits_for && t->n_runs == 0 && t->doing == VD_WAITS && !t->ends;
}

bool vd_ends_here(const struct vd_job *job, const struct vd_rank *r, const struct vd_thread *t)
{
	return t->enders_sure && !t->n_enders && has_waited(t) && !r->one_moment && !vd_has_worker(job, r);
}

bool vd_is_foreign(const struct vd_job *job, const struct vd_rank *r, const struct vd_thread *t)
{
	return t->foreign && !vd_ends_here(job, r, t);
}

const struct vd_rank *vd_rank_of(const struct vd_job *job, const struct vd_rank *from, int64_t pid)
{
	for (size_t i = 0; i < job->n_ranks; i++) {
		const struct vd_rank *r = &job->ranks[i];
		bool same_host = r->host == from->host; /* equal strings are stored once */
		if (r->pid == pid && same_host)
			return r;
	}
	return NULL;
}

/* Can only ranks end its wait? */
static bool is_by_ranks(const struct vd_job *job, const struct vd_rank *r, const struct vd_thread *t)
{
	bool ret = t->enders_sure && t->n_enders;

	for (size_t i = 0; ret && i < t->n_enders; i++)
		ret = vd_rank_of(job, r, job->enders[t->first_ender + i]) != NULL;
	return ret;
}

const struct vd_thread *vd_tied(const struct vd_job *job, const struct vd_rank *r)
{
	const struct vd_thread *ret = NULL;

	if (r->state != VD_READ || r->one_moment || r->stopped || r->went_on || vd_has_worker(job, r))
		return NULL;
	for (size_t i = r->first_thread; i < r->first_thread + r->n_threads; i++) {
		const struct vd_thread *t = &job->threads[i];
		if (t->helper)
			continue;
		bool by_ranks = is_by_ranks(job, r, t);
		if (!has_waited(t) || (!by_ranks && (t->call_waits ? !vd_ends_here(job, r, t) : t->foreign)))
			return NULL;
		if (by_ranks && (!ret || t->tid == r->pid))
			ret = t;
	}
	return ret;
}
