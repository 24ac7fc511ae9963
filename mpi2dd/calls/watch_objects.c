/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows, communicators, files and error handlers of watched calls: compares the registry before and after the call.
 */
#include "watch_state.h"

#include "../tracker/requests.h"

#include "../mpit/emit.h"

/* ---- windows ------------------------------------------------------------------------------------------- */

static struct m2d_epochs epochs_of(const struct trk_frame *frame)
{
	const struct trk_win *r = trk_find_unlocked(TRK_WIN, frame->object);

	if (!r)
		return (struct m2d_epochs){ 0 };
	return (struct m2d_epochs){ .known = true,
				    .fence = r->fence_open != 0,
				    .started = r->started != 0,
				    .posted = r->posted != 0,
				    .lock_all = r->lock_all != 0 };
}

static bool is_of_window(const struct trk_frame *frame)
{
	return frame->has & TRK_HAS_OBJECT && frame->object_kind == TRK_WIN;
}

void m2d_watch_windows_before(const struct trk_frame *frame, struct m2d_watched *w)
{
	w->epochs.known = false;
	if (is_of_window(frame))
		w->epochs = epochs_of(frame);
}

static void report_change(const struct trk_frame *frame, enum mpit_epoch kind, bool was, bool is)
{
	if (was && !is)
		mpit_emit_epoch_closed(frame->object, kind, -1, (int)frame->call);
	if (!was && is)
		mpit_emit_epoch_opened(frame->object, kind, -1, (int)frame->call);
}

void m2d_watch_windows(const struct trk_frame *frame, const struct m2d_watched *w, int rc)
{
	if (rc != MPI_SUCCESS || !is_of_window(frame))
		return;
	int call = (int)frame->call;
	if (w->epochs.known) {
		struct m2d_epochs now = epochs_of(frame);
		bool between = call == M2D_CALL_Win_fence && w->epochs.fence && now.fence;
		report_change(frame, MPIT_EPOCH_FENCE, w->epochs.fence, now.fence && !between);
		if (between)
			report_change(frame, MPIT_EPOCH_FENCE, false, true);
		report_change(frame, MPIT_EPOCH_START, w->epochs.started, now.started);
		report_change(frame, MPIT_EPOCH_POST, w->epochs.posted, now.posted);
		report_change(frame, MPIT_EPOCH_LOCK_ALL, w->epochs.lock_all, now.lock_all);
	}
	if (call == M2D_CALL_Win_lock)
		mpit_emit_epoch_opened(frame->object, MPIT_EPOCH_LOCK, frame->peer, call);
	else if (call == M2D_CALL_Win_unlock)
		mpit_emit_epoch_closed(frame->object, MPIT_EPOCH_LOCK, frame->peer, call);
}

/* ---- communicators and files --------------------------------------------------------------------------- */

void m2d_watch_new_comm(uint64_t comm, uint64_t parent, unsigned call)
{
	int size = -1, remote = -1;

	if (comm == TRK_BITS(m2d_constants.comm_null))
		return;
	m2d_pmpi.Comm_size(TRK_HANDLE(MPI_Comm, comm), &size);
	mpit_emit_comm_created(comm, parent, size, (int)call);
	if ((call == M2D_CALL_Comm_spawn || call == M2D_CALL_Comm_spawn_multiple) &&
	    m2d_pmpi.Comm_remote_size(TRK_HANDLE(MPI_Comm, comm), &remote) == MPI_SUCCESS)
		mpit_emit_spawned(remote, comm);
}

void m2d_watch_objects(const struct trk_frame *frame, const struct m2d_watched *w)
{
	switch (frame->call) {
	case M2D_CALL_Comm_free:
	case M2D_CALL_Comm_disconnect:
		mpit_emit_comm_freed(frame->comm, (int)frame->call);
		break;
	case M2D_CALL_Comm_set_name:
		mpit_emit_comm_named(frame->comm);
		break;
	case M2D_CALL_File_close:
		mpit_emit_file_closed(frame->object);
		break;
	case M2D_CALL_File_open:
		if (w->made)
			mpit_emit_file_opened(w->made, w->parent);
		break;
	default:
		if (w->made)
			m2d_watch_new_comm(w->made, w->parent, frame->call);
	}
}

/* ---- error handlers ------------------------------------------------------------------------------------ */

static uint64_t handler_of(enum trk_kind kind, uint64_t object)
{
	const void *r = trk_find_unlocked(kind, object);

	if (!r)
		return 0;
	return kind == TRK_COMM   ? ((const struct trk_comm *)r)->errhandler
	       : kind == TRK_FILE ? ((const struct trk_file *)r)->errhandler
				  : ((const struct trk_win *)r)->errhandler;
}

/* The error handler of the call's object; 0: none, or the object is not recorded. */
static uint64_t handler_of_call(const struct trk_frame *frame, const struct m2d_watched *w)
{
	if (frame->has & TRK_HAS_COMM)
		return handler_of(TRK_COMM, frame->comm);
	if (frame->has & TRK_HAS_OBJECT && (frame->object_kind == TRK_FILE || frame->object_kind == TRK_WIN))
		return handler_of((enum trk_kind)frame->object_kind, frame->object);
	for (int i = 0; i < w->n_saved; i++) {
		const struct trk_request *r = &w->saved[i].was;
		if (w->saved[i].known && trk_request_object_kind(r) != TRK_N_KINDS)
			return handler_of(trk_request_object_kind(r), r->comm);
	}
	return 0;
}

/* Is it an error handler that the program created? The handle may have been freed meanwhile. */
static bool is_own(uint64_t errhandler)
{
	bool is = false;

	if (errhandler && trk_lock()) {
		const struct trk_errhandler *r = trk_find_any(TRK_ERRHANDLER, errhandler);
		is = r && !r->predefined && r->function;
		trk_unlock();
	}
	return is;
}

void m2d_watch_errhandler(const struct trk_frame *frame, const struct m2d_watched *w, int rc)
{
	bool asked_for = frame->call == M2D_CALL_Comm_call_errhandler || frame->call == M2D_CALL_File_call_errhandler ||
			 frame->call == M2D_CALL_Win_call_errhandler;

	if ((rc == MPI_SUCCESS) != asked_for)
		return;
	uint64_t errhandler = handler_of_call(frame, w);
	if (is_own(errhandler))
		mpit_emit_errhandler(errhandler, (int)frame->call, asked_for ? frame->tag : rc);
}
