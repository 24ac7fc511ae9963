/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators, and their queues.
 */
#include "describe.h"

#include "code.h"
#include "handle_words.h"
#include "place.h"
#include "waits.h"

#include "../readers/tracked/merge.h"
#include "../render/comm.h"
#include "../render/fact.h"
#include "../render/json.h"
#include "../render/operation.h"
#include "../render/process.h"
#include "../render/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* Number of members fetched at once. */
enum { MEMBERS_BLOCK = 256 };

/* ---- threads ---------------------------------------------------------------------------------------- */

static void match_queue(struct mpidbg_description *d, const struct mdl_comm *comm, enum mdl_op_class op_class,
			uint64_t *n_seen)
{
	struct rd_op_iter it;
	struct mdl_op op;

	if (rd_op_first(d->p->reader, comm, op_class, true, &it))
		return;
	while (*n_seen < MPIDBG_OPERATIONS_MAX && rd_op_next(&it, &op) == ACC_OK) {
		++*n_seen;
		mpidbg_threads_match(&d->threads, comm, &op);
	}
}

void mpidbg_match_operations(struct mpidbg_description *d)
{
	const struct mdl_library *library = rd_library(d->p->reader);
	struct rd_comm_iter it;
	struct mdl_comm comm;
	uint64_t n_seen = 0;

	rd_set_stacks(d->p->reader, d->threads.stacks, d->threads.n_stacks);
	rd_set_probes(d->p->reader, d->probes, d->n_probes);
	if (!d->threads.n_in_mpi || rd_comm_first(d->p->reader, true, &it))
		return;
	d->threads.serial = library->thread_multiple_known && !library->thread_multiple;
	mpidbg_threads_requests(&d->threads, d->p->reader);
	while (rd_comm_next(&it, &comm) == ACC_OK) {
		d->threads.has_parts |= comm.part_of != 0;
		mpidbg_threads_comm(&d->threads, &comm);
		match_queue(d, &comm, MDL_SENDS, &n_seen);
		match_queue(d, &comm, MDL_RECEIVES, &n_seen);
		match_queue(d, &comm, MDL_COLLECTIVES, &n_seen);
	}
	if (n_seen == MPIDBG_OPERATIONS_MAX)
		mpidbg_problem(d, "threads: only the first %d operations were searched for those that they wait for",
			       MPIDBG_OPERATIONS_MAX);
	mpidbg_threads_decide(&d->threads);
	for (size_t i = 0; i < d->threads.n; i++) {
		struct mpidbg_thread_matches *c = &d->threads.matches[i];

		if (!c->comm_known || rd_comm_get(d->p->reader, c->comm_id, &comm))
			continue;
		if (comm.part_of && rd_comm_get(d->p->reader, comm.part_of, &comm))
			continue;
		if (comm.local_of && rd_comm_get(d->p->reader, comm.local_of, &comm))
			continue;
		if (comm.internal)
			continue;
		memcpy(c->comm_name, comm.name, sizeof(c->comm_name));
		c->shown_comm_id = comm.id;
	}
	acc_note_clear(&d->p->space.note);
}

const char mpidbg_unknown_thread[] = "which MPI function it is in, if any, is unknown: it does not stop";

static void write_calls(struct mpidbg_description *d)
{
	if (!d->threads.given)
		return;
	out_calls_begin(&d->o);
	for (size_t i = 0; i < d->threads.n; i++) {
		const struct mpidbg_thread_matches *c = &d->threads.matches[i];
		struct out_call call = {
			.thread = c->thread->id,
			.function = c->thread->function,
			.backtrace = c->thread->backtrace,
			.n_backtrace = c->thread->backtrace ? c->thread->n_backtrace : 0,
			.communicator = c->comm_name[0] ? c->comm_name : NULL,
			.communicator_id = c->shown_comm_id,
			.communicator_given = c->comm_given,
			.operations = c->ids,
			.n_operations = c->n_candidates,
			.n_operations_more = c->n_more,
			.possible = c->possible,
			.n_possible = c->n_possible,
			.waits = mpidbg_wait_of(d, (uint64_t)c->thread->id),
		};

		const struct mpidbg_python_thread *python = mpidbg_python_of(&d->python, d->options.threads,
									     c->thread->id);
		if (python) {
			call.python = python->frames;
			call.n_python = python->n;
			call.python_in_backtrace = python->in_backtrace;
		}
		out_call(&d->o, &call);
	}
	for (size_t i = 0; i < d->options.n_unknown_threads; i++) {
		out_call_unknown(&d->o, d->options.unknown_threads[i], mpidbg_unknown_thread);
		mpidbg_problem(d, "thread %" PRId64 ": %s", d->options.unknown_threads[i], mpidbg_unknown_thread);
	}
	out_calls_end(&d->o, d->threads.n_in_mpi + d->options.n_unknown_threads);
	mpidbg_write_no_python(d);
}

/* ---- a communicator --------------------------------------------------------------------------------- */

static void write_members(struct mpidbg_description *d, const struct mdl_comm *comm, bool remote)
{
	struct mdl_member block[MEMBERS_BLOCK];
	struct out_members members;
	uint64_t size = (uint64_t)(remote ? comm->remote_size : comm->size), n_bad = 0;
	enum acc_rc bad = ACC_OK;

	out_members_begin(&members, &d->o, remote ? "remote_members" : "members");
	for (uint64_t first = 0, n; first < size && !d->o.failed; first += n) {
		n = size - first < MEMBERS_BLOCK ? size - first : MEMBERS_BLOCK;

		enum acc_rc rc = rd_comm_members(d->p->reader, comm, remote, first, n, block);
		if (rc) {
			memset(block, 0, sizeof(block));
			bad = rc;
		}
		for (uint64_t i = 0; i < n; i++) {
			n_bad += !block[i].known;
			out_member(&members, &block[i]);
		}
	}
	out_members_end(&members);
	out_comm_members(&d->o, &members, remote, d->what == MPIDBG_WHAT_QUEUES);
	if (n_bad) {
		char what[MDL_NAME_BYTES + 32];

		snprintf(what, sizeof(what), "%s: %s", comm->name, remote ? "remote members" : "members");
		mpidbg_problem_walk(d, bad, n_bad, what);
	}
}

static void write_topology(struct mpidbg_description *d, const struct mdl_comm *comm)
{
	struct mdl_topology topology;
	char what[MDL_NAME_BYTES + 32];

	if (comm->topology == MDL_TOPO_NONE || (d->what == MPIDBG_WHAT_QUEUES && !d->o.json))
		return;
	memset(&topology, 0, sizeof(topology));

	enum acc_rc rc = rd_comm_topology(d->p->reader, comm, &topology);
	if (!rc) {
		out_topology(&d->o, &topology);
		rd_comm_topology_free(d->p->reader, &topology);
	} else if (rc != ACC_NONE) {
		snprintf(what, sizeof(what), "%s: topology", comm->name);
		mpidbg_problem_walk(d, rc, 0, what);
	}
}

/* @return number of operations shown */
static uint64_t write_queue(struct mpidbg_description *d, const struct mdl_comm *comm, enum mdl_op_class op_class)
{
	struct rd_op_iter it = { .n_bad = 0 };
	struct mdl_op op;
	uint64_t n = 0, n_more = 0, most = 0;
	const char *why = NULL;
	char what[MDL_NAME_BYTES + 64];

	if (op_class != MDL_COLLECTIVES && d->o.json)
		most = d->options.most_messages;
	if (rd_ops_available(d->p->reader, op_class, &why) == ACC_NONE) {
		out_queue_begin(&d->o, op_class, why ? why : "unknown");
		return 0;
	}
	out_queue_begin(&d->o, op_class, NULL);

	enum acc_rc rc = rd_op_first(d->p->reader, comm, op_class, d->options.all, &it);
	while (!rc && !d->o.failed) {
		rc = rd_op_next(&it, &op);
		if (rc)
			break;

		struct out_caller caller = mpidbg_threads_caller(&d->threads, &op);
		if (most && n >= most && !caller.claimed && !mpidbg_threads_may_wait(&d->threads, &op)) {
			n_more++;
			continue;
		}
		char place[MPIDBG_PLACE_BYTES];
		rd_track_merge_op(d->merge, comm, &op);
		if (op.caller.known == MDL_KNOWN && mpidbg_place(d, (uint64_t)op.caller.value, place))
			caller.place = place;
		if (op.contradiction)
			mpidbg_problem(d, "%s: %s: 0x%" PRIx64 ": %s: memory is damaged", comm->name,
				       out_queue_words(op_class), op.addr, op.contradiction);
		out_operation(&d->o, &op, &caller);
		n++;
	}
	out_queue_end(&d->o);
	if (n_more) {
		snprintf(what, sizeof(what), "%s_more", out_queue_key(op_class));
		out_json_int(&d->o, what, (int64_t)n_more);
	}
	if (rc == ACC_NONE)
		rc = ACC_OK;
	if (rc || it.n_bad) {
		snprintf(what, sizeof(what), "%s: %s", comm->name, out_queue_words(op_class));
		mpidbg_problem_walk(d, rc, it.n_bad, what);
	}
	return n;
}

/* ---- additional facts from the tracker ------------------------------------------------------------------ */

/* The name of the communicator that it was created from; "": not known. */
static void parent_name(struct mpidbg_description *d, const struct mdl_handle *made, char ret[MDL_NAME_BYTES])
{
	struct mdl_handle parent;

	ret[0] = '\0';
	if (made->parent.known == MDL_KNOWN &&
	    !rd_track_find_id(d->p->track, MDL_COMM, (uint64_t)made->parent.value, &parent))
		memcpy(ret, parent.name, MDL_NAME_BYTES);
}

static void json_made(struct mpidbg_description *d, const struct mdl_handle *made, const char *parent,
		      const int64_t *where, size_t n_where)
{
	struct out *o = &d->o;

	out_json_string(o, "made_by", made->call);
	if (parent[0])
		out_json_string(o, "parent_name", parent);
	if (n_where)
		mpidbg_places(d, "where", where, n_where);
	out_json_object(o, "origins");
	out_json_string(o, "made_by", "tracker");
	if (parent[0])
		out_json_string(o, "parent_name", "tracker");
	if (n_where)
		out_json_string(o, "where", "tracker");
	out_json_object_end(o);
}

static void text_made(struct mpidbg_description *d, const struct mdl_handle *made, const char *parent,
		      const int64_t *where, size_t n_where)
{
	char place[MPIDBG_PLACE_BYTES];
	struct out *o = &d->o;

	out_line(o, 2);
	out_text(o, "made by %s", made->call);
	if (parent[0]) {
		out_text(o, " of ");
		out_name(o, parent, true);
	}
	if (n_where && mpidbg_place(d, (uint64_t)where[0], place)) {
		out_text(o, ", in ");
		out_name(o, place, false);
	}
}

static void write_made(struct mpidbg_description *d, const struct mdl_comm *comm)
{
	enum { WHERE_MAX = 32 };
	char parent[MDL_NAME_BYTES];
	struct mdl_handle made;
	int64_t where[WHERE_MAX];

	if (!d->merge || comm->internal || (d->what == MPIDBG_WHAT_QUEUES && !d->o.json) ||
	    rd_track_merge_comm(d->p->track, comm, &made) || !made.call[0])
		return;
	size_t n = made.where.n < WHERE_MAX ? made.where.n : WHERE_MAX;
	if (n && rd_track_numbers(d->p->track, &made.where, 8, 0, n, where))
		n = 0;
	parent_name(d, &made, parent);
	if (d->o.json)
		json_made(d, &made, parent, where, n);
	else
		text_made(d, &made, parent, where, n);
}

static bool write_flow(void *out, const struct mdl_flow *flow)
{
	/* members without any messages are omitted: their numbers have the initial values */
	if (flow->sent != 0 || flow->expected != 1)
		out_flow(out, flow);
	return true;
}

static bool stop_there(void *unused, const struct mdl_flow *flow)
{
	(void)unused, (void)flow;
	return false;
}

/* Only with internal operations (--all): the numbers include the library's own messages. */
static void write_flows(struct mpidbg_description *d, const struct mdl_comm *comm)
{
	char what[MDL_NAME_BYTES + 64];

	if (!d->o.json || !d->options.all || d->what != MPIDBG_WHAT_QUEUES ||
	    rd_flows(d->p->reader, comm, stop_there, NULL) == ACC_NONE)
		return;
	out_flows_begin(&d->o);
	enum acc_rc rc = rd_flows(d->p->reader, comm, write_flow, &d->o);
	out_flows_end(&d->o);
	if (rc) {
		out_json_string(&d->o, "flows_why", acc_rc_text(rc)); /* the list is incomplete */
		snprintf(what, sizeof(what), "%s: numbers of messages", comm->name);
		mpidbg_problem_walk(d, rc, 0, what);
	}
}

static void write_comm(struct mpidbg_description *d, const struct mdl_comm *comm)
{
	bool queues = d->what == MPIDBG_WHAT_QUEUES;
	uint64_t n = UINT64_MAX;

	acc_note_clear(&d->p->space.note);
	out_comm_begin(&d->o, comm, queues);
	write_members(d, comm, false);
	if (comm->inter)
		write_members(d, comm, true);
	write_topology(d, comm);
	write_made(d, comm);
	if (queues) {
		n = 0;
		for (int op_class = 0; op_class < MDL_N_CLASSES; op_class++)
			n += write_queue(d, comm, (enum mdl_op_class)op_class);
		write_flows(d, comm);
	}
	out_comm_end(&d->o, n);
}

/* ---- a process -------------------------------------------------------------------------------------- */

static void write_comms(struct mpidbg_description *d)
{
	struct rd_comm_iter it = { .n_bad = 0 };
	struct mdl_comm comm;
	enum acc_rc rc = rd_comm_first(d->p->reader, d->options.all, &it);

	out_comms_begin(&d->o);
	while (!rc && !d->o.failed) {
		uint64_t n_bad = it.n_bad;

		acc_note_clear(&d->p->space.note);
		rc = rd_comm_next(&it, &comm);
		/* reported now, because reading parts of the communicator overwrites the note */
		if (it.n_bad > n_bad)
			mpidbg_problem_walk(d, ACC_OK, it.n_bad - n_bad, "communicators");
		if (!rc)
			write_comm(d, &comm);
	}
	out_comms_end(&d->o);
	if (rc && rc != ACC_NONE)
		mpidbg_problem_walk(d, rc, 0, "communicators");
}

/* @return how many, with the @p n before */
static uint64_t write_orphans_of(struct mpidbg_description *d, enum mdl_op_class op_class, uint64_t n)
{
	struct rd_op_iter it = { .n_bad = 0 };
	struct out_caller nobody = { .known = d->threads.given };
	uint64_t n_before = n;
	struct mdl_op op;
	const char *why;

	if (rd_ops_available(d->p->reader, op_class, &why))
		return n;
	acc_note_clear(&d->p->space.note);

	enum acc_rc rc = rd_op_first(d->p->reader, NULL, op_class, d->options.all, &it);
	while (!rc && !d->o.failed) {
		rc = rd_op_next(&it, &op);
		if (rc)
			break;
		if (!n)
			out_orphans_begin(&d->o);
		if (n++ == n_before)
			out_orphans_class(&d->o, op_class);
		out_operation(&d->o, &op, &nobody);
	}
	mpidbg_problem_walk(d, rc == ACC_NONE ? ACC_OK : rc, it.n_bad,
			    op_class == MDL_UNEXPECTED ? "messages for communicators not created yet"
						       : "operations whose communicator does not exist");
	return n;
}

static void write_orphans(struct mpidbg_description *d)
{
	uint64_t n = 0;

	for (int op_class = 0; op_class < MDL_N_CLASSES; op_class++)
		n = write_orphans_of(d, (enum mdl_op_class)op_class, n);
	if (n)
		out_orphans_end(&d->o);
}

/* Remarks that are in JSON for each communicator, but once per process in text. */
static void write_remarks(struct mpidbg_description *d)
{
	for (int op_class = 0; op_class < MDL_N_CLASSES; op_class++) {
		const char *why = NULL;

		if (rd_ops_available(d->p->reader, (enum mdl_op_class)op_class, &why) == ACC_NONE)
			out_remark(&d->o, out_queue_words((enum mdl_op_class)op_class), why);
	}
}

/*
 * Get additional facts from the tracker for operations read from the library's memory. Failures here are not
 * failures of the description.
 */
static void open_merge(struct mpidbg_description *d)
{
	struct acc_note note = d->p->space.note, message = d->p->note;

	if (!rd_library(d->p->reader)->origin && !mqs_state_track(d->p))
		rd_track_merge_open(d->p->track, &d->merge);
	d->p->space.note = note;
	d->p->note = message;
}

static bool has_comms(const struct mdl_library *library)
{
	return library->state == MDL_INITIALIZED || library->state == MDL_FINALIZING;
}

int mpidbg_describe_comms(struct mpidbg_description *d)
{
	struct _mqs_process_info *p = d->p;
	const struct out_identity identity = mpidbg_identity(d);
	enum acc_rc rc = mqs_state_update(p);
	const struct mdl_library *library = rc ? NULL : rd_library(p->reader);
	bool queues = d->what == MPIDBG_WHAT_QUEUES, comms = library && has_comms(library);

	out_process_begin(&d->o, &identity, library, p->note.text);
	if (rc && rc != ACC_NONE)
		mpidbg_problem(d, "%s", p->note.text);
	if (comms)
		mpidbg_match_operations(d);
	write_calls(d);
	if (comms) {
		open_merge(d);
		if (queues)
			write_remarks(d);
		write_comms(d);
		if (queues)
			write_orphans(d);
		rd_track_merge_close(d->merge);
		d->merge = NULL;
	}
	mpidbg_write_problems(d);
	out_process_end(&d->o);
	if (rc)
		return mpidbg_code(rc);
	if (!comms) {
		mqs_state_fail(p, ACC_NONE, "MPI is not initialised, or finalised: there are no communicators");
		return MPIDBG_ERR_NOT_FOUND;
	}
	return MPIDBG_SUCCESS;
}
