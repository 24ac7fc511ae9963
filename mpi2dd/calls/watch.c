/* SPDX-License-Identifier: BSD-3-Clause */
/* The beginning and the end of a watched call. */
#include "watch_state.h"

#include "../mpit/emit.h"

#include <errno.h>

void m2d_watch_enter(struct trk_frame *frame)
{
	struct m2d_thread *t = &m2d_thread;
	int saved = errno;
	struct m2d_watched *w = m2d_watched_of(t, frame);
	unsigned bits = __atomic_load_n(&m2d_watching, __ATOMIC_RELAXED);
	uint32_t facts = m2d_calls_facts[frame->call];

	if (w) {
		frame->flags |= M2D_FRAME_WATCHED;
		w->made = w->parent = w->comm = 0;
		if (t->created.frame == frame)
			t->created.frame = NULL;
		w->n_saved = 0;
		/* so that an address found there afterwards was stored by CREATED() of this call */
		if (!(frame->has & TRK_HAS_REQUESTS))
			frame->requests = 0;
		if (facts & FN_COMPLETES)
			m2d_watch_save_requests(t, frame, w);
		if (frame->has & TRK_HAS_OBJECT && frame->object_kind == TRK_MESSAGE) {
			const struct trk_message *m = trk_find_unlocked(TRK_MESSAGE, frame->object);
			w->comm = m ? m->comm : 0;
		}
		m2d_watch_windows_before(frame, w);
		if (bits & M2D_WATCH_COLLECTIVES && facts & FN_ON_COMM && !(facts & FN_PERSISTENT))
			mpit_emit_collective_entered(frame->comm, (int)frame->call);
		/* a nested call is part of the time of the outer one */
		bool timed = bits & M2D_WATCH_TIME && frame == t->slot->frames;
		w->began = timed ? mpit_emit_clock() : 0;
	}
	errno = saved;
}

void m2d_watch_leave(struct m2d_thread *t, struct trk_frame *frame, int rc)
{
	int saved = errno;
	unsigned bits = __atomic_load_n(&m2d_watching, __ATOMIC_RELAXED);
	uint32_t facts = m2d_calls_facts[frame->call];
	struct m2d_watched *w = frame->flags & M2D_FRAME_WATCHED ? m2d_watched_of(t, frame) : NULL;

	if (w) {
		frame->flags &= (uint8_t)~M2D_FRAME_WATCHED;
		if (t->created.frame == frame) {
			w->made = t->created.handle;
			w->parent = t->created.parent;
		}
		if (w->began)
			mpit_emit_time(mpit_emit_clock() - w->began);
		if (bits & M2D_WATCH_MESSAGES)
			m2d_watch_messages(frame, w, rc);
		m2d_watch_requests(t, frame, w, rc);
		/* a nonblocking collective that failed to start is left at once */
		if (facts & FN_ON_COMM && !(facts & FN_PERSISTENT) && (!(facts & FN_REQUEST) || rc != MPI_SUCCESS))
			mpit_emit_collective_left(frame->comm, (int)frame->call, rc);
		if (bits & M2D_WATCH_EPOCHS)
			m2d_watch_windows(frame, w, rc);
		if (bits & M2D_WATCH_OBJECTS && rc == MPI_SUCCESS)
			m2d_watch_objects(frame, w);
		if (bits & M2D_WATCH_ERRHANDLERS)
			m2d_watch_errhandler(frame, w, rc);
	}
	errno = saved;
}
