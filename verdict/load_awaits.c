/* SPDX-License-Identifier: BSD-3-Clause */
/* The operations that a thread waits for, or for which it polls. */
#include "loading.h"

#include <stdlib.h>
#include <string.h>

/*
 * May the internal operations in a communicator belong to a collective other than the one in which the thread waits,
 * namely to a non-blocking one in progress? MPICH implements MPI_Neighbor_alltoall and similar functions that way.
 */
static bool are_ambiguous(const struct vd_loading *l, const json_t *process, const struct vd_thread *t)
{
	const struct vd_rank *r = &l->job->ranks[l->rank];
	const char *mpi = vd_json_text(json_object_get(process, "mpi"), "name");
	size_t n = 0, n_own = mpi && strcmp(mpi, "MPICH") == 0 && t->call == VD_CALL_NEIGHBORS;

	for (size_t i = r->first_op; i < r->first_op + r->n_ops; i++) {
		const struct vd_op *op = &l->job->ops[i];
		n += op->kind == VD_COLLECTIVE && op->comm == t->comm && !op->matched && !op->inactive;
	}
	return n > n_own;
}

/* Operations that name the thread in their member "thread"; for a collective, internal operations. */
void vd_load_awaits(struct vd_loading *l, const json_t *process, const struct vd_thread *t)
{
	const struct vd_rank *r = &l->job->ranks[l->rank];
	bool collective = t->call == VD_CALL_COLLECTIVE || t->call == VD_CALL_NEIGHBORS;

	if (collective && are_ambiguous(l, process, t))
		return;
	for (size_t i = r->first_op; i < r->first_op + r->n_ops; i++) {
		const struct vd_op *op = &l->job->ops[i];
		bool own = collective && op->internal && op->comm == t->comm && t->comm != VD_UNKNOWN &&
			   !op->inactive && !op->matched && op->kind != VD_MESSAGE;
		if (own || (op->thread == t->tid && (!collective || op->kind != VD_COLLECTIVE)))
			vd_add_await(l->job, (int32_t)i);
	}
}

struct requests {
	uint64_t *handles; /* sorted */
	bool *found;
	size_t n;
};

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* @return false: out of memory, or there are none */
static bool take_handles(struct requests *r, const json_t *handles)
{
	size_t n = json_array_size(handles);

	*r = (struct requests){ calloc(n + 1, sizeof(*r->handles)), calloc(n + 1, sizeof(*r->found)), n };
	for (size_t i = 0; r->handles && i < n; i++)
		r->handles[i] = strtoull(json_string_value(json_array_get(handles, i))
						 ? json_string_value(json_array_get(handles, i))
						 : "0",
					 NULL, 16);
	if (r->handles && r->found && n)
		qsort(r->handles, n, sizeof(*r->handles), by_value);
	return r->handles && r->found && n;
}

/*
 * The requests in the array that the in-target library has recorded. If one is not among the operations, it is
 * unknown what the thread waits for.
 */
static void load_requests(struct vd_loading *l, struct vd_thread *t, const json_t *recorded)
{
	const struct vd_rank *rank = &l->job->ranks[l->rank];
	bool all_given = vd_json_number(recorded, "request_handles_more", 0) <= 0, any_nameless = false;
	size_t n_found = 0;
	struct requests r;

	if (!take_handles(&r, json_object_get(recorded, "request_handles")))
		goto end;
	for (size_t i = rank->first_op; i < rank->first_op + rank->n_ops; i++) {
		const struct vd_op *op = &l->job->ops[i];
		any_nameless |= !op->request && op->kind != VD_MESSAGE && !op->internal;
		const uint64_t *found = op->request
						? bsearch(&op->request, r.handles, r.n, sizeof(*r.handles), by_value)
						: NULL;
		if (!found || !vd_add_await(l->job, (int32_t)i))
			continue;
		n_found += !r.found[found - r.handles];
		r.found[found - r.handles] = true;
	}
	/* of all that are waited for it is enough to know some */
	t->waits_for_more = !all_given || (n_found < r.n && any_nameless);
	if (!n_found || (t->call == VD_CALL_SOME && (n_found < r.n || !all_given)))
		t->call = VD_CALL_OTHER;
end:
	free(r.handles);
	free(r.found);
}

/* Operations of which the thread waits for one at least. One that is not listed may be that. */
static void load_possible(struct vd_loading *l, struct vd_thread *t, const json_t *possible)
{
	const struct vd_rank *r = &l->job->ranks[l->rank];
	struct requests ids;

	t->possible = true;
	if (take_handles(&ids, possible))
		for (size_t i = r->first_op; i < r->first_op + r->n_ops; i++)
			if (bsearch(&l->job->ops[i].id, ids.handles, ids.n, sizeof(*ids.handles), by_value))
				vd_add_await(l->job, (int32_t)i);
	if (t->n_awaits < ids.n)
		t->call = VD_CALL_OTHER;
	free(ids.handles);
	free(ids.found);
}

/* By the handles that the in-target library has recorded, else by the addresses on the stack. */
void vd_load_waits(struct vd_loading *l, const json_t *process, const json_t *thread, struct vd_thread *t,
		   const json_t *recorded)
{
	const char *function = vd_json_text(recorded, "function");
	bool is_recorded = json_array_size(json_object_get(recorded, "request_handles")) && function &&
			   strcmp(function, t->function) == 0;
	const json_t *possible = json_object_get(thread, "operations_possible");

	if (is_recorded)
		load_requests(l, t, recorded);
	else if (json_array_size(possible))
		load_possible(l, t, possible);
	else
		vd_load_awaits(l, process, t);
	if (t->call == VD_CALL_SOME && t->n_awaits < json_array_size(json_object_get(thread, "operations")))
		t->call = VD_CALL_OTHER; /* it may wait for one that is not listed */
	if (!is_recorded && vd_json_number(thread, "operations_left_out", 0) > 0) {
		t->call = VD_CALL_OTHER;
		t->waits_for_more = true;
	}
}

/* Is another thread in an MPI function, or is it unknown whether it is? Pending operations may be that thread's. */
static bool is_another_in_mpi(const json_t *process, int64_t tid)
{
	const json_t *call;
	size_t i;

	json_array_foreach(json_object_get(process, "calls"), i, call)
	{
		if (vd_json_number(call, "thread", -1) != tid &&
		    (vd_json_text(call, "function") || json_object_get(call, "function_why")))
			return true;
	}
	return false;
}

/*
 * The only receive that the library itself has posted in the process. It must have a number, which differs from that of
 * any earlier receive: otherwise two moments of a loop could look alike. -1: there is none, or it may belong to
 * something else than a call that waits.
 */
static int32_t only_internal_receive(const struct vd_loading *l)
{
	const struct vd_rank *r = &l->job->ranks[l->rank];
	int32_t found = -1;

	if (r->no_operations || r->n_more_receives || r->n_more_sends)
		return -1;
	for (size_t i = r->first_op; i < r->first_op + r->n_ops; i++) {
		const struct vd_op *op = &l->job->ops[i];
		bool collective = op->kind == VD_COLLECTIVE;
		if (op->kind == VD_MESSAGE || op->matched || op->inactive || (!op->internal && !collective))
			continue;
		if (collective || op->kind != VD_RECEIVE || op->sequence < 0 || found >= 0)
			return -1;
		found = (int32_t)i;
	}
	return found;
}

void vd_load_leaders(struct vd_loading *l, const json_t *process, const struct vd_thread *t)
{
	const char *mpi = vd_json_text(json_object_get(process, "mpi"), "name");

	if (!t->function || strcmp(t->function, "MPI_Intercomm_create") != 0 || t->comm != VD_UNKNOWN || !mpi ||
	    strcmp(mpi, "MPICH") != 0 || is_another_in_mpi(process, t->tid))
		return;
	int32_t op = only_internal_receive(l);
	if (op >= 0)
		vd_add_await(l->job, op);
}

/* MPICH, and Open MPI over UCX, keep no data about a blocking
 * probe: it is known only that the thread waits for a message. */
void vd_load_probe(struct vd_loading *l, const struct vd_thread *t)
{
	if (!vd_is_probe(t->function))
		return;
	struct vd_op *op = vd_add_op(l->job);
	if (!op)
		return;
	op->kind = VD_PROBE;
	op->tag = VD_ANY_TAG;
	vd_add_await(l->job, (int32_t)l->job->n_ops - 1);
}

/* Peer or tag of a recorded call. @return false: it is not recorded */
static bool recorded_number(const json_t *recorded, const char *key, const char *why, int64_t any, int64_t *ret)
{
	const char *text = vd_json_text(recorded, why);

	*ret = vd_json_number(recorded, key, any);
	return json_is_integer(json_object_get(recorded, key)) || (text && strcmp(text, "any") == 0);
}

/* The message for which MPI_Iprobe or MPI_Improbe asks, by its recorded arguments. */
static void load_probed(struct vd_loading *l, const json_t *recorded, const struct vd_view *v)
{
	int64_t peer, tag;

	if (!v || !recorded_number(recorded, "peer", "peer_why", VD_ANY, &peer) ||
	    !recorded_number(recorded, "tag", "tag_why", VD_ANY_TAG, &tag))
		return;
	struct vd_op *op = vd_add_op(l->job);
	if (!op)
		return;
	op->kind = VD_PROBE;
	op->comm = v->comm;
	op->peer = peer == VD_ANY ? VD_ANY : vd_peer_at(v, peer);
	op->tag = tag;
	vd_add_await(l->job, (int32_t)l->job->n_ops - 1);
}

void vd_load_polled(struct vd_loading *l, const json_t *process, const json_t *thread, struct vd_thread *t,
		    const json_t *recorded, const struct vd_view *comm)
{
	const char *function = vd_json_text(recorded, "function");
	bool is_recorded = function && strcmp(function, t->function) == 0;

	t->comm = comm ? comm->comm : VD_UNKNOWN;
	if (strstr(t->function, "probe")) {
		if (is_recorded)
			load_probed(l, recorded, comm);
	} else {
		vd_load_waits(l, process, thread, t, is_recorded ? recorded : NULL);
		t->call = VD_CALL_POLL; /* what is left out is not said, and nothing else follows from it */
		t->possible = t->waits_for_more = false;
	}
	t->first_polled = t->first_await;
	t->n_polled = t->n_awaits;
	t->n_awaits = 0;
}
