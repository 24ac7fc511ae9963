/* SPDX-License-Identifier: BSD-3-Clause */
#include "words.h"

#include "job.h"
#include "locks.h"
#include "partitioned.h"
#include "place.h"
#include "ports.h"
#include "waits.h"

#include <string.h>

enum { AWAITS_SHOWN = 3, THREADS_SHOWN = 3 };

/* ---- activity of a rank ---------------------------------------------------------------------------------------- */

const char *vd_comm_name(const struct vd_job *job, int32_t comm)
{
	return comm >= 0 ? job->comms[comm].name : "a communicator that is not known";
}

/* "rank 2 (world rank 4)": the rank of a communicator */
static void append_local(struct vd_text *t, const struct vd_job *job, int32_t peer, int32_t local)
{
	if (local == job->ranks[peer].rank) {
		vd_append_rank(t, job, peer);
		return;
	}
	vd_append(t, "rank %d (", local);
	if (job->n_worlds > 1)
		vd_append_rank(t, job, peer);
	else
		vd_append(t, "world rank %d", job->ranks[peer].rank);
	vd_append(t, ")");
}

void vd_append_peer(struct vd_text *t, const struct vd_job *job, int32_t own, int32_t comm, int32_t peer, bool relative)
{
	const struct vd_comm *c = comm >= 0 ? &job->comms[comm] : NULL;
	int32_t local = c && peer >= 0 ? vd_local_rank(c, peer, c->inter && !vd_is_in_group(c, own, true)) : VD_UNKNOWN;
	int32_t own_local = relative && local >= 0 && !c->inter ? vd_local_rank(c, own, false) : VD_UNKNOWN;

	if (peer == VD_ANY) {
		vd_append(t, "any rank");
	} else if (own_local >= 0 && c->n > 0) {
		int32_t d = (local - own_local + c->n) % c->n;
		d = d > c->n / 2 ? d - c->n : d;
		vd_append(t, d ? "rank%+d" : "itself", d);
	} else if (local >= 0) {
		append_local(t, job, peer, local);
	} else if (relative && peer >= 0 && job->ranks[peer].world == job->ranks[own].world) {
		int64_t n = job->n_worlds > 1 ? job->ranks[job->ranks[own].first].n_there : (int64_t)job->n_ranks;
		int64_t d = ((int64_t)job->ranks[peer].rank - job->ranks[own].rank + n) % (n ? n : 1);
		d = d > n / 2 ? d - n : d;
		vd_append(t, d ? "rank%+lld" : "itself", (long long)d);
	} else {
		vd_append_rank(t, job, peer);
	}
}

void vd_append_op(struct vd_text *t, const struct vd_job *job, int32_t own, const struct vd_op *op, bool relative,
		  bool named)
{
	if (op->kind == VD_PROBE && op->comm == VD_UNKNOWN) {
		vd_append(t, named ? ", for which message is unavailable" : "probe, for which message is unavailable");
		return;
	}
	if (op->kind == VD_COLLECTIVE) {
		vd_append(t, "%s%s on %s", named ? " for " : "",
			  op->function ? op->function : "a non-blocking collective", vd_comm_name(job, op->comm));
		return;
	}
	if (!named)
		vd_append(t, op->kind == VD_SEND ? "send " : op->kind == VD_PROBE ? "probe " : "receive ");
	vd_append(t, op->kind == VD_SEND ? "%sto " : "%sfrom ", named ? " " : "");
	if (op->absent >= 0)
		vd_append(t, "rank %d, which is not here", op->absent);
	else
		vd_append_peer(t, job, own, op->comm, op->peer, relative);
	if (op->tag == VD_ANY_TAG)
		vd_append(t, ", any tag");
	else
		vd_append(t, ", tag %lld", (long long)op->tag);
	vd_append(t, " on %s", vd_comm_name(job, op->comm));
}

/*
 * " for a partitioned receive from rank 0, tag 5 on MPI_COMM_WORLD: its sender has marked 1 of 2 partitions ready", as
 * far as it is known; nothing if the thread waits for no partitioned message
 */
static void append_partitioned(struct vd_text *t, const struct vd_job *job, int32_t own, const struct vd_thread *x,
			       bool relative)
{
	const struct vd_partitioned *p = x && x->partitioned > 0 ? &job->partitioned[x->partitioned - 1] : NULL;

	if (!p)
		return;
	const struct vd_partitioned *send = p->is_send ? p : vd_partitioned_send(job, own, p);
	vd_append(t, " for a partitioned %s", p->is_send ? "send" : "receive");
	if (p->peer >= 0) {
		vd_append(t, p->is_send ? " to " : " from ");
		vd_append_peer(t, job, own, p->comm, p->peer, relative);
	}
	if (p->tag >= 0)
		vd_append(t, ", tag %lld", (long long)p->tag);
	vd_append(t, " on %s", vd_comm_name(job, p->comm));
	if (send && send->n_ready >= 0)
		vd_append(t, ": %s%lld of %lld partitions %sready", p->is_send ? "" : "its sender has marked ",
			  (long long)send->n_ready, (long long)send->n, p->is_send ? "are " : "");
}

/* ", root rank 0"; what the root of MPI_Intercomm_create, MPI_Comm_accept or MPI_Comm_connect waits for */
static void append_root(struct vd_text *t, const struct vd_job *job, int32_t own, const struct vd_thread *x,
			bool relative)
{
	int32_t partner = vd_port_partner(job, x);

	if (x->leader != VD_UNKNOWN) {
		vd_append(t, ", leader, for ");
		vd_append_peer(t, job, own, VD_UNKNOWN, x->leader, relative);
		vd_append(t, " of the other group, tag %lld", (long long)x->tag);
		return;
	}
	if (x->root >= 0) {
		vd_append(t, strcmp(x->function, "MPI_Intercomm_create") == 0 ? ", leader " : ", root ");
		vd_append_peer(t, job, own, x->comm, x->root, false);
	}
	if (partner >= 0) {
		vd_append(t, strcmp(x->function, "MPI_Comm_accept") == 0 ? "; to its port connects "
									 : "; its port is that of ");
		vd_append_peer(t, job, own, VD_UNKNOWN, partner, relative);
	}
}

/* The operations for which a thread waits or polls, without those that are complete. */
static void append_awaits(struct vd_text *t, const struct vd_job *job, int32_t own, const struct vd_thread *x,
			  bool relative)
{
	bool polls = x->call == VD_CALL_POLL;
	size_t first = polls ? x->first_polled : x->first_await, n_all = polls ? x->n_polled : x->n_awaits;
	bool named = n_all == 1 && strncmp(x->function, "MPI_Wait", 8) != 0 && strncmp(x->function, "MPI_Test", 8) != 0;
	size_t n_open = 0, n = 0;

	for (size_t k = 0; k < n_all; k++)
		n_open += !job->ops[job->awaits[first + k]].matched;
	if (x->possible && n_all > 1)
		vd_append(t, " for at least one of");
	for (size_t k = 0; k < n_all; k++) {
		const struct vd_op *op = &job->ops[job->awaits[first + k]];
		if ((op->matched && n_open) || n++ >= AWAITS_SHOWN)
			continue;
		if (!named)
			vd_append(t, n > 1 ? "; " : ": ");
		vd_append_op(t, job, own, op, relative, named);
	}
	if (n > AWAITS_SHOWN)
		vd_append(t, "; and %zu more", n - AWAITS_SHOWN);
}

/* ", for a message of rank 1 on MPI_COMM_WORLD": that of the library itself, for which MPI_Intercomm_create waits */
static void append_message(struct vd_text *t, const struct vd_job *job, int32_t own, const struct vd_op *op,
			   bool relative)
{
	bool named = op->comm >= 0 && !job->comms[op->comm].internal;

	vd_append(t, ", for a message of ");
	vd_append_peer(t, job, own, named ? op->comm : VD_UNKNOWN, op->peer, relative && named);
	if (named)
		vd_append(t, " on %s", vd_comm_name(job, op->comm));
}

void vd_append_call(struct vd_text *t, const struct vd_job *job, int32_t own, const struct vd_thread *x, bool relative)
{
	vd_append(t, "%s", x->function);
	if (x->call == VD_CALL_WINDOW) {
		vd_append(t, x->target >= 0 ? " of " : "");
		if (x->target >= 0)
			vd_append_peer(t, job, own, x->comm, x->target, relative);
		vd_append(t, " on %s", vd_comm_name(job, x->comm));
		return;
	}
	if (x->call == VD_CALL_COLLECTIVE || x->call == VD_CALL_NEIGHBORS) {
		if (x->comm != VD_UNKNOWN || !vd_connects(x->function))
			vd_append(t, " on %s", vd_comm_name(job, x->comm));
		else if (x->n_awaits)
			append_message(t, job, own, &job->ops[job->awaits[x->first_await]], relative);
		append_root(t, job, own, x, relative);
		return;
	}
	append_awaits(t, job, own, x, relative);
	if (x->call == VD_CALL_POLL && !x->n_polled && x->comm != VD_UNKNOWN && strstr(x->function, "probe"))
		vd_append(t, " on %s", vd_comm_name(job, x->comm)); /* its other arguments are unavailable */
	append_partitioned(t, job, own, x, relative);
}

/* Does the thread compute, as far as known? */
static bool is_active(const struct vd_thread *t)
{
	return t->n_runs >= 0 ? t->n_runs > 0 && !t->waits_for_own : t->doing == VD_RUNS && !t->waits_for_own;
}

/* The representative thread of a rank: one that is in MPI, otherwise
 * the first of those that run, or that no library created. */
const struct vd_thread *vd_thread_of(const struct vd_job *job, int32_t i)
{
	const struct vd_rank *r = &job->ranks[i];
	const struct vd_thread *ret = NULL;

	for (size_t k = r->first_thread; k < r->first_thread + r->n_threads; k++) {
		const struct vd_thread *t = &job->threads[k];
		if (t->call != VD_CALL_NONE)
			return t;
		if (!t->helper && (!ret || (!is_active(ret) && is_active(t))))
			ret = t;
	}
	return ret;
}

/* What each of the rank's other threads waits for: "; another thread: MPI_Barrier on ring" */
static void append_other_threads(struct vd_text *t, const struct vd_job *job, int32_t own,
				 const struct vd_thread *shown, bool relative)
{
	const struct vd_rank *r = &job->ranks[own];
	size_t n = 0;

	for (size_t k = r->first_thread; k < r->first_thread + r->n_threads; k++) {
		const struct vd_thread *x = &job->threads[k];
		if (x == shown || x->call == VD_CALL_NONE || n++ >= THREADS_SHOWN)
			continue;
		vd_append(t, "; another thread: ");
		vd_append_call(t, job, own, x, relative);
	}
	if (n > THREADS_SHOWN)
		vd_append(t, "; and %zu more threads", n - THREADS_SHOWN);
}

const char *vd_doing_text(const struct vd_job *job, const struct vd_rank *r, const struct vd_thread *t)
{
	if (t->waits_for_own)
		return "waits for another thread of its rank";
	if (t->n_runs > 0 && vd_may_act(job, r, t, false))
		return "computes";
	if (t->n_runs > 0)
		return "wakes up now and then";
	return t->doing == VD_RUNS ? "runs" : t->doing == VD_SLEEPS ? "sleeps" : "waits";
}

const struct vd_thread *vd_outside_of(const struct vd_job *job, int32_t i, bool acting)
{
	const struct vd_rank *r = &job->ranks[i];

	for (size_t k = r->first_thread; k < r->first_thread + r->n_threads; k++) {
		const struct vd_thread *x = &job->threads[k];
		if (!acting && vd_waits_for(job, r, x))
			continue; /* only that one can end its wait */
		if (x->call == VD_CALL_NONE && !x->helper && vd_may_act(job, r, x, r->one_moment) == acting)
			return x;
	}
	return NULL;
}

/* "; outside MPI, computes: another thread, at solve.c:12 in work" */
static void append_outside(struct vd_text *t, const struct vd_job *job, int32_t own)
{
	const struct vd_thread *x = job->ranks[own].multiple ? vd_outside_of(job, own, true) : NULL;
	const char *where = vd_place_of(x ? x->place : NULL).where;

	if (!x)
		return;
	if (x->foreign) {
		vd_append(t, "; another thread ");
		vd_append_wait(t, job, &job->ranks[own], x, NULL);
	} else {
		vd_append(t, "; another thread %s outside MPI", vd_doing_text(job, &job->ranks[own], x));
	}
	if (x->place)
		vd_append(t, ", %s%s", where ? "at " : "in ", where ? where : x->place);
}

/*
 * "; its main thread waits for the mutex io_lock, held by this thread", of the threads outside MPI
 *
 * @param locks   those that wait for a thread of the rank
 * @param foreign those whose wait another process may end
 */
static void append_locked(struct vd_text *t, const struct vd_job *job, int32_t own, const struct vd_thread *shown,
			  bool locks, bool foreign)
{
	const struct vd_rank *r = &job->ranks[own];
	size_t n = 0;

	for (size_t k = r->first_thread; k < r->first_thread + r->n_threads; k++) {
		const struct vd_thread *x = &job->threads[k];
		bool held = x->holder == VD_HELD_THREAD || x->holder == VD_HELD_SELF || x->owner > 0;
		held = x->foreign ? foreign : held && locks;
		if (x == shown || x->call != VD_CALL_NONE || x->helper || !x->waits_for || !held ||
		    n++ >= THREADS_SHOWN)
			continue;
		vd_append(t, x->tid == r->pid ? "; its main thread " : "; another thread ");
		vd_append_wait(t, job, r, x, shown);
	}
	if (n > THREADS_SHOWN)
		vd_append(t, "; and %zu more threads wait for locks", n - THREADS_SHOWN);
}

const char *vd_stopped_text(const struct vd_rank *r)
{
	return r->kept ? r->kept : "stopped by a signal";
}

/* ", without a processor for 0.3 s: the CPU quota of its cgroup" */
static void append_throttled(struct vd_text *t, const struct vd_rank *r)
{
	if (r->throttled_ms > 0 && !r->one_moment)
		vd_append(t, ", without a processor for %lld.%lld s: the CPU quota of its cgroup is used up",
			  (long long)r->throttled_ms / 1000, (long long)r->throttled_ms % 1000 / 100);
}

void vd_append_held(struct vd_text *t, const struct vd_thread *x)
{
	vd_append(t, ", in an uninterruptible system call");
	if (*x->held)
		vd_append(t, " (%s)", x->held);
}

/* "MPI_Recv from rank 1, tag 5 on MPI_COMM_WORLD" */
void vd_append_activity(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v, int32_t i,
			bool relative)
{
	const struct vd_rank *r = &job->ranks[i];
	const struct vd_thread *x = vd_thread_of(job, i);

	if (r->state == VD_UNREAD || (r->state == VD_ENDED && !(x && x->call == VD_CALL_FINALIZE))) {
		/* without the verb, which is singular */
		bool has = r->ended && (!strncmp(r->ended, "has ", 4) || !strncmp(r->ended, "was ", 4));
		const char *ended = has ? r->ended + strlen("has ") : r->ended;
		vd_append(t, "%s", r->state == VD_UNREAD ? "could not be read" : ended);
		if (r->kept)
			vd_append(t, ", %s", r->kept);
		return;
	}
	switch (v->classes[i]) {
	case VD_FREE:
	case VD_MOVING:
	case VD_STOPPED:
		if (x && vd_function_is_unknown(x))
			vd_append(t, "MPI function not known");
		else if (!x || x->call == VD_CALL_NONE)
			vd_append(t, "in no MPI function");
		else
			vd_append_call(t, job, i, x, relative);
		if (v->classes[i] == VD_MOVING)
			vd_append(t, ", goes on");
		break;
	case VD_POLLING:
		vd_append(t, "polls with ");
		if (x && x->call == VD_CALL_POLL)
			vd_append_call(t, job, i, x, relative);
		else
			vd_append(t, "%s", x ? x->function : "MPI");
		break;
	case VD_WAITING:
	case VD_BUSY:
		if (!x)
			break;
		vd_append_call(t, job, i, x, relative);
		append_other_threads(t, job, i, x, relative);
		append_outside(t, job, i);
		append_locked(t, job, i, x, true, false);
		break;
	default:
		vd_append(t, "in %s", x && x->function ? x->function : "MPI");
		append_partitioned(t, job, i, x, relative);
	}
	if (v->classes[i] == VD_FREE && x && !is_active(x) && x->doing == VD_SLEEPS && x->ends_ms >= 1000)
		vd_append(t, ", sleeping for another %lld s", (long long)(x->ends_ms / 1000));
	else if (r->stopped)
		vd_append(t, ", %s", vd_stopped_text(r));
	else if (v->classes[i] == VD_FREE && x && x->held)
		vd_append_held(t, x);
	else if (v->classes[i] == VD_FREE && r->process_state)
		vd_append(t, ", %s", x && is_active(x) ? "running" : r->process_state);
	append_throttled(t, r);
	if (v->classes[i] == VD_FREE && x)
		append_locked(t, job, i, x, !x->waits_for, true);
}

/* "residual at solve.c:71" is "at solve.c:71 in residual". */
void vd_append_place(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v, int32_t i)
{
	const struct vd_thread *x = vd_thread_of(job, i);
	const char *place = x ? x->place : NULL;

	if (!place || (job->ranks[i].state != VD_READ && x->call != VD_CALL_FINALIZE))
		return;
	vd_append_at(t, "", place);
	if (v->classes[i] == VD_FREE && x->inner && strncmp(place, x->inner, strlen(x->inner)) != 0)
		vd_append(t, " (%s)", x->inner);
	if (x->waits_for && x->call == VD_CALL_NONE) {
		vd_append(t, ", ");
		vd_append_wait(t, job, &job->ranks[i], x, x);
	}
}

/* "mesh.c:212", "in read_block" */
void vd_append_short_place(struct vd_text *t, const struct vd_job *job, int32_t i)
{
	const struct vd_thread *x = vd_thread_of(job, i);
	const char *place = x ? x->place : NULL, *where = vd_place_of(place).where;

	if (place && (job->ranks[i].state == VD_READ || x->call == VD_CALL_FINALIZE))
		vd_append(t, ", %s%s", where ? "" : "in ", where ? where : place);
}
