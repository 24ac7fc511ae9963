/* SPDX-License-Identifier: BSD-3-Clause */
/* Remarks about unknown facts, and what the verdict assumes instead. */
#include "report.h"

#include "ports.h"

#include <stdlib.h>
#include <string.h>

enum {
	UNREAD,
	NO_ARRIVALS,
	UNKNOWN_WAIT,
	ABSENT,
	PROBES,
	ARGUMENTS,
	START_GROUP,
	OUTSIDE,
	SPAWNS,
	BLOCKING,
	COULD_CALL,
	ERRORS,
	OTHER_USERS,
	UNSEEN_SENDS,
	MORE_SENDS,
	MORE_RECEIVES,
	MORE
};

_Static_assert(MORE + 1 == VD_REMARKS, "one number for each remark");

size_t vd_n_absent(const struct vd_job *job)
{
	size_t n = 0;

	for (int32_t i = 0; job->n_comms && job->comms[0].members && i < job->comms[0].n; i++)
		n += job->comms[0].members[i] < 0;
	return n;
}

/* Does the rank wait for a message about which nothing is known? */
static bool probes_for_what(const struct vd_job *job, const struct vd_rank *r)
{
	for (size_t i = r->first_op; i < r->first_op + r->n_ops; i++)
		if (job->ops[i].kind == VD_PROBE && job->ops[i].comm == VD_UNKNOWN)
			return true;
	return false;
}

/* Does one of them wait at a window whose epochs are not recorded? */
static bool any_at_window(const struct vd_job *job, const int32_t *ranks, size_t n)
{
	for (size_t i = 0; i < n && !job->n_with_objects; i++) {
		const struct vd_rank *r = &job->ranks[ranks[i]];
		for (size_t k = r->first_thread; k < r->first_thread + r->n_threads; k++)
			if (job->threads[k].call == VD_CALL_WINDOW)
				return true;
	}
	return false;
}

/* Does one of them wait at a target of a window whose lock it or another rank may hold? */
static bool any_holder_unknown(const struct vd_job *job, const int32_t *ranks, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct vd_rank *r = &job->ranks[ranks[i]];
		for (size_t k = r->first_thread; k < r->first_thread + r->n_threads; k++) {
			const struct vd_thread *t = &job->threads[k];
			if (t->call == VD_CALL_WINDOW && t->comm >= 0 && t->target != VD_UNKNOWN)
				return true;
		}
	}
	return false;
}

/* A thread of one of them that may be in another call than at the first reading; NULL: none. */
static const struct vd_thread *may_return(const struct vd_job *job, const int32_t *ranks, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct vd_rank *r = &job->ranks[ranks[i]];
		for (size_t k = r->first_thread; k < r->first_thread + r->n_threads; k++)
			if (job->threads[k].may_return && !probes_for_what(job, r)) /* PROBES says it */
				return &job->threads[k];
	}
	return NULL;
}

/* The function that creates a communicator, is not followed here, and that one of them is in; NULL: none. */
static const char *not_followed(const struct vd_job *job, const int32_t *ranks, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct vd_rank *r = &job->ranks[ranks[i]];
		for (size_t k = r->first_thread; k < r->first_thread + r->n_threads; k++) {
			const struct vd_thread *t = &job->threads[k];
			bool unknown = vd_connects(t->function) ? t->comm == VD_UNKNOWN
								: vd_call_of(t->function) == VD_CALL_OTHER;
			if (t->function && unknown &&
			    (strncmp(t->function, "MPI_Comm_", 9) == 0 ||
			     strncmp(t->function, "MPI_Intercomm_", 14) == 0))
				return t->function;
		}
	}
	return NULL;
}

/* What such a function waits for, which may come from outside of what was read. */
static const char *what_for(const char *function)
{
	static const struct {
		const char *function, *what;
	} table[] = {
		{ "MPI_Comm_accept", "waits for a job that calls MPI_Comm_connect, perhaps one that is not here" },
		{ "MPI_Comm_connect", "waits for a job that calls MPI_Comm_accept, perhaps one that is not here" },
		{ "MPI_Comm_join", "waits for the process at the other end of a socket" },
		{ "MPI_Comm_spawn", "waits for the processes that it starts to call MPI_Init" },
		{ "MPI_Comm_spawn_multiple", "waits for the processes that it starts to call MPI_Init" },
		{ "MPI_Intercomm_create", "waits for the other group; which it is, is unavailable" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (strcmp(table[i].function, function) == 0)
			return table[i].what;
	return "is not followed";
}

/* Are all members in the collective in which most ranks wait, and are its arguments unknown? */
static bool arguments_unknown(const struct vd_job *job, const struct vd_verdict *v)
{
	if (v->result != VD_NO_DEADLOCK || v->comm < 0 || v->n_in_collective < (size_t)job->comms[v->comm].n ||
	    job->comms[v->comm].n < 2 || job->comms[v->comm].kind != VD_COMM ||
	    strcmp(v->function, "MPI_Barrier") == 0 || vd_connects(v->function))
		return false;
	for (size_t i = 0; i < job->n_threads; i++)
		if (job->threads[i].comm == v->comm && job->threads[i].function == v->function &&
		    job->threads[i].ordinal > 0)
			return false;
	return true;
}

/* Does the rank wait in MPI_Win_start for an unknown group? */
static bool starts_what(const struct vd_job *job, const struct vd_rank *r)
{
	for (size_t i = r->first_thread; i < r->first_thread + r->n_threads; i++) {
		const struct vd_thread *t = &job->threads[i];
		if (t->call == VD_CALL_WINDOW && !t->n_targets && strcmp(t->function, "MPI_Win_start") == 0)
			return true;
	}
	return false;
}

/* Is the rank the root of a call that waits for processes of which none has been read at the other end? */
static bool waits_outside(const struct vd_job *job, const struct vd_rank *r, bool spawns)
{
	for (size_t i = r->first_thread; i < r->first_thread + r->n_threads; i++) {
		const struct vd_thread *t = &job->threads[i];
		if (t->comm != VD_UNKNOWN && vd_connects(t->function) && t->root == (int32_t)(r - job->ranks) &&
		    (spawns ? strncmp(t->function, "MPI_Comm_spawn", 14) == 0
			    : t->port && vd_port_partner(job, t) == VD_UNKNOWN))
			return true;
	}
	return false;
}

/* Does the rank wait forever for a collective of the communicator, a blocking or a non-blocking one? */
static bool is_stuck_in(const struct vd_job *job, const struct vd_rank *r, int32_t comm, bool blocking)
{
	for (size_t i = r->first_thread; i < r->first_thread + r->n_threads; i++) {
		const struct vd_thread *t = &job->threads[i];
		if (blocking && t->call == VD_CALL_COLLECTIVE && t->comm == comm)
			return true;
		for (size_t k = t->first_await; !blocking && k < t->first_await + t->n_awaits; k++) {
			const struct vd_op *op = &job->ops[job->awaits[k]];
			if (op->kind == VD_COLLECTIVE && op->comm == comm && t->call != VD_CALL_COLLECTIVE)
				return true;
		}
	}
	return false;
}

/*
 * Some ranks wait forever in a blocking collective, and others for a non-blocking one of the same communicator.
 */
static bool append_blocking(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v)
{
	int32_t *ranks = malloc((v->n_dead + 1) * sizeof(*ranks));
	size_t n[2] = { 0, 0 };

	if (!ranks || v->comm < 0 || v->result != VD_DEADLOCK)
		goto end;
	for (int blocking = 0; blocking < 2; blocking++) {
		size_t n_all = n[0];
		for (size_t i = 0; i < v->n_dead; i++)
			if (n_all + n[blocking] < v->n_dead &&
			    is_stuck_in(job, &job->ranks[v->dead[i]], v->comm, blocking))
				ranks[(blocking ? n_all : 0) + n[blocking]++] = v->dead[i];
	}
	if (!n[0] || !n[1])
		goto end;
	vd_append_ranks(t, job, ranks + n[0], n[1]);
	vd_append(t, " %s in %s on %s, and ", n[1] == 1 ? "is" : "are", v->function, vd_comm_name(job, v->comm));
	vd_append_ranks(t, job, ranks, n[0]);
	vd_append(t, " %s for a non-blocking collective on it: these never match", n[0] == 1 ? "waits" : "wait");
end:
	free(ranks);
	return t->n > 0;
}

/* Threads that do not count, because they wait: they could call MPI, and nothing is known that would wake them. */
static bool append_could_call(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v)
{
	const struct vd_thread *first = NULL;
	int32_t rank = VD_UNKNOWN;
	size_t n = 0;

	for (size_t i = 0; v->result != VD_NO_DEADLOCK && i < v->n_dead; i++) {
		const struct vd_thread *x = job->ranks[v->dead[i]].multiple ? vd_outside_of(job, v->dead[i], false)
									    : NULL;
		if (!x)
			continue;
		n++;
		if (!first) {
			first = x;
			rank = v->dead[i];
		}
	}
	if (!first)
		return false;
	vd_append(t, "thread %lld of ", (long long)first->tid);
	vd_append_rank(t, job, rank);
	if (first->waits_for)
		vd_append(t, " waits for %s", first->waits_for);
	else
		vd_append(t, " %s", vd_doing_text(job, &job->ranks[rank], first));
	if (first->place)
		vd_append(t, " (%s)", first->place);
	vd_append(t, " and could still call MPI");
	if (n > 1)
		vd_append(t, "; so could a thread of %zu other rank%s", n - 1, n == 2 ? "" : "s");
	return true;
}

/* Calls that have returned an error to the program, which has gone on. */
static bool append_errors(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v)
{
	const struct vd_thread *first = NULL;
	int32_t rank = VD_UNKNOWN;
	size_t n = 0;

	for (size_t i = 0; v->result != VD_NO_DEADLOCK && i < job->n_ranks; i++) {
		const struct vd_rank *r = &job->ranks[i];
		const struct vd_thread *x = NULL;
		for (size_t k = r->first_thread; k < r->first_thread + r->n_threads; k++)
			if (job->threads[k].failed && (!x || job->threads[k].failed_ns < x->failed_ns))
				x = &job->threads[k];
		n += x != NULL;
		if (x && !first) {
			first = x;
			rank = (int32_t)i;
		}
	}
	if (!first)
		return false;
	vd_append(t, "error returned: %s returned %s to ", first->failed, first->error);
	vd_append_rank(t, job, rank);
	if (first->failed_ns >= 0)
		vd_append(t, ", %.1f s ago", (double)first->failed_ns / 1e9);
	if (first->failed_place)
		vd_append(t, ", in %s", first->failed_place);
	vd_append(t, "; the program has gone on");
	if (n > 1)
		vd_append(t, "; %zu other rank%s had errors, too", n - 1, n == 2 ? "" : "s");
	return true;
}

/* Operations that were only counted. */
static int64_t n_more_of(const struct vd_rank *r, int which)
{
	return which == MORE_SENDS ? r->n_more_sends : which == MORE_RECEIVES ? r->n_more_receives : r->n_more;
}

/* Does it wait for a pipe or socket that processes may have whose descriptors may not be read? */
static bool any_hidden(const struct vd_job *job, const struct vd_rank *r)
{
	for (size_t i = r->first_thread; i < r->first_thread + r->n_threads; i++)
		if (job->threads[i].hidden)
			return true;
	return false;
}

static bool concerns(const struct vd_job *job, const struct vd_verdict *v, int which, size_t rank)
{
	const struct vd_rank *r = &job->ranks[rank];

	switch (which) {
	case UNREAD:
		return r->state == VD_UNREAD;
	case NO_ARRIVALS:
		return r->state == VD_READ && r->no_unexpected;
	case UNKNOWN_WAIT:
		return r->state == VD_READ && v->classes[rank] == VD_OPAQUE;
	case PROBES:
		return probes_for_what(job, r);
	case OTHER_USERS:
		return r->state == VD_READ && any_hidden(job, r);
	case UNSEEN_SENDS:
		return job->unseen_sends && v->classes[rank] == VD_POLLING;
	case MORE_SENDS:
	case MORE_RECEIVES:
	case MORE:
		return n_more_of(r, which) > 0;
	case OUTSIDE:
	case SPAWNS:
		return v->classes[rank] == VD_WAITING && waits_outside(job, r, which == SPAWNS);
	case START_GROUP:
		return v->classes[rank] == VD_WAITING && v->result == VD_NO_DEADLOCK && starts_what(job, r);
	default:
		return false;
	}
}

static void append_ranks(struct vd_text *t, const struct vd_job *job, int which, const int32_t *ranks, size_t n)
{
	static const struct {
		const char *before, *after_one, *after_many;
	} words[] = {
		[UNREAD] = { "not read: ", "", "" },
		[NO_ARRIVALS] = { "it is unknown which messages have arrived at ", "", "" },
		[UNKNOWN_WAIT] = { "it is unknown what ", " waits for", " wait for" },
		[PROBES] = { "the arguments of MPI_Probe are unavailable of ", "", "" },
		[OTHER_USERS] = { "other processes may have the other end of a pipe or socket of ",
				  ", too: descriptors of other users may not be read",
				  ", too: descriptors of other users may not be read" },
		[UNSEEN_SENDS] = { "it is unknown whether any rank sends a message to ", ", which polls",
				   ", which poll" },
		[MORE_SENDS] = { "not all pending sends were read of ", "", "" },
		[MORE_RECEIVES] = { "not all pending receives were read of ", "", "" },
		[MORE] = { "not all messages that have arrived were read of ", "", "" },
		[OUTSIDE] = { "no rank that was read is at the other end of the port of ",
			      ": the connection must come from other processes",
			      ": the connections must come from other processes" },
		[SPAWNS] = { "", " waits for the processes that it starts to call MPI_Init",
			     " wait for the processes that they start to call MPI_Init" },
		[START_GROUP] = { "the group of MPI_Win_start is unavailable of ",
				  " (it is known in jobs that mpi2dd-run has started)",
				  " (it is known in jobs that mpi2dd-run has started)" },
	};

	int64_t n_more = 0;

	vd_append(t, "%s", words[which].before);
	vd_append_ranks(t, job, ranks, n);
	vd_append(t, "%s", n == 1 ? words[which].after_one : words[which].after_many);
	for (size_t i = 0; which >= MORE_SENDS && i < n; i++)
		n_more += n_more_of(&job->ranks[ranks[i]], which);
	if (n_more)
		vd_append(t, ": %lld more %s only counted", (long long)n_more, n_more == 1 ? "was" : "were");
	if (which == UNREAD || which == UNKNOWN_WAIT)
		vd_append(t, ": %s as able to go on", n == 1 ? "it counts" : "they count");
	if (which == UNSEEN_SENDS)
		vd_append(t, ": %s", job->unseen_sends);
	if (which == PROBES && job->no_returns)
		vd_append(t, ", and it is unknown whether it returns: %s", job->no_returns);
	const char *function = which == UNKNOWN_WAIT ? not_followed(job, ranks, n) : NULL;
	const struct vd_thread *again = which == UNKNOWN_WAIT ? may_return(job, ranks, n) : NULL;
	if (again)
		vd_append(t,
			  " (%s may have returned and been called again between the readings: nothing in memory "
			  "tells%s%s)",
			  again->function, job->no_returns ? "; whether calls return can be counted, but " : "",
			  job->no_returns ? job->no_returns : "");
	else if (function)
		vd_append(t, " (%s %s)", function, what_for(function));
	else if (which == UNKNOWN_WAIT && any_at_window(job, ranks, n))
		vd_append(t, " (locks and epochs of windows are known in jobs that mpi2dd-run has started)");
	else if (which == UNKNOWN_WAIT && any_holder_unknown(job, ranks, n))
		vd_append(t, " (which of the ranks that have requested a lock holds it is unavailable)");
}

bool vd_remark(struct vd_text *t, const struct vd_job *job, const struct vd_verdict *v, int which)
{
	if (which == BLOCKING)
		return append_blocking(t, job, v);
	if (which == COULD_CALL)
		return append_could_call(t, job, v);
	if (which == ERRORS)
		return append_errors(t, job, v);
	int32_t *ranks = malloc((job->n_ranks + 1) * sizeof(*ranks));
	size_t n = 0, n_absent = which == ABSENT ? vd_n_absent(job) : 0;

	for (size_t i = 0; ranks && i < job->n_ranks; i++)
		if (concerns(job, v, which, i))
			ranks[n++] = (int32_t)i;
	if (n)
		append_ranks(t, job, which, ranks, n);
	else if (n_absent)
		vd_append(t, "%zu rank%s of %s %s not here: %s as able to go on", n_absent, n_absent == 1 ? "" : "s",
			  job->comms[0].name, n_absent == 1 ? "is" : "are", n_absent == 1 ? "it counts" : "they count");
	else if (which == ARGUMENTS && arguments_unknown(job, v))
		vd_append(t,
			  "all ranks of %s are in %s: whether they agree on its root, count, datatype and operation is "
			  "unavailable (it is known in jobs that mpi2dd-run has started)",
			  vd_comm_name(job, v->comm), v->function);
	free(ranks);
	return t->n > 0;
}
