/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The wrappers of the QUICK rows for the usual call: from the program's own code, not within another call, and nobody
 * listens. Any other call goes on to the row's wrapper in wrap.c, with its arguments where they are. While somebody
 * listens, or nobody writes the time down (tracker/clock.h), no slot leads here (m2d_calls_choose()).
 */
#include "wrap.h"

#define WRAP(which, name, params, args, before, after, usual)                                                          \
	static int wrap_##which##_##name params                                                                        \
	{                                                                                                              \
		ROW_LOCALS(true, M2D_CALL_##name, which);                                                              \
		struct m2d_thread *t __attribute__((unused)) = &m2d_thread;                                            \
		struct trk_frame *frame;                                                                               \
		if (!(usual) || !(frame = trk_enter_usual(CALLER, FRAME))) {                                           \
			m2d_thread.via_caller = CALLER;                                                                \
			m2d_thread.via_frame = FRAME;                                                                  \
			return ((int(*) params)m2d_calls_wrappers[entry])args;                                         \
		}                                                                                                      \
		before;                                                                                                \
		if (!begun)                                                                                            \
			trk_begin_usual(frame, entry, 0);                                                              \
		int rc = m2d_calls_next[which].name args;                                                              \
		t = trk_again(rc);                                                                                     \
		frame = trk_frame_kept(frame);                                                                         \
		if (__builtin_expect(rc == MPI_SUCCESS, 1)) {                                                          \
			after;                                                                                         \
			trk_leave_usual(frame, waits);                                                                 \
			if (next)                                                                                      \
				TRK_PUT(trk_slot_of(frame)->next, next);                                               \
			return trk_success();                                                                          \
		}                                                                                                      \
		after;                                                                                                 \
		trk_leave_usual(frame, waits);                                                                         \
		mpit_tell_error(M2D_CALL_##name, rc);                                                                  \
		return rc;                                                                                             \
	}

#define CALL(name, params, args, before, after)
#define QUICK_IF(usual, name, params, args, before, after)                                                             \
	WRAP(M2D_MPI, name, params, args, before, after, usual)                                                        \
	WRAP(M2D_PMPI, name, params, args, before, after, usual)
#define QUICKX WRAP_QUICKX
#define COLL   WRAP_COLL
#include "calls.def"
#undef CALL

void *const m2d_calls_quick[2 * M2D_N_CALLS] = {
#define CALL(name, params, args, before, after)
#define QUICK(name, params, args, before, after)                                                                       \
	[2 * M2D_CALL_##name] = wrap_M2D_MPI_##name, [2 * M2D_CALL_##name + 1] = wrap_M2D_PMPI_##name,
#define QUICKX WRAP_QUICKX
#include "calls.def"
#undef CALL
};
