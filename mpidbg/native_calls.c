/* SPDX-License-Identifier: BSD-3-Clause */
#include "native_calls.h"

#include "code.h"
#include "place.h"
#include "stack_lines.h"
#include "summary.h"
#include "waits.h"

#include "../functions/functions.h"
#include "../mqs/callbacks.h"
#include "../render/fact.h"
#include "../render/json.h"
#include "../render/process.h"
#include "../render/text.h"

#include <inttypes.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* Only the in-target library records the start of a call and the arguments of a collective. */
static const char what_is_missing[] = "durations, and arguments of calls that have no operation in the MPI library";
static const char why_missing[] = "only the in-target library records them: mpi2dd-run";

bool mpidbg_waits(const char *function)
{
	return fn_facts(function) & FN_COMPLETES;
}

/* ---- the operations of the calls ----------------------------------------------------------------------- */

static bool has_operation(const struct mpidbg_thread_matches *c, uint64_t addr)
{
	size_t lo = 0, hi = c->ids ? c->n_candidates : 0;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (c->ids[mid] == addr)
			return true;
		if (c->ids[mid] < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return false;
}

static void fetch_queue(struct mpidbg_description *d, const struct mdl_comm *comm, enum mdl_op_class op_class,
			struct mpidbg_call_operations *of)
{
	struct rd_op_iter it;
	struct mdl_op op;

	if (rd_op_first(d->p->reader, comm, op_class, true, &it))
		return;
	for (uint64_t n = 0; n < MPIDBG_OPERATIONS_MAX && rd_op_next(&it, &op) == ACC_OK; n++)
		for (size_t i = 0; i < d->threads.n; i++)
			if (of[i].n < MPIDBG_REQUESTS_SHOWN && has_operation(&d->threads.matches[i], op.addr)) {
				of[i].v[of[i].n].comm = *comm;
				of[i].v[of[i].n++].op = op;
			}
}

/* A second walk, because the operations of the calls are known only after the first one (mpidbg_match_operations). */
static void fetch(struct mpidbg_description *d, struct mpidbg_call_operations *of)
{
	struct rd_comm_iter it;
	struct mdl_comm comm;

	if (rd_comm_first(d->p->reader, true, &it))
		return;
	while (rd_comm_next(&it, &comm) == ACC_OK) {
		fetch_queue(d, &comm, MDL_SENDS, of);
		fetch_queue(d, &comm, MDL_RECEIVES, of);
		fetch_queue(d, &comm, MDL_COLLECTIVES, of);
	}
	acc_note_clear(&d->p->space.note);
}

static bool any_operation(const struct mpidbg_threads *threads)
{
	for (size_t i = 0; i < threads->n; i++)
		if (threads->matches[i].ids && threads->matches[i].n_candidates)
			return true;
	return false;
}

enum acc_rc mpidbg_native_open(struct mpidbg_description *d, struct mpidbg_native_calls *ret)
{
	enum acc_rc rc = mqs_state_update(d->p);
	enum mdl_library_state state = rc ? MDL_STATE_UNKNOWN : rd_library(d->p->reader)->state;

	ret->of = NULL;
	if ((state != MDL_INITIALIZED && state != MDL_FINALIZING) || !d->threads.n_in_mpi)
		return rc;
	mpidbg_match_operations(d);
	if (!any_operation(&d->threads))
		return rc;
	ret->of = mqs_callbacks_alloc(d->threads.n * sizeof(*ret->of));
	if (!ret->of)
		return ACC_ENOMEM;
	for (size_t i = 0; i < d->threads.n; i++)
		ret->of[i].n = 0;
	fetch(d, ret->of);
	return rc;
}

void mpidbg_native_close(struct mpidbg_native_calls *calls)
{
	mqs_callbacks_release(calls->of);
	calls->of = NULL;
}

/* ---- text ------------------------------------------------------------------------------------------------ */

void mpidbg_native_call(struct mpidbg_description *d, const struct mpidbg_native_calls *calls, size_t i)
{
	const struct mpidbg_thread_matches *c = &d->threads.matches[i];
	const struct mpidbg_call_operations *of = calls->of ? &calls->of[i] : NULL;
	const char *function = c->thread->function;
	bool wait = mpidbg_waits(function);
	size_t n = of ? of->n : 0;

	for (size_t k = 0; k < n; k++) {
		if (wait)
			out_text(&d->o, "%s%s", k ? "; " : function, k ? "" : " for ");
		else if (k)
			out_text(&d->o, " and "); /* MPI_Sendrecv has two */
		mpidbg_summary_operation(d, &of->v[k].comm, &of->v[k].op, wait || k ? NULL : function, wait);
	}
	if (!n) {
		out_name(&d->o, function, false);
		if (c->comm_name[0]) {
			out_text(&d->o, " on ");
			out_name(&d->o, c->comm_name, true);
		}
	} else if (wait && c->n_candidates + c->n_more > n) {
		out_text(&d->o, "; %" PRIu64 " more", (uint64_t)c->n_candidates + c->n_more - n);
	}
}

static void text_thread(struct mpidbg_description *d, const struct mpidbg_native_calls *calls, size_t i)
{
	uint64_t tid = (uint64_t)d->threads.matches[i].thread->id;
	const char *place = mpidbg_stack_caller(d, tid);

	out_line(&d->o, 1);
	out_text(&d->o, "thread %" PRIu64 " in ", tid);
	mpidbg_native_call(d, calls, i);
	if (place) {
		out_text(&d->o, ", in ");
		out_name(&d->o, place, false);
	}
	mpidbg_write_wait(d, tid);
	mpidbg_write_stack(d, tid);
	out_line_end(&d->o);
}

/* A thread in no MPI function, if it is known for what it waits. */
static void text_outside(struct mpidbg_description *d, size_t i)
{
	uint64_t tid = (uint64_t)d->threads.matches[i].thread->id;

	if (!mpidbg_wait_of(d, tid))
		return;
	out_line(&d->o, 1);
	out_text(&d->o, "thread %" PRIu64 " in no MPI function", tid);
	mpidbg_write_wait(d, tid);
	mpidbg_write_stack(d, tid);
	out_line_end(&d->o);
}

/* ---- JSON ------------------------------------------------------------------------------------------------ */

/* For MPI_Sendrecv, which has two operations, `peer` and `tag` are those of the send. */
static void json_operation(struct mpidbg_description *d, const struct mdl_comm *comm, const struct mdl_op *op,
			   bool second)
{
	struct out *o = &d->o;

	if (second) {
		out_json_num(o, "source", op->peer);
		out_json_num(o, "receive_tag", op->tag);
		out_json_num(o, "receive_count", op->count);
		out_fact_handle(o, "receive_datatype", op->datatype_handle, op->datatype);
		out_json_num_addr(o, "receive_buffer", op->buffer);
		return;
	}
	out_fact_handle(o, "comm", mdl_known((int64_t)comm->handle), comm->name);
	out_json_num(o, "peer", op->peer);
	out_json_num(o, "tag", op->tag);
	out_json_num(o, "count", op->count);
	out_fact_handle(o, "datatype", op->datatype_handle, op->datatype);
	out_json_num_addr(o, "buffer", op->buffer);
}

/* The operation of this direction; NULL: none. */
static const struct mdl_op *find_operation(const struct mpidbg_call_operations *of, enum mdl_op_kind kind,
					   const struct mdl_comm **comm)
{
	for (size_t i = 0; i < of->n; i++)
		if (of->v[i].op.kind == kind) {
			*comm = &of->v[i].comm;
			return &of->v[i].op;
		}
	return NULL;
}

static void json_arguments(struct mpidbg_description *d, const struct mpidbg_call_operations *of)
{
	const struct mdl_comm *comm;
	const struct mdl_op *send = find_operation(of, MDL_SEND, &comm);

	if (send)
		json_operation(d, comm, send, false);
	const struct mdl_op *receive = find_operation(of, MDL_RECEIVE, &comm);
	if (receive)
		json_operation(d, comm, receive, send != NULL);
}

static void json_thread(struct mpidbg_description *d, const struct mpidbg_native_calls *calls, size_t i)
{
	const struct mpidbg_thread_matches *c = &d->threads.matches[i];
	struct out *o = &d->o;
	uint64_t tid = (uint64_t)c->thread->id;
	const char *function = c->thread->function, *place = function ? mpidbg_stack_caller(d, tid) : NULL;

	out_json_object(o, NULL);
	out_json_uint(o, "thread", tid);
	out_json_string(o, "function", function);
	if (function && calls->of && !mpidbg_waits(function))
		json_arguments(d, &calls->of[i]);
	if (c->comm_name[0])
		out_json_string(o, "communicator", c->comm_name);
	if (c->ids && c->n_candidates) {
		out_json_array(o, "operations");
		for (size_t k = 0; k < c->n_candidates; k++)
			out_json_addr(o, NULL, c->ids[k]);
		out_json_array_end(o);
	}
	if (c->n_more)
		out_json_uint(o, "operations_left_out", c->n_more);
	if (place)
		out_json_string(o, "caller_place", place);
	mpidbg_write_wait(d, tid);
	mpidbg_write_stack(d, tid);
	out_json_object_end(o);
}

/* ---- all ------------------------------------------------------------------------------------------------- */

static void write_threads(struct mpidbg_description *d, const struct mpidbg_native_calls *calls)
{
	out_calls_begin(&d->o);
	for (size_t i = 0; i < d->threads.n; i++) {
		if (d->o.json)
			json_thread(d, calls, i);
		else if (d->threads.matches[i].thread->function)
			text_thread(d, calls, i);
		else
			text_outside(d, i);
	}
	for (size_t i = 0; i < d->options.n_unknown_threads; i++) {
		out_call_unknown(&d->o, d->options.unknown_threads[i], mpidbg_unknown_thread);
		mpidbg_problem(d, "thread %" PRId64 ": %s", d->options.unknown_threads[i], mpidbg_unknown_thread);
	}
	out_calls_end(&d->o, d->threads.n_in_mpi + d->options.n_unknown_threads);
	mpidbg_write_no_python(d);
	if (d->o.json)
		out_json_bool(&d->o, "recorded", false);
	else if (d->threads.n_in_mpi)
		out_remark(&d->o, what_is_missing, why_missing);
}

int mpidbg_describe_native_calls(struct mpidbg_description *d)
{
	const struct out_identity identity = mpidbg_identity(d);
	struct mpidbg_native_calls calls;

	mqs_state_begin(d->p); /* do not report the missing registry */
	enum acc_rc rc = mpidbg_native_open(d, &calls);

	out_process_begin(&d->o, &identity, rc ? NULL : rd_library(d->p->reader), d->p->note.text);
	/* for an unknown MPI (ACC_NONE) at least the functions are known */
	if (rc && rc != ACC_NONE)
		mpidbg_problem(d, "arguments of calls: unavailable: %s", d->p->note.text);
	if (!d->threads.given && !d->options.n_unknown_threads)
		mpidbg_problem(d, "calls: unavailable: the debugger gave no threads");
	else
		write_threads(d, &calls);
	mpidbg_write_problems(d);
	out_process_end(&d->o);
	mpidbg_native_close(&calls);
	return rc == ACC_NONE && d->threads.n_in_mpi ? MPIDBG_ERR_UNAVAILABLE : mpidbg_code(rc);
}
