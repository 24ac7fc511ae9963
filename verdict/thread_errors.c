/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI-4.1, 11.6.2: threads must not use one communicator in
 * collectives concurrently; 11.2.1: the levels of thread support. */
#include "thread_errors.h"

static bool is_collective(const struct vd_thread *t)
{
	return (t->call == VD_CALL_COLLECTIVE || t->call == VD_CALL_NEIGHBORS) && t->comm >= 0;
}

/* Two threads of the rank in collectives of one communicator. */
static bool collide(const struct vd_job *job, const struct vd_rank *r, const struct vd_thread **a,
		    const struct vd_thread **b)
{
	for (size_t i = r->first_thread; i < r->first_thread + r->n_threads; i++)
		for (size_t k = i + 1; is_collective(&job->threads[i]) && k < r->first_thread + r->n_threads; k++)
			if (is_collective(&job->threads[k]) && job->threads[k].comm == job->threads[i].comm) {
				*a = &job->threads[i];
				*b = &job->threads[k];
				return true;
			}
	return false;
}

/* Two threads of the rank in MPI, whose level does not allow that. */
static bool exceed(const struct vd_job *job, const struct vd_rank *r, const struct vd_thread **a,
		   const struct vd_thread **b)
{
	const struct vd_thread *first = NULL;

	for (size_t i = r->first_thread; !r->multiple && i < r->first_thread + r->n_threads; i++) {
		const struct vd_thread *t = &job->threads[i];
		if (t->call == VD_CALL_NONE || !t->function)
			continue;
		if (first) {
			*a = first;
			*b = t;
			return true;
		}
		first = t;
	}
	return false;
}

bool vd_append_thread_error(struct vd_text *t, const struct vd_job *job)
{
	size_t n = 0;

	for (size_t i = 0; i < job->n_ranks; i++) {
		const struct vd_rank *r = &job->ranks[i];
		const struct vd_thread *a, *b;
		bool same = r->state == VD_READ && collide(job, r, &a, &b);
		if (!same && (r->state != VD_READ || !exceed(job, r, &a, &b)))
			continue;
		if (n++)
			continue;
		vd_append(t, "error of the program: threads %lld and %lld of ", (long long)a->tid, (long long)b->tid);
		vd_append_rank(t, job, (int32_t)i);
		if (same)
			vd_append(t, " %s both in collectives of %s (%s, %s), which MPI does not allow",
				  a->ordinal >= 0 && b->ordinal >= 0 ? "are" : "seem to be", vd_comm_name(job, a->comm),
				  a->function, b->function);
		else
			vd_append(t,
				  " are both in MPI (%s, %s), which MPI allows only with MPI_THREAD_MULTIPLE, but its "
				  "level is lower",
				  a->function, b->function);
	}
	if (n > 1)
		vd_append(t, "; so %s %zu other rank%s", n == 2 ? "does" : "do", n - 1, n == 2 ? "" : "s");
	return n > 0;
}
