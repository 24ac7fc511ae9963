/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages and requests of watched calls.
 *
 * A message counts as sent when the sending call has returned: a blocking or nonblocking send, or the start of a
 * persistent request. It counts as received when a call reports it to the program, with what the status says.
 *
 * A request is complete when its handle has been set to MPI_REQUEST_NULL;
 * a persistent one, when its record has become inactive.
 */
#include "watch_state.h"

#include "../mpit/emit.h"
#include "../tracker/requests.h"

MPI_Status *m2d_watch_statuses(struct m2d_thread *t, struct trk_frame *frame, int n, bool single, MPI_Status *statuses,
			       const int *n_some, const int *indices)
{
	struct m2d_watched *w = m2d_watched_of(t, frame);
	/* If the host's constant for "ignored" is not NULL, then NULL is an error of the program; pass it on. */
	bool ignored = single ? statuses == MPI_STATUS_IGNORE : statuses == MPI_STATUSES_IGNORE;
	void *room;

	if (!w || !(__atomic_load_n(&m2d_watching, __ATOMIC_RELAXED) & M2D_WATCH_MESSAGES))
		return statuses;
	if (ignored && single) {
		statuses = &w->one;
	} else if (ignored) {
		room = w->own;
		if (n <= 0 || !m2d_watch_reserve(&room, &w->own_bytes, (size_t)n * sizeof(MPI_Status)))
			return statuses;
		statuses = w->own = room;
	}
	w->statuses = statuses;
	w->single = single;
	w->n_some = n_some;
	w->indices = indices;
	frame->flags |= M2D_FRAME_STATUSES;
	return statuses;
}

void m2d_watch_save_requests(const struct m2d_thread *t, const struct trk_frame *frame, struct m2d_watched *w)
{
	const MPI_Request *requests = (const MPI_Request *)(uintptr_t)frame->requests;
	int n = requests && frame->count > 0 ? (int)frame->count : 0;
	void *room = w->saved;

	if (!m2d_watch_reserve(&room, &w->saved_bytes, (size_t)n * sizeof(w->saved[0])))
		return;
	w->saved = room;
	w->n_saved = n;
	for (int i = 0; i < n; i++) {
		struct m2d_saved_request *a = &w->saved[i];
		a->handle = requests[i];
		a->shared = a->known = false;
		if (requests[i] == m2d_constants.request_null)
			continue;
		a->known = trk_request_copy(t, TRK_BITS(requests[i]), &a->was, &a->record, &a->shared);
	}
}

/* ---- messages ------------------------------------------------------------------------------------------ */

static void report_sent(unsigned call, int peer, int tag, int64_t count, uint64_t datatype, uint64_t comm)
{
	struct mpit_message m = {
		.peer = peer, .tag = tag, .bytes = MPIT_BYTES_UNKNOWN, .comm = comm, .call = (int)call
	};
	MPI_Count size = 0;

	if (peer == MPI_PROC_NULL)
		return;
	if (!(m2d_calls_facts[call] & FN_PARTITIONED) && m2d_pmpi.Type_size_x && count >= 0 &&
	    m2d_pmpi.Type_size_x(TRK_HANDLE(MPI_Datatype, datatype), &size) == MPI_SUCCESS && size >= 0)
		m.bytes = (uint64_t)count * (uint64_t)size;
	mpit_emit_message_sent(&m);
}

static bool is_cancelled(const MPI_Status *status)
{
	static int (*found)(const MPI_Status *, int *); /* threads may store the same value at the same time */
	int (*ask)(const MPI_Status *, int *) = __atomic_load_n(&found, __ATOMIC_RELAXED);
	int is = 0;

	if (!ask) {
		ask = (int (*)(const MPI_Status *, int *))m2d_calls_symbol("PMPI_Test_cancelled");
		__atomic_store_n(&found, ask, __ATOMIC_RELAXED);
	}
	return ask && ask(status, &is) == MPI_SUCCESS && is;
}

static void report_received(unsigned call, const MPI_Status *status, uint64_t comm)
{
	struct mpit_message m = { .bytes = MPIT_BYTES_UNKNOWN, .comm = comm, .call = (int)call };
	MPI_Count bytes = 0;

	/* a receive from MPI_PROC_NULL, or an empty status */
	if (status->MPI_SOURCE < 0 || is_cancelled(status))
		return;
	m.peer = status->MPI_SOURCE;
	m.tag = status->MPI_TAG;
	if (m2d_pmpi.Get_elements_x && m2d_pmpi.Get_elements_x(status, m2d_constants.byte, &bytes) == MPI_SUCCESS &&
	    bytes >= 0)
		m.bytes = (uint64_t)bytes;
	mpit_emit_message_received(&m);
}

void m2d_watch_messages(const struct trk_frame *frame, const struct m2d_watched *w, int rc)
{
	uint32_t facts = m2d_calls_facts[frame->call];

	if (rc != MPI_SUCCESS)
		return;
	if (facts & FN_SENDS && !(facts & FN_PERSISTENT))
		report_sent(frame->call, frame->peer, frame->tag, frame->count, frame->datatype, frame->comm);
	if (facts & FN_RECEIVES && !(facts & FN_REQUEST) && frame->flags & M2D_FRAME_STATUSES)
		report_received(frame->call, w->statuses, frame->has & TRK_HAS_COMM ? frame->comm : w->comm);
}

/* ---- requests ------------------------------------------------------------------------------------------ */

static bool makes_comm(unsigned call)
{
#if M2D_MPI4
	if (call == M2D_CALL_Comm_idup_with_info)
		return true;
#endif
	return call == M2D_CALL_Comm_idup;
}

/* The call has created a request that is active at once. */
static void report_created(const struct trk_frame *frame)
{
	MPI_Request request = *(const MPI_Request *)(uintptr_t)frame->requests;
	uint32_t facts = m2d_calls_facts[frame->call];

	if (facts & FN_PERSISTENT || request == m2d_constants.request_null)
		return;
	mpit_emit_request_started(TRK_BITS(request), (int)frame->call);
	if (!trk_request_is_shared(TRK_BITS(request)))
		return;
	/* complete at creation: when a later call completes one of several, we cannot tell which */
	if (facts & FN_ON_COMM)
		mpit_emit_collective_left(frame->comm, (int)frame->call, MPI_SUCCESS);
	if (makes_comm(frame->call))
		m2d_watch_new_comm(TRK_BITS(*(const MPI_Comm *)(uintptr_t)frame->buffer), frame->comm, frame->call);
}

static void report_started(const struct m2d_thread *t, const struct trk_frame *frame)
{
	const MPI_Request *requests = (const MPI_Request *)(uintptr_t)frame->requests;

	for (int64_t i = 0; i < frame->count; i++) {
		const struct trk_request *record;
		struct trk_request r;
		bool shared;
		if (!trk_request_copy(t, TRK_BITS(requests[i]), &r, &record, &shared)) {
			mpit_emit_request_started(TRK_BITS(requests[i]), -1);
			continue;
		}
		uint32_t facts = m2d_calls_facts[r.call];
		mpit_emit_request_started(r.handle, r.call);
		if (facts & FN_ON_COMM)
			mpit_emit_collective_entered(r.comm, r.call);
		if (facts & FN_SENDS && mpit_has_message_listener())
			report_sent(r.call, r.peer, r.tag, r.count, r.datatype, r.comm);
	}
}

/* Is the request complete now? A null or inactive one was complete before the call. */
static bool is_now_complete(const struct m2d_saved_request *a, MPI_Request now)
{
	if (a->handle == m2d_constants.request_null || (a->known && !(a->was.flags & TRK_REQ_ACTIVE)))
		return false;
	if (now != a->handle)
		return true;
	return a->known && a->was.flags & TRK_REQ_PERSISTENT &&
	       !(__atomic_load_n(&a->record->flags, __ATOMIC_RELAXED) & TRK_REQ_ACTIVE);
}

/* Report a completed request. @param status its status; NULL: not known */
static void report_completed(const struct m2d_saved_request *a, const MPI_Status *status, int rc)
{
	const struct trk_request *r = &a->was;

	mpit_emit_request_completed(TRK_BITS(a->handle), a->known ? r->call : -1);
	if (!a->known)
		return;
	uint32_t facts = m2d_calls_facts[r->call];
	if (facts & FN_ON_COMM)
		mpit_emit_collective_left(r->comm, r->call, rc);
	if (r->flags & TRK_REQ_MAKES_COMM && r->buffer && rc == MPI_SUCCESS)
		m2d_watch_new_comm(TRK_BITS(*(const MPI_Comm *)(uintptr_t)r->buffer), r->comm, r->call);
	if (facts & FN_RECEIVES && status && mpit_has_message_listener())
		report_received(r->call, status, r->comm);
}

static void report_completions(const struct trk_frame *frame, const struct m2d_watched *w, int rc)
{
	const MPI_Request *now = (const MPI_Request *)(uintptr_t)frame->requests;
	const MPI_Status *statuses = frame->flags & M2D_FRAME_STATUSES ? w->statuses : NULL;
	bool each = rc != MPI_SUCCESS && !w->single && statuses && m2d_calls_error_class(rc) == MPI_ERR_IN_STATUS;

	if (statuses && w->indices && rc == MPI_SUCCESS) {
		int n = w->n_some ? *w->n_some : 1;
		for (int k = 0; k < n; k++) {
			int i = w->indices[k];
			if (i >= 0 && i < w->n_saved && is_now_complete(&w->saved[i], now[i]))
				report_completed(&w->saved[i], &statuses[k], rc);
		}
		return;
	}
	for (int i = 0; i < w->n_saved; i++) {
		const MPI_Status *status = NULL;
		if (!is_now_complete(&w->saved[i], now[i]))
			continue;
		if (statuses && rc == MPI_SUCCESS)
			status = w->single ? statuses : &statuses[i];
		else if (each && !w->indices && statuses[i].MPI_ERROR == MPI_SUCCESS)
			status = &statuses[i];
		report_completed(&w->saved[i], status, status ? MPI_SUCCESS : rc);
	}
}

void m2d_watch_requests(const struct m2d_thread *t, const struct trk_frame *frame, const struct m2d_watched *w, int rc)
{
	uint32_t facts = m2d_calls_facts[frame->call];

	if (facts & FN_COMPLETES)
		report_completions(frame, w, rc);
	else if (rc != MPI_SUCCESS || !frame->requests)
		return;
	else if (facts & FN_STARTS)
		report_started(t, frame);
	else if (!(frame->has & TRK_HAS_REQUESTS))
		report_created(frame);
}
