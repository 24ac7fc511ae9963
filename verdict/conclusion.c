/* SPDX-License-Identifier: BSD-3-Clause */
/* The headline and the conclusion of a verdict. */
#include "job.h"
#include "report.h"

#include "enders.h"
#include "locks.h"
#include "waits.h"

#include <stdlib.h>
#include <string.h>

/* What is known of a member of the communicator that is not in the collective. */
enum absence { IN_IT, NOT_IN_IT, NOT_ENTERED, HAS_LEFT, NOT_KNOWN, N_ABSENCES };

static enum absence absence_of(const struct vd_job *job, const struct vd_verdict *v, int32_t rank)
{
	const struct vd_rank *r = &job->ranks[rank];
	enum absence ret = r->state == VD_UNREAD ? NOT_KNOWN : NOT_IN_IT;

	/* otherwise all have entered MPI_Barrier, and it ends */
	if (ret == NOT_IN_IT && v->stands_still && strcmp(v->function, "MPI_Barrier") == 0 &&
	    vd_synchronizes(&job->comms[v->comm], v->function))
		ret = NOT_ENTERED;
	for (size_t i = r->first_thread; i < r->first_thread + r->n_threads; i++) {
		const struct vd_thread *t = &job->threads[i];
		if (vd_function_is_unknown(t) || (t->function == v->function && t->comm == VD_UNKNOWN))
			ret = NOT_KNOWN;
		if (t->call != VD_CALL_COLLECTIVE || t->comm != v->comm)
			continue;
		if (t->function == v->function && (!v->ordinal || t->ordinal == v->ordinal))
			return IN_IT;
		if (v->ordinal && t->ordinal > 0)
			ret = t->ordinal < v->ordinal ? NOT_ENTERED : t->ordinal > v->ordinal ? HAS_LEFT : NOT_IN_IT;
	}
	return ret;
}

/* Members of the communicator about which this is known. */
static size_t absent(const struct vd_job *job, const struct vd_verdict *v, enum absence which, int32_t *ret)
{
	const struct vd_comm *c = &job->comms[v->comm];
	size_t n = 0;

	for (int32_t i = 0; i < c->n; i++) {
		int32_t r = c->members ? c->members[i] : i;
		if (r >= 0 && (size_t)r < job->n_ranks && absence_of(job, v, r) == which)
			ret[n++] = r;
	}
	return n;
}

static void collective_headline(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v)
{
	static const char *const words[N_ABSENCES][2] = { [NOT_IN_IT] = { " is not in it", " are not in it" },
							  [NOT_ENTERED] = { " has not entered it",
									    " have not entered it" },
							  [HAS_LEFT] = { " has left it", " have left it" },
							  [NOT_KNOWN] = { " is in it", " are in it" } };
	int32_t *others = malloc(((size_t)job->comms[v->comm].n + 1) * sizeof(*others));
	const char *between = "; ";

	vd_append(t, "%zu of %d ranks wait in %s on %s", v->n_in_collective, job->comms[v->comm].n, v->function,
		  vd_comm_name(job, v->comm));
	for (enum absence k = NOT_IN_IT; others && k < N_ABSENCES; k++) {
		size_t n = absent(job, v, k, others);
		if (!n)
			continue;
		vd_append(t, "%s", k == NOT_KNOWN ? "; it is not known whether " : between);
		vd_append_ranks(t, job, others, n);
		vd_append(t, "%s", words[k][n > 1]);
		between = ", ";
	}
	vd_append(t, ".");
	free(others);
}

void vd_headline(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v)
{
	if (v->result != VD_NO_DEADLOCK && v->comm >= 0 && 2 * v->n_in_collective >= v->n_waiting) {
		collective_headline(t, job, v);
		return;
	}
	if (v->n_finalizing) {
		vd_append(t, "%zu of %zu ranks wait in MPI_Finalize.", v->n_finalizing, job->n_ranks);
		return;
	}
	if (!v->n_waiting) {
		size_t n_read = 0;
		for (size_t i = 0; i < job->n_ranks; i++)
			n_read += job->ranks[i].state != VD_UNREAD;
		vd_append(t, n_read ? "No rank waits for another." : "No rank could be read.");
		return;
	}
	if (v->n_dead && !v->uncertain)
		vd_append(t, "%zu of %zu ranks wait for something that can never happen.", v->n_dead, job->n_ranks);
	else
		vd_append(t, "%zu of %zu ranks wait.", v->n_waiting, job->n_ranks);
}

/* Why a missing rank is missing, most telling first: of several ranks, those with the first reason are named. */
enum missing { HAS_ENDED, IS_STOPPED, IS_IN_FINALIZE, SLEEPS, RUNS };

static enum missing why_missing(const struct vd_job *job, const struct vd_verdict *v, int32_t rank)
{
	const struct vd_thread *x = vd_thread_of(job, rank);
	const struct vd_rank *r = &job->ranks[rank];

	/* MPICH has finished by then, but the process waits for others */
	if (r->state == VD_ENDED && !(x && x->call == VD_CALL_FINALIZE))
		return HAS_ENDED;
	if (v->classes[rank] == VD_STOPPED)
		return IS_STOPPED;
	if (v->classes[rank] == VD_OVER)
		return IS_IN_FINALIZE;
	return r->process_state && strcmp(r->process_state, "running") == 0 ? RUNS : SLEEPS;
}

/* The missing ranks with the most telling reason. */
static size_t missing_first(const struct vd_job *job, const struct vd_verdict *v, int32_t *ret)
{
	enum missing why = RUNS;
	size_t n = 0;

	for (size_t i = 0; i < v->n_suspects; i++) {
		enum missing one = why_missing(job, v, v->suspects[i]);
		why = one < why ? one : why;
	}
	for (size_t i = 0; i < v->n_suspects; i++)
		if (why_missing(job, v, v->suspects[i]) == why)
			ret[n++] = v->suspects[i];
	return n;
}

/* "missing rank: look at rank 278, restart.c:47; 60 other ranks are missing, too" */
static void append_missing(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v)
{
	int32_t *named = malloc((v->n_suspects + 1) * sizeof(*named));
	size_t n = named ? missing_first(job, v, named) : v->n_suspects, n_more = v->n_suspects - n;
	int32_t first = named ? named[0] : v->suspects[0];
	const struct vd_thread *x = vd_thread_of(job, first);

	vd_append(t, "missing rank%s: look at ", n > 1 ? "s" : "");
	vd_append_ranks(t, job, named ? named : v->suspects, n);
	free(named);
	switch (why_missing(job, v, first)) {
	case HAS_ENDED:
		vd_append(t, ", which %s", n > 1 ? "have ended" : job->ranks[first].ended);
		break;
	case IS_IN_FINALIZE:
		vd_append(t, ", in %s", x && x->function ? x->function : "MPI_Finalize");
		if (x && x->function && strcmp(x->function, "MPI_Abort") == 0)
			vd_append(t, ", which has not ended the job");
		vd_append_short_place(t, job, first);
		break;
	case IS_STOPPED:
		vd_append(t, ", which %s %s", n > 1 ? "are" : "is", vd_stopped_text(&job->ranks[first]));
		break;
	default:
		if (job->ranks[first].before_init)
			vd_append(t, ", which %s not called MPI_Init", n > 1 ? "have" : "has");
		vd_append_short_place(t, job, first);
	}
	if (n <= 1 && x && x->waits_for && x->call == VD_CALL_NONE && v->classes[first] == VD_FREE) {
		vd_append(t, ", which ");
		vd_append_wait(t, job, &job->ranks[first], x, x);
		bool for_ever = vd_is_locked(job, &job->ranks[first], true) ||
				(v->stands_still && vd_ends_here(job, &job->ranks[first], x));
		vd_append(t, for_ever                                    ? ", for ever"
			     : vd_is_foreign(job, &job->ranks[first], x) ? ": it can go on"
									 : "");
	} else if (n <= 1 && x && x->held && v->classes[first] == VD_FREE) {
		vd_append_held(t, x);
	}
	if (n_more)
		vd_append(t, "; %zu other rank%s missing, too", n_more, n_more == 1 ? " is" : "s are");
}

/* The collective in which all ranks of the cycle are; NULL: none */
static const struct vd_thread *cycle_within(const struct vd_job *job, const struct vd_verdict *v, bool *counted)
{
	const struct vd_thread *first = vd_thread_of(job, v->cycle[0]);

	*counted = true;
	for (size_t i = 0; i < v->n_cycle; i++) {
		const struct vd_thread *t = vd_thread_of(job, v->cycle[i]);
		if (!t || t->call != VD_CALL_COLLECTIVE || t->comm != first->comm || t->function != first->function)
			return NULL;
		*counted &= t->ordinal > 0 && t->ordinal == first->ordinal;
	}
	return v->n_cycle > 1 && first->comm >= 0 ? first : NULL;
}

/* The communicator of the nonblocking collectives for which all ranks of the cycle wait; VD_UNKNOWN: they do not */
static int32_t cycle_started(const struct vd_job *job, const struct vd_verdict *v)
{
	int32_t ret = VD_UNKNOWN;

	for (size_t i = 0; i < v->n_cycle; i++) {
		const struct vd_thread *t = vd_thread_of(job, v->cycle[i]);
		const struct vd_op *op = t && t->n_awaits == 1 ? &job->ops[job->awaits[t->first_await]] : NULL;
		if (!op || op->kind != VD_COLLECTIVE || op->function || (i && op->comm != ret))
			return VD_UNKNOWN;
		ret = op->comm;
	}
	return ret;
}

/* Ranks that wait for each other in one collective: what may be the reason. */
static void append_within(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v)
{
	bool counted;
	const struct vd_thread *x = cycle_within(job, v, &counted);
	int32_t started = v->n_cycle > 1 ? cycle_started(job, v) : VD_UNKNOWN;

	if (started >= 0)
		vd_append(t,
			  ", all in non-blocking collectives on %s: functions, roots, counts or datatypes may differ "
			  "(mpi2dd-run would show it)",
			  vd_comm_name(job, started));
	if (!x)
		return;
	vd_append(t, ", all in %s on %s: ", x->function, vd_comm_name(job, x->comm));
	if (!vd_has_data(x->function))
		vd_append(t, "the reason is not visible");
	else if (counted)
		vd_append(t, "the reason is not visible; their counts and datatypes may differ");
	else
		vd_append(t, "roots, counts or datatypes may differ (mpi2dd-run would show it)");
}

static void append_cycle(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v)
{
	enum { SHOWN = 6 };

	vd_append(t, v->uncertain ? "possible deadlock: as of this moment " : "deadlock: ");
	if (v->n_cycle < 2 && !v->knot) {
		vd_append_rank(t, job, v->cycle[0]);
		vd_append(t, " waits for itself");
	} else if (v->knot) {
		vd_append_ranks(t, job, v->dead, v->n_dead);
		vd_append(t, v->n_dead > 1 ? " wait for each other, and no other rank can wake them"
					   : " waits for another rank, and none is left");
	} else {
		for (size_t i = 0; i < v->n_cycle && i < SHOWN; i++) {
			if (!i)
				vd_append_rank(t, job, v->cycle[0]);
			const struct vd_thread *tied = vd_tied(job, &job->ranks[v->cycle[i]]);
			size_t n = t->n;
			if (tied)
				vd_append(t, "%s waits for %s, and so for ", i ? ", which" : "", tied->waits_for);
			else
				vd_append_holding(t, job, &job->ranks[v->cycle[i]]);
			if (!tied)
				vd_append(t, i ? ", which waits for " : t->n > n ? ", waits for " : " waits for ");
			if (i + 1 == SHOWN && v->n_cycle > SHOWN)
				vd_append(t, "... (%zu ranks in a cycle)", v->n_cycle);
			else
				vd_append_rank(t, job, v->cycle[(i + 1) % v->n_cycle]);
		}
	}
	append_within(t, job, v);
	vd_append_short_place(t, job, v->cycle[0]);
}

static void append_argument(struct vd_text *t, const struct vd_job *job, enum vd_field field, const struct vd_thread *x)
{
	switch (field) {
	case VD_FIELD_ROOT:
		vd_append(t, " with root ");
		vd_append_rank(t, job, x->root);
		break;
	case VD_FIELD_COUNT:
		vd_append(t, " with count %lld", (long long)x->count);
		break;
	case VD_FIELD_DATATYPE:
		vd_append(t, " with %lld of %s", (long long)x->count,
			  x->datatype && *x->datatype ? x->datatype : "a datatype without name");
		if (x->signature && (!x->datatype || !*x->datatype))
			vd_append(t, " (%.80s)", x->signature);
		break;
	case VD_FIELD_TAG:
		vd_append(t, " with tag %lld", (long long)x->tag);
		break;
	case VD_FIELD_COMM:
		vd_append(t, " with the other leader in %s", vd_comm_name(job, x->peers));
		break;
	case VD_FIELD_LEADER:
		if (x->leader != VD_UNKNOWN) {
			vd_append(t, " with remote leader ");
			vd_append_rank(t, job, x->leader);
		} else {
			vd_append(t, " with leader ");
			vd_append_rank(t, job, x->root);
		}
		break;
	case VD_FIELD_OPERATION:
		vd_append(t, " with %s", x->operation);
		break;
	default:
		break;
	}
}

/* The ranks that wait forever in the same collective as a thread. @return several */
static bool append_ranks_in(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v, int32_t rank,
			    const struct vd_thread *in)
{
	int32_t *ranks = malloc((v->n_dead + 1) * sizeof(*ranks));
	size_t n = 0;

	for (size_t i = 0; ranks && i < v->n_dead; i++) {
		const struct vd_thread *x = vd_thread_of(job, v->dead[i]);
		if (x && x->function == in->function && x->comm == in->comm && x->ordinal == in->ordinal)
			ranks[n++] = v->dead[i];
	}
	if (n > 1)
		vd_append_ranks(t, job, ranks, n);
	else
		vd_append_rank(t, job, rank);
	free(ranks);
	return n > 1;
}

/* Two calls of collectives that differ. */
static void append_calls(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v)
{
	bool by_function = v->field == VD_FIELD_FUNCTION || v->field == VD_FIELD_DATA;
	bool counted = v->here->ordinal > 0 && v->other->ordinal > 0;

	bool many = by_function && append_ranks_in(t, job, v, v->at_rank, v->here);
	if (!by_function)
		vd_append_rank(t, job, v->at_rank);
	vd_append(t, " %s in %s on %s", many ? "are" : "is", v->here->function, vd_comm_name(job, v->here->comm));
	append_argument(t, job, v->field, v->here);
	vd_append(t, v->field == VD_FIELD_DATA ? ", which " : ", ");
	many = by_function && append_ranks_in(t, job, v, v->other_rank, v->other);
	if (!by_function)
		vd_append_rank(t, job, v->other_rank);
	if (v->field == VD_FIELD_DATA) {
		vd_append(t, " %s left: %s", many ? "have" : "has",
			  v->here->root == VD_UNKNOWN ? "counts or datatypes differ"
						      : "roots, counts or datatypes differ");
		return;
	}
	vd_append(t, " in %s", v->other->function);
	append_argument(t, job, v->field, v->other);
	vd_append(t, ": the %s differs", vd_field_text(v->field));
	/* an error of the program, too: then a rank may leave the first collective, and the next one differs */
	if (v->field == VD_FIELD_FUNCTION && !counted &&
	    (vd_has_data(v->here->function) || vd_has_data(v->other->function)))
		vd_append(t, ", or %scounts or datatypes do",
			  vd_has_root(v->here->function) || vd_has_root(v->other->function) ? "roots, " : "");
}

/* A rank in MPI_COMM_WORLD was taken for one in the communicator. */
static void append_confused(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v)
{
	bool to = v->field == VD_FIELD_DESTINATION;
	const struct vd_comm *c = &job->comms[v->wanted->comm];
	int32_t meant = to ? v->at_rank : v->there_rank, local;

	if (v->field != VD_FIELD_SOURCE && !to)
		return;
	local = c->inter ? VD_UNKNOWN : vd_local_rank(c, meant, false);
	if (local < 0 || local == job->ranks[meant].rank ||
	    (!to && vd_local_rank(c, v->wanted->peer, false) != job->ranks[meant].rank))
		return;
	vd_append(t, ": %d is the rank of the %s in the world, %d the one in this communicator", job->ranks[meant].rank,
		  to ? "receiver" : "sender", local);
}

/* "rank 1 has sent one with tag 9 on MPI_COMM_WORLD: the tag differs" */
static void append_sent(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v)
{
	vd_append_rank(t, job, v->there_rank);
	vd_append(t, " has sent one");
	if (v->field == VD_FIELD_DESTINATION) {
		vd_append(t, " to ");
		vd_append_peer(t, job, v->there_rank, v->wanted->comm,
			       vd_member(&job->comms[v->wanted->comm], job->ranks[v->at_rank].rank), false);
	}
	vd_append(t, " with tag %lld on %s: the %s differs", (long long)v->there->tag,
		  vd_comm_name(job, v->there->comm), vd_field_text(v->field));
	append_confused(t, job, v);
}

static void append_mismatch(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v)
{
	vd_append(t, v->uncertain ? "possible mismatch: as of this moment " : "mismatch: ");
	if (v->wanted && v->wanted->kind == VD_COLLECTIVE) {
		vd_append_rank(t, job, v->at_rank);
		vd_append(t, " waits for %s on %s, ", v->wanted->function, vd_comm_name(job, v->wanted->comm));
		vd_append_rank(t, job, v->there_rank);
		vd_append(t, " has started %s: the function differs", v->there->function);
	} else if (v->wanted) {
		vd_append_rank(t, job, v->at_rank);
		vd_append(t, " waits for a message");
		vd_append_op(t, job, v->at_rank, v->wanted, false, true);
		vd_append(t, "; ");
		append_sent(t, job, v);
	} else {
		append_calls(t, job, v);
	}
	vd_append_short_place(t, job, v->at_rank);
}

static size_t ranks_of_class(const struct vd_job *job, const struct vd_verdict *v, enum vd_class class, bool unread,
			     int32_t **ret)
{
	size_t n = 0;

	*ret = malloc((job->n_ranks + 1) * sizeof(**ret));
	for (size_t i = 0; *ret && i < job->n_ranks; i++)
		if (v->classes[i] == class && (job->ranks[i].state == VD_UNREAD) == unread)
			(*ret)[n++] = (int32_t)i;
	return n;
}

/* "; rank 1 has sent one with tag 9 on MPI_COMM_WORLD: the tag differs" */
static void append_instead(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v)
{
	if (!v->there)
		return;
	if (v->wanted) {
		vd_append(t, "; ");
		append_sent(t, job, v);
		return;
	}
	vd_append(t, "; a message from ");
	vd_append_peer(t, job, v->at_rank, v->there->comm, v->there->peer, false);
	vd_append(t, ", tag %lld on %s, has arrived at ", (long long)v->there->tag, vd_comm_name(job, v->there->comm));
	vd_append_rank(t, job, v->at_rank);
	vd_append(t, ", and no receive asks for it");
}

/* "spinning: ranks [0,2] poll (MPI_Iprobe): no rank sends anything unless one of them leaves its loop" */
static void append_spinning(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v)
{
	int32_t *ranks = NULL;
	size_t n = ranks_of_class(job, v, VD_POLLING, false, &ranks);
	const struct vd_thread *x = n && ranks ? vd_thread_of(job, ranks[0]) : NULL;

	vd_append(t, "spinning: ");
	if (x) {
		vd_append_ranks(t, job, ranks, n);
		vd_append(t, n == 1 ? " polls (" : " poll (");
		if (n == 1)
			vd_append_call(t, job, ranks[0], x, false);
		else
			vd_append(t, "%s", x->function);
		vd_append(t, ")%s: nothing is sent unless %s its loop", v->n_waiting ? ", and all others wait" : "",
			  n == 1 ? "it leaves" : "one of them leaves");
		vd_append_short_place(t, job, ranks[0]);
		append_instead(t, job, v);
	}
	free(ranks);
}

static void append_none(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v)
{
	static const struct {
		enum vd_class class;
		bool unread;
		const char *one, *many;
	} why[] = { { VD_MOVING, false, " goes on", " go on" },
		    { VD_STOPPED, false, " is stopped by a signal (kill -CONT continues it)",
		      " are stopped by a signal (kill -CONT continues them)" },
		    { VD_BUSY, false, " has a thread outside MPI that may still call it",
		      " have threads outside MPI that may still call it" },
		    { VD_POLLING, false, " polls, and may make progress", " poll, and may make progress" },
		    { VD_OPAQUE, false, " waits for something unknown", " wait for something unknown" },
		    { VD_OPAQUE, true, " could not be read", " could not be read" },
		    { VD_FREE, false, " is in no MPI function", " are in no MPI function" } };
	size_t n_absent = vd_n_absent(job);
	bool any = false;

	bool open = v->n_unknown || (v->n_waiting && (n_absent || v->guessed));
	for (size_t i = 0; i < job->n_ranks && !open; i++)
		open = v->classes[i] == VD_STOPPED || v->classes[i] == VD_BUSY;
	vd_append(t, "no deadlock%s", open ? " is known" : "");
	for (size_t i = 0; i < sizeof(why) / sizeof(why[0]); i++) {
		int32_t *ranks = NULL;
		size_t n = ranks_of_class(job, v, why[i].class, why[i].unread, &ranks);
		if (n && ranks) {
			vd_append(t, any ? "; " : ": ");
			vd_append_ranks(t, job, ranks, n);
			if (why[i].class == VD_STOPPED && job->ranks[ranks[0]].kept)
				vd_append(t, " %s %s", n == 1 ? "is" : "are", job->ranks[ranks[0]].kept);
			else
				vd_append(t, "%s", n == 1 ? why[i].one : why[i].many);
			if (why[i].unread && n == 1 && job->ranks[ranks[0]].kept)
				vd_append(t, ", %s", job->ranks[ranks[0]].kept);
			any = true;
		}
		free(ranks);
	}
	if (n_absent && v->n_waiting) {
		vd_append(t, any ? "; " : ": ");
		vd_append(t, "%zu rank%s of %s %s not here", n_absent, n_absent == 1 ? "" : "s", job->comms[0].name,
			  n_absent == 1 ? "is" : "are");
	} else if (!any && v->n_waiting) {
		vd_append(t, ": what each waits for is on its way or can still come");
	}
}

void vd_append_basis(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v)
{
	if (!job->basis)
		return;
	vd_append(t, "%s", job->basis);
	if (job->basis_is_moment)
		vd_append(t, v->n_dead && !v->uncertain ? ": nothing in flight can end the wait of these ranks"
							: ": messages in flight are unknown");
}

void vd_conclusion(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v)
{
	switch (v->result) {
	case VD_DEADLOCK:
		append_cycle(t, job, v);
		break;
	case VD_MISMATCH:
		append_mismatch(t, job, v);
		break;
	case VD_MISSING_RANK:
		append_missing(t, job, v);
		break;
	case VD_SPINS:
		append_spinning(t, job, v);
		break;
	default:
		append_none(t, job, v);
	}
}

size_t vd_look_at(const struct vd_job *job, const struct vd_verdict *v, int32_t *ret)
{
	size_t n = 0;

	switch (v->result) {
	case VD_DEADLOCK:
		n = v->knot ? v->n_dead : v->n_cycle;
		memcpy(ret, v->knot ? v->dead : v->cycle, n * sizeof(*ret));
		break;
	case VD_MISMATCH: {
		int32_t other = v->wanted ? v->there_rank : v->other_rank;
		ret[n++] = v->at_rank;
		if (other >= 0 && other != v->at_rank)
			ret[n++] = other;
		break;
	}
	case VD_MISSING_RANK:
		n = missing_first(job, v, ret);
		break;
	case VD_SPINS:
		for (size_t i = 0; i < job->n_ranks; i++)
			if (v->classes[i] == VD_POLLING)
				ret[n++] = (int32_t)i;
		break;
	default:
		break;
	}
	return n;
}
