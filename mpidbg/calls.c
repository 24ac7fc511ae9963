/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The current calls of threads, with their arguments, from the records of the in-target library.
 */
#include "collective_args.h"
#include "describe.h"
#include "native_calls.h"
#include "references.h"

#include "code.h"
#include "handle_words.h"
#include "members.h"
#include "numbers.h"
#include "place.h"
#include "capacity.h"
#include "stack_lines.h"
#include "summary.h"
#include "transfer_args.h"
#include "waits.h"

#include "../render/fact.h"
#include "../render/handle_kind.h"
#include "../render/json.h"
#include "../render/process.h"
#include "../render/text.h"

#include <inttypes.h>
#include <string.h>

/* Limit of handles listed from an array of requests. */
enum { REQUESTS_MAX = 4096 };

#pragma GCC poison assert abort exit printf fprintf malloc free

static void text_num(struct out *o, const char *what, struct mdl_num n)
{
	if (n.known == MDL_NOT_APPLICABLE)
		return;
	out_text(o, ", %s ", what);
	out_num(o, n);
}

/* @p tid: 0 for a call in a callback, whose position in the backtrace is not known. */
static bool caller_place(struct mpidbg_description *d, uint64_t tid, struct mdl_num caller,
			 char ret[MPIDBG_PLACE_BYTES])
{
	return tid ? mpidbg_caller_place(d, tid, (uint64_t)caller.value, ret)
		   : mpidbg_place(d, (uint64_t)caller.value, ret);
}

/* Write the callsite in the program: "in main at ring.c:10". */
static void text_place(struct mpidbg_description *d, uint64_t tid, struct mdl_num caller)
{
	char place[MPIDBG_PLACE_BYTES];

	if (caller.known != MDL_KNOWN || !caller_place(d, tid, caller, place))
		return;
	out_text(&d->o, ", in ");
	out_name(&d->o, place, false);
}

/*
 * The name of a communicator: set by the program, otherwise by the library, as in `queues`. Preferred to the
 * handle, which differs between ranks if it is an address.
 */
static void comm_name(struct mpidbg_description *d, struct mdl_num handle, char ret[MDL_NAME_BYTES])
{
	struct acc_note note = d->p->space.note, message = d->p->note;
	struct mdl_comm comm;

	mpidbg_handle_name(d, MDL_COMM, handle, ret);
	if (ret[0] || handle.known != MDL_KNOWN)
		return;
	if ((d->p->reader || !mqs_state_open(d->p)) && !rd_library(d->p->reader)->origin &&
	    !rd_comm_get(d->p->reader, (uint64_t)handle.value, &comm))
		memcpy(ret, comm.name, MDL_NAME_BYTES);
	d->p->space.note = note; /* a missing name is not a failure */
	d->p->note = message;
}

static void text_comm(struct mpidbg_description *d, struct mdl_num handle)
{
	char name[MDL_NAME_BYTES];

	comm_name(d, handle, name);
	if (!name[0]) {
		mpidbg_summary_name(d, " on ", MDL_COMM, handle);
		return;
	}
	out_text(&d->o, " on ");
	out_name(&d->o, name, true);
}

static const char *lock_type(const struct mdl_call *c)
{
	return c->lock.value == 1 ? "shared" : "exclusive";
}

/* MPI_Intercomm_create: the object is the communicator of the two leaders. */
static bool has_leaders(const struct mdl_call *c)
{
	return c->object_kind.known == MDL_KNOWN && c->object_kind.value == MDL_COMM;
}

/* "MPI_Recv from 3, tag 99, 1 x MPI_INT on ring, for 12.0 s, in main at ring.c:10" */
static void text_call(struct mpidbg_description *d, uint64_t tid, const struct mdl_call *c)
{
	struct out *o = &d->o;
	bool of_win = c->object_kind.known == MDL_KNOWN && c->object_kind.value == MDL_WIN;

	out_name(o, c->function[0] ? c->function : "an MPI function", false);
	mpidbg_summary_peer(o,
			    of_win                                                                          ? "target"
			    : c->source.known == MDL_NOT_APPLICABLE && mpidbg_summary_receives(c->function) ? "from"
													    : "to",
			    c->peer);
	mpidbg_summary_peer(o, has_leaders(c) ? "leader" : "root", c->root);
	if (c->lock.known == MDL_KNOWN)
		out_text(o, ", %s", lock_type(c));
	text_num(o, "tag", c->tag);
	if (c->source.known != MDL_NOT_APPLICABLE) {
		out_text(o, ",");
		mpidbg_summary_peer(o, has_leaders(c) ? "remote leader" : "from", c->source);
		text_num(o, "tag", has_leaders(c) ? mdl_none() : c->receive_tag);
	}
	if (c->requests.known == MDL_KNOWN) {
		out_text(o, " for ");
		out_count(o, (uint64_t)c->count.value, "request");
	} else {
		mpidbg_transfer_words(d, ", ", c->count, c->datatype, &c->second);
	}
	mpidbg_summary_name(d, ", ", MDL_OP, c->op);
	text_comm(d, c->comm);
	if (has_leaders(c))
		text_comm(d, c->object);
	else if (c->object_kind.known == MDL_KNOWN)
		mpidbg_summary_name(d, " on ", (enum mdl_handle_kind)c->object_kind.value, c->object);
	if (c->nanoseconds.known == MDL_KNOWN)
		out_text(o, ", for %.1f s", (double)c->nanoseconds.value / 1e9);
	text_place(d, tid, c->caller);
}

static void json_handle(struct mpidbg_description *d, const char *key, enum mdl_handle_kind kind, struct mdl_num n)
{
	char name[MDL_NAME_BYTES];

	mpidbg_handle_name(d, kind, n, name);
	out_fact_handle(&d->o, key, n, name);
}

/*
 * List the program's array of requests, without MPI_REQUEST_NULL. An unreadable element ends the list; the total
 * number is shown.
 */
static void request_handles(struct mpidbg_description *d, const struct mdl_call *c)
{
	unsigned width = rd_track_handle_bytes(d->p->track, MDL_REQUEST);
	bool one = !strcmp(c->function, "MPI_Wait") || !strcmp(c->function, "MPI_Test") || c->count.known != MDL_KNOWN;
	uint64_t n = one ? 1 : (uint64_t)c->count.value, i, handle;

	if (c->requests.known != MDL_KNOWN || (!one && c->count.value < 0))
		return;
	out_json_array(&d->o, "request_handles");
	for (i = 0; i < n && i < REQUESTS_MAX && !d->o.failed; i++) {
		if (acc_read_u(&d->p->space, (uint64_t)c->requests.value + i * width, width, &handle))
			break;
		if (!rd_track_is_request_null(d->p->track, handle))
			out_json_addr(&d->o, NULL, handle);
	}
	out_json_array_end(&d->o);
	if (i < n)
		out_json_int(&d->o, "request_handles_more", (int64_t)(n - i));
}

/* The group of MPI_Win_start with its members: the ranks that must post. */
static void json_group(struct mpidbg_description *d, struct mdl_num group)
{
	struct acc_note note = d->p->space.note;
	struct mdl_handle h;

	json_handle(d, "group", MDL_GROUP, group);
	if (group.known == MDL_KNOWN && !rd_track_find(d->p->track, MDL_GROUP, (uint64_t)group.value, &h))
		mpidbg_members_fact(d, &h, false);
	d->p->space.note = note; /* an unrecorded group is not a failure */
}

/* The arguments of MPI_Intercomm_create that concern the other group. MPI ignores them on ranks other
 * than the leader. */
static void json_leaders(struct mpidbg_description *d, const struct mdl_call *c)
{
	char name[MDL_NAME_BYTES];

	comm_name(d, c->object, name);
	out_fact_handle(&d->o, "peer_comm", c->object, name);
	out_json_num(&d->o, "remote_leader", c->source);
}

static bool has_port(const struct mdl_call *c)
{
	return !strcmp(c->function, "MPI_Comm_accept") || !strcmp(c->function, "MPI_Comm_connect");
}

/* The name of the port that MPI_Comm_accept or MPI_Comm_connect
 * was given; at ranks other than the root it means nothing. */
static void json_port(struct mpidbg_description *d, const struct mdl_call *c)
{
	enum { PORT_BYTES = 1024 }; /* MPI_MAX_PORT_NAME of Open MPI, the longer one */
	struct acc_note note = d->p->space.note;
	char name[PORT_BYTES];

	if (c->buffer.known == MDL_KNOWN && c->buffer.value &&
	    !acc_read_string(&d->p->space, (uint64_t)c->buffer.value, name, sizeof(name)))
		out_json_string(&d->o, "port", name);
	d->p->space.note = note; /* a rank that is not the root may pass any address */
}

static void json_call(struct mpidbg_description *d, uint64_t tid, const struct mdl_call *c)
{
	struct out *o = &d->o;
	char place[MPIDBG_PLACE_BYTES] = "", name[MDL_NAME_BYTES];

	if (c->function[0])
		out_json_string(o, "function", c->function);
	else
		out_json_unknown(o, "function", "the registry has no name for it");
	comm_name(d, c->comm, name);
	out_fact_handle(o, "comm", c->comm, name);
	if (has_leaders(c))
		json_leaders(d, c);
	else if (c->object_kind.known == MDL_KNOWN)
		json_handle(d, out_handle_kind((enum mdl_handle_kind)c->object_kind.value),
			    (enum mdl_handle_kind)c->object_kind.value, c->object);
	json_handle(d, "op", MDL_OP, c->op);
	if (c->lock.known == MDL_KNOWN)
		out_json_string(o, "lock", lock_type(c));
	else
		out_json_num(o, "lock", c->lock);
	json_group(d, c->group);
	out_json_num(o, "peer", c->peer);
	out_json_num(o, "root", c->root);
	out_json_num(o, "tag", c->tag);
	out_json_num(o, "source", has_leaders(c) ? mdl_none() : c->source);
	out_json_num(o, "receive_tag", has_leaders(c) ? mdl_none() : c->receive_tag);
	out_json_num(o, "count", c->count);
	json_handle(d, "datatype", MDL_DATATYPE, c->datatype);
	mpidbg_collective_args(d, c);
	if (has_port(c))
		json_port(d, c);
	else
		out_fact_handle(o, "buffer", c->buffer, rd_track_buffer_name(d->p->track, c->buffer));
	mpidbg_transfer_facts(d, &c->second);
	out_json_num_addr(o, "requests", c->requests);
	request_handles(d, c);
	out_json_num(o, "nanoseconds", c->nanoseconds);
	if (c->caller.known == MDL_KNOWN)
		caller_place(d, tid, c->caller, place);
	mpidbg_known_place_fact(d, "caller", c->caller, place);
}

/* The call of a thread without a record, from its stack; NULL: none. */
static const char *function_of(const struct mpidbg_description *d, uint64_t tid)
{
	for (size_t i = 0; d->options.threads && i < d->options.n_threads; i++)
		if ((uint64_t)d->options.threads[i].id == tid)
			return d->options.threads[i].function;
	return NULL;
}

/* The last error that a call has returned to the program. */
static void write_error(struct mpidbg_description *d, const struct mdl_thread *t)
{
	char place[MPIDBG_PLACE_BYTES] = "";

	if (!t->error.function[0])
		return;
	if (t->error.caller.known == MDL_KNOWN)
		mpidbg_place(d, (uint64_t)t->error.caller.value, place);
	if (d->o.json) {
		out_json_object(&d->o, "last_error");
		out_json_string(&d->o, "function", t->error.function);
		out_json_string(&d->o, "class", t->error.name);
		out_json_num(&d->o, "nanoseconds", t->error.nanoseconds);
		mpidbg_known_place_fact(d, "caller", t->error.caller, place);
		out_json_object_end(&d->o);
		return;
	}
	out_line(&d->o, 2);
	out_text(&d->o, "last error: ");
	out_name(&d->o, t->error.function, false);
	out_text(&d->o, " returned ");
	out_name(&d->o, t->error.name, false);
	if (t->error.nanoseconds.known == MDL_KNOWN)
		out_text(&d->o, " %.1f s ago", (double)t->error.nanoseconds.value / 1e9);
	if (place[0]) {
		out_text(&d->o, ", in ");
		out_name(&d->o, place, false);
	}
}

static void write_thread(struct mpidbg_description *d, const struct mdl_thread *t)
{
	struct out *o = &d->o;
	const char *function = t->n ? NULL : function_of(d, t->tid);

	if (!o->json) {
		out_line(o, 1);
		out_text(o, "thread %" PRIu64 " in ", t->tid);
		if (t->n)
			text_call(d, t->tid, &t->calls[0]);
		else if (function) {
			out_name(o, function, false);
			out_text(o, ", %s (%" PRIu64 " calls so far)",
				 rd_track_has_call(d->p->track, function)
					 ? "whose record is not there (yet, or any more)"
					 : "which is not tracked",
				 t->n_calls);
		} else
			out_text(o, "no MPI function that is tracked (%" PRIu64 " calls so far)", t->n_calls);
		for (unsigned k = 1; k < t->n; k++) {
			out_line(o, 2);
			out_text(o, "whose callback is in ");
			text_call(d, 0, &t->calls[k]);
		}
		write_error(d, t);
		mpidbg_write_wait(d, t->tid);
		mpidbg_write_stack(d, t->tid);
		out_line_end(o);
		return;
	}
	out_json_object(o, NULL);
	out_json_uint(o, "thread", t->tid);
	out_json_uint(o, "n_calls", t->n_calls);
	if (t->n)
		json_call(d, t->tid, &t->calls[0]);
	else if (function) {
		out_json_string(o, "function", function);
		out_json_bool(o, "tracked", rd_track_has_call(d->p->track, function));
	} else
		out_json_null(o, "function");
	if (t->n > 1) {
		out_json_array(o, "callbacks");
		for (unsigned k = 1; k < t->n; k++) {
			out_json_object(o, NULL);
			json_call(d, 0, &t->calls[k]);
			out_json_object_end(o);
		}
		out_json_array_end(o);
	}
	write_error(d, t);
	mpidbg_write_wait(d, t->tid);
	mpidbg_write_stack(d, t->tid);
	out_json_object_end(o);
}

/* How many partitions of a send were marked ready; -1: not known. */
static int64_t n_ready_of(struct mpidbg_description *d, const struct mdl_list *list)
{
	struct mpidbg_numbers it;
	uint64_t i, n = 0;
	int64_t done, n_ready = 0;

	if (!list->known || list->total > list->n)
		return -1;
	mpidbg_numbers_init(&it, d, list, 1, list->n, NULL);
	for (; mpidbg_numbers_next(&it, &i, &done); n++)
		n_ready += done != 0;
	return n == list->n ? n_ready : -1;
}

static void write_partitioned_message(struct mpidbg_description *d, const struct mdl_handle *h)
{
	const struct mdl_handle_request *r = &h->request;
	bool receive = strcmp(h->call, "MPI_Precv_init") == 0;
	int64_t n_ready = receive ? -1 : n_ready_of(d, &r->partitions_done);
	struct out *o = &d->o;

	out_json_object(o, NULL);
	out_json_addr(o, "request", h->handle);
	out_json_string(o, "kind", receive ? "receive" : "send");
	if (r->object_kind.known == MDL_KNOWN && r->object_kind.value == MDL_COMM)
		out_json_num_addr(o, "comm", r->object);
	out_json_num(o, "peer", r->peer);
	out_json_num(o, "tag", r->tag);
	out_json_num(o, "partitions", r->partitions);
	if (n_ready >= 0)
		out_json_int(o, "ready", n_ready);
	out_json_object_end(o);
}

/* Partitioned messages in progress, in whatever the threads are:
 * the rank that waits for one is not the one that marks it. */
static void write_partitioned(struct mpidbg_description *d)
{
	enum { WALKED_MAX = 100000, WRITTEN_MAX = 1000 };
	struct rd_track_iter it;
	struct mdl_handle h;
	unsigned n_written = 0;

	if (!d->o.json || !rd_track_has_call(d->p->track, "MPI_Psend_init") ||
	    rd_track_first(d->p->track, MDL_REQUEST, RD_TRACK_LIVE, &it))
		return;
	struct acc_note note = d->p->space.note;
	for (unsigned i = 0; i < WALKED_MAX && n_written < WRITTEN_MAX && !d->o.failed; i++) {
		if (rd_track_next(&it, &h))
			break;
		if (!h.request.partitioned || !h.request.active || h.unsettled)
			continue;
		if (!n_written++)
			out_json_array(&d->o, "partitioned");
		write_partitioned_message(d, &h);
	}
	if (n_written)
		out_json_array_end(&d->o);
	d->p->space.note = note;
}

static void write_threads(struct mpidbg_description *d)
{
	struct rd_track_threads it;
	struct mdl_thread thread;
	struct rd_track_now now = { d->options.now_ns, d->options.now_s };
	enum acc_rc rc = rd_track_threads(d->p->track, &now, &it);
	unsigned n = 0;

	out_calls_begin(&d->o);
	if (rc == ACC_NONE) {
		mpidbg_problem(d, "calls: not recorded in this process");
		it.n_bad = it.n_dropped = 0;
	}
	while (!rc && !d->o.failed && !(rc = rd_track_thread_next(&it, &thread))) {
		write_thread(d, &thread);
		n += thread.n || function_of(d, thread.tid);
	}
	out_calls_end(&d->o, n);
	write_partitioned(d);
	mpidbg_write_no_python(d);
	if (it.n_dropped)
		mpidbg_problem(d, "calls: incomplete: %" PRIu64 " threads are not recorded because there was no space",
			       it.n_dropped);
	mpidbg_problem_walk(d, rc == ACC_NONE ? ACC_OK : rc, it.n_bad, "calls");
	/* arguments may refer to objects that were not recorded for lack of space */
	for (int k = 0; k < MDL_N_HANDLE_KINDS; k++)
		mpidbg_problem_kind(d, (enum mdl_handle_kind)k);
}

int mpidbg_describe_calls(struct mpidbg_description *d)
{
	const struct out_identity identity = mpidbg_identity(d);
	enum acc_rc rc = mqs_state_track(d->p);

	if (rc == ACC_NONE)
		return mpidbg_describe_native_calls(d);
	out_process_begin(&d->o, &identity, rc ? NULL : rd_track_library(d->p->track), d->p->note.text);
	if (!rc)
		write_threads(d);
	else
		mpidbg_problem(d, "%s", d->p->note.text);
	mpidbg_write_problems(d);
	out_process_end(&d->o);
	return mpidbg_code(rc);
}
