/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPIDBG_WHAT_CALLS as one line for each thread: the call as the program wrote it, with its object. From the registry,
 * or else from the operations in the library and the threads' stacks (threads.h).
 */
#include "summary.h"
#include "references.h"

#include "code.h"
#include "transfer_args.h"

#include "../render/text.h"

#include <inttypes.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* Number of requests named in a line; more are only counted. */
enum { REQUESTS_SHOWN = 4 };

static bool waits(const char *function)
{
	return !strncmp(function, "MPI_Wait", 8) || !strncmp(function, "MPI_Test", 8);
}

/* ---- from the registry -------------------------------------------------------------------------------- */

/* The requests of MPI_Wait and similar, from the program's array. */
static void requests(struct mpidbg_description *d, const struct mdl_call *c)
{
	unsigned width = rd_track_handle_bytes(d->p->track, MDL_REQUEST);
	bool one = !strcmp(c->function, "MPI_Wait") || !strcmp(c->function, "MPI_Test") || c->count.known != MDL_KNOWN;
	uint64_t addr = (uint64_t)c->requests.value, n = one ? 1 : (uint64_t)c->count.value, shown = 0, value;
	struct mdl_handle h;

	if (!one && c->count.value < 0)
		return;
	for (uint64_t i = 0; i < n && shown < REQUESTS_SHOWN; i++, shown++) {
		out_text(&d->o, shown ? "; " : " for ");
		if (acc_read_u(&d->p->space, addr + i * width, width, &value))
			out_text(&d->o, "a request that cannot be read");
		else if (rd_track_find(d->p->track, MDL_REQUEST, value, &h))
			out_text(&d->o, "request 0x%" PRIx64, value);
		else
			mpidbg_summary_object(d, &h);
	}
	if (n > shown)
		out_text(&d->o, "; %" PRIu64 " more", n - shown);
}

static void tracked_call(struct mpidbg_description *d, const struct mdl_call *c)
{
	struct out *o = &d->o;

	out_name(o, c->function[0] ? c->function : "an MPI function", false);
	if (c->requests.known == MDL_KNOWN && waits(c->function)) {
		requests(d, c);
		return;
	}
	/* MPI_Sendrecv has both: peer is the destination */
	bool both = c->source.known != MDL_NOT_APPLICABLE;
	mpidbg_summary_peer(o, !both && mpidbg_summary_receives(c->function) ? "from" : "to", c->peer);
	out_num_within(o, both ? " tag " : ", tag ", c->tag, "");
	if (both)
		mpidbg_summary_peer(o, "and from", c->source);
	out_num_within(o, " tag ", c->receive_tag, "");
	mpidbg_summary_peer(o, "root", c->root);
	mpidbg_transfer_words(d, ", ", c->count, c->datatype, &c->second);
	if (c->object_kind.known == MDL_KNOWN && c->object_kind.value < MDL_N_HANDLE_KINDS &&
	    c->object_kind.value != MDL_OP)
		mpidbg_summary_name(d, " on ", (enum mdl_handle_kind)c->object_kind.value, c->object);
	mpidbg_summary_name(d, " on ", MDL_COMM, c->comm);
}

static enum acc_rc tracked(struct mpidbg_description *d)
{
	struct rd_track_threads it;
	struct mdl_thread thread;
	struct rd_track_now now = { d->options.now_ns, d->options.now_s };
	enum acc_rc rc = rd_track_threads(d->p->track, &now, &it);

	if (rc)
		return rc;
	while (!d->o.failed && !(rc = rd_track_thread_next(&it, &thread))) {
		if (!thread.n)
			continue;
		out_line(&d->o, 0);
		out_text(&d->o, "%" PRIu64 ": ", thread.tid);
		/* the innermost call: made by a callback of another call */
		tracked_call(d, &thread.calls[thread.n - 1]);
		if (thread.calls[thread.n - 1].nanoseconds.known == MDL_KNOWN)
			out_text(&d->o, ", for %.1f s", (double)thread.calls[thread.n - 1].nanoseconds.value / 1e9);
		out_line_end(&d->o);
	}
	return rc == ACC_NONE ? ACC_OK : rc;
}

/* ---- from the library's own operations ----------------------------------------------------------------- */

static void native_call(struct mpidbg_description *d, const struct mpidbg_thread_matches *c)
{
	const char *function = c->thread->function;
	bool wait = waits(function);
	struct mdl_comm comm;
	struct mdl_op op;
	size_t shown = 0;

	for (size_t i = 0; i < c->n_candidates && c->ids && shown < (wait ? REQUESTS_SHOWN : 1); i++) {
		if (rd_request_get(d->p->reader, c->ids[i], &comm, &op))
			continue;
		if (wait)
			out_text(&d->o, "%s", shown ? "; " : "");
		if (wait && !shown)
			out_text(&d->o, "%s for ", function);
		mpidbg_summary_operation(d, &comm, &op, wait ? NULL : function, wait);
		shown++;
	}
	if (!shown) {
		out_name(&d->o, function, false);
		if (c->comm_name[0]) {
			out_text(&d->o, " on ");
			out_name(&d->o, c->comm_name, true);
		}
	} else if (wait && c->n_candidates + c->n_more > shown) {
		out_text(&d->o, "; %" PRIu64 " more", (uint64_t)c->n_candidates + c->n_more - shown);
	}
}

static enum acc_rc native(struct mpidbg_description *d)
{
	enum acc_rc rc = mqs_state_update(d->p);
	enum mdl_library_state state = rc ? MDL_STATE_UNKNOWN : rd_library(d->p->reader)->state;

	if (state == MDL_INITIALIZED || state == MDL_FINALIZING)
		mpidbg_match_operations(d);
	for (size_t i = 0; i < d->threads.n; i++) {
		const struct mpidbg_thread_matches *c = &d->threads.matches[i];

		if (!c->thread->function)
			continue;
		out_line(&d->o, 0);
		out_text(&d->o, "%" PRId64 ": ", c->thread->id);
		native_call(d, c);
		out_line_end(&d->o);
	}
	return rc;
}

int mpidbg_describe_brief_calls(struct mpidbg_description *d)
{
	enum acc_rc rc = mqs_state_track(d->p);

	mqs_state_begin(d->p);
	rc = rc ? native(d) : tracked(d);
	acc_note_clear(&d->p->space.note);
	d->n_problems = 0; /* problems that do not fit into a line */
	return mpidbg_code(rc);
}
