/* SPDX-License-Identifier: BSD-3-Clause */
#include "polls.h"

#include "job.h"
#include "place.h"
#include "text.h"

#include "../access/grow.h"

#include <string.h>

/* Is the place in one of the functions on the stack of the call? A function without name is known by its address. */
static bool is_within(const struct vd_thread *poll, const char *place)
{
	const struct vd_place p = vd_place_of(place);

	for (const char *line = poll->callers; p.n_function && line && *line;) {
		const char *end = strchr(line, '\n');
		size_t n = end ? (size_t)(end - line) : strlen(line);
		if (n == (size_t)p.n_function && strncmp(line, p.function, n) == 0)
			return true;
		line = end ? end + 1 : NULL;
	}
	return vd_place_near(poll->place, place);
}

/* One is in a polling function, and the other one also, or between two calls. */
static bool is_poll(const struct vd_thread *a, const struct vd_thread *b)
{
	if (a->call == VD_CALL_POLL && b->call == VD_CALL_POLL)
		return vd_place_same_function(a->place, b->place);
	if (a->call == VD_CALL_POLL && b->call == VD_CALL_NONE)
		return is_within(a, b->place);
	return a->call == VD_CALL_NONE && b->call == VD_CALL_POLL && is_within(b, a->place);
}

static const struct vd_thread *find_thread(const struct vd_job *job, const struct vd_rank *r, int64_t tid)
{
	for (size_t i = r->first_thread; i < r->first_thread + r->n_threads; i++)
		if (job->threads[i].tid == tid)
			return &job->threads[i];
	return NULL;
}

/* Is it the same process, which has run at both moments and has the same operations? */
static bool same_operations(const struct vd_rank *before, const struct vd_rank *r)
{
	return before->pid == r->pid && before->state == VD_READ && r->state == VD_READ &&
	       before->ops_print == r->ops_print && !r->stopped && !before->stopped;
}

/* Have all threads done nothing but poll? Those in no MPI function at both moments do not count. */
static bool only_polls(const struct vd_job *earlier, const struct vd_rank *before, const struct vd_job *later,
		       const struct vd_rank *r)
{
	bool any = false;

	if (!same_operations(before, r))
		return false;
	for (size_t i = 0; i < r->n_threads; i++) {
		const struct vd_thread *t = &later->threads[r->first_thread + i];
		const struct vd_thread *was = find_thread(earlier, before, t->tid);
		if (was && is_poll(was, t))
			any = true;
		else if (!vd_same_text(was ? was->function : NULL, t->function))
			return false;
	}
	for (size_t i = 0; i < before->n_threads; i++) {
		const struct vd_thread *was = &earlier->threads[before->first_thread + i];
		if (was->call != VD_CALL_NONE && !find_thread(later, r, was->tid))
			return false;
	}
	return any;
}

/* The same communicator in the other job, whose list may have another order. */
static int32_t same_comm(const struct vd_job *from, struct vd_job *to, int32_t comm)
{
	if (comm < 0 || (size_t)comm >= to->n_comms || from->n_ranks != to->n_ranks)
		return VD_UNKNOWN;
	const struct vd_comm *a = &from->comms[comm], *b = &to->comms[comm];
	return a->n == b->n && a->context == b->context && vd_same_text(a->name, b->name) ? comm : VD_UNKNOWN;
}

/* What the thread polls for. */
static void copy_polled(const struct vd_job *earlier, const struct vd_rank *before, const struct vd_thread *was,
			struct vd_job *later, const struct vd_rank *r, struct vd_thread *t)
{
	t->first_polled = later->n_awaits;
	t->n_polled = 0;
	for (size_t i = was->first_polled; i < was->first_polled + was->n_polled; i++) {
		size_t at = (size_t)earlier->awaits[i] - before->first_op;
		const struct vd_op *op = &earlier->ops[earlier->awaits[i]];
		if (at >= r->n_ops || later->ops[r->first_op + at].id != op->id ||
		    later->ops[r->first_op + at].kind != op->kind)
			return;
		if (!ACC_GROW(later->awaits, later->n_awaits)) {
			later->no_memory = true;
			return;
		}
		later->awaits[later->n_awaits++] = (int32_t)(r->first_op + at);
		t->n_polled++;
	}
}

static void put_back(const struct vd_job *earlier, const struct vd_rank *before, struct vd_job *later,
		     struct vd_rank *r)
{
	bool outside = false;

	for (size_t i = 0; i < r->n_threads; i++) {
		struct vd_thread *t = &later->threads[r->first_thread + i];
		const struct vd_thread *was = find_thread(earlier, before, t->tid);
		if (!was)
			continue;
		/* it was outside at the first moment, or at all so far, which are counted */
		outside |= !before->n_outside && was->call == VD_CALL_NONE && t->call == VD_CALL_POLL;
		if (was->call != VD_CALL_POLL || t->call != VD_CALL_NONE)
			continue;
		outside = true;
		t->call = VD_CALL_POLL;
		t->function = vd_string(later, was->function);
		t->place = vd_string(later, was->place);
		t->callers = vd_string(later, was->callers);
		t->comm = same_comm(earlier, later, was->comm);
		copy_polled(earlier, before, was, later, r, t);
	}
	r->n_outside = before->n_outside + outside;
	r->went_on = false;
}

/* Is no thread in MPI at both moments, and each in the same function? */
static bool stays_outside(const struct vd_job *earlier, const struct vd_rank *before, const struct vd_job *later,
			  const struct vd_rank *r)
{
	if (!same_operations(before, r) || before->n_threads != r->n_threads)
		return false;
	for (size_t i = 0; i < r->n_threads; i++) {
		const struct vd_thread *t = &later->threads[r->first_thread + i];
		const struct vd_thread *was = find_thread(earlier, before, t->tid);
		if (t->call != VD_CALL_NONE || !was || was->call != VD_CALL_NONE ||
		    (!vd_place_same_function(was->place, t->place) && !vd_place_near(was->place, t->place)))
			return false;
	}
	return r->n_threads > 0 && (!before->n_outside || before->may_poll);
}

void vd_fold_polls(const struct vd_job *earlier, struct vd_job *later)
{
	for (size_t i = 0; i < later->n_ranks; i++) {
		struct vd_rank *r = &later->ranks[i];
		const struct vd_rank *before = vd_find_rank(earlier, r->world, r->rank);
		if (before && only_polls(earlier, before, later, r))
			put_back(earlier, before, later, r);
		else if (before && stays_outside(earlier, before, later, r)) {
			r->may_poll = true;
			r->n_outside = (before->n_outside ? before->n_outside : 1) + 1;
		}
	}
}

size_t vd_limit_polls(struct vd_job *job, int n_moments)
{
	size_t n = 0;

	for (size_t i = 0; i < job->n_ranks; i++)
		if (job->ranks[i].n_outside * 4 > n_moments * 3) {
			job->ranks[i].went_on = true;
			n++;
		}
	return n;
}

bool vd_any_outside(const struct vd_job *job)
{
	for (size_t i = 0; i < job->n_ranks; i++)
		if (job->ranks[i].n_outside)
			return true;
	return false;
}
