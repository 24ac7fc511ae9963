/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPIDBG_WHAT_CALLS as one line for each thread: its call with arguments and communicator, from the registry, or
 * otherwise from the operations in the library and the threads' stacks (threads.h).
 */
#include "native_calls.h"
#include "references.h"
#include "summary.h"

#include "code.h"
#include "transfer_args.h"

#include "../render/text.h"

#include <inttypes.h>
#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

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
	for (uint64_t i = 0; i < n && shown < MPIDBG_REQUESTS_SHOWN; i++, shown++) {
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
	if (c->requests.known == MDL_KNOWN && mpidbg_waits(c->function)) {
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
		/* the innermost call, which a callback of another call may have made */
		tracked_call(d, &thread.calls[thread.n - 1]);
		if (thread.calls[thread.n - 1].nanoseconds.known == MDL_KNOWN)
			out_text(&d->o, ", for %.1f s", (double)thread.calls[thread.n - 1].nanoseconds.value / 1e9);
		out_line_end(&d->o);
	}
	return rc == ACC_NONE ? ACC_OK : rc;
}

/* ---- from the library's own operations ----------------------------------------------------------------- */

static enum acc_rc native(struct mpidbg_description *d)
{
	struct mpidbg_native_calls calls;
	enum acc_rc rc = mpidbg_native_open(d, &calls);

	for (size_t i = 0; i < d->threads.n; i++) {
		const struct mpidbg_thread *thread = d->threads.matches[i].thread;

		if (!thread->function)
			continue;
		out_line(&d->o, 0);
		out_text(&d->o, "%" PRId64 ": ", thread->id);
		mpidbg_native_call(d, &calls, i);
		out_line_end(&d->o);
	}
	mpidbg_native_close(&calls);
	return rc;
}

int mpidbg_describe_brief_calls(struct mpidbg_description *d)
{
	enum acc_rc rc = mqs_state_track(d->p);

	mqs_state_begin(d->p);
	rc = rc ? native(d) : tracked(d);
	acc_note_clear(&d->p->space.note);
	d->n_problems = 0; /* a line has no space for problems */
	return mpidbg_code(rc);
}
