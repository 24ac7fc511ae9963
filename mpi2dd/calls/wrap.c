/* SPDX-License-Identifier: BSD-3-Clause */
/* The wrappers of every row, for every call: within another one, from anywhere, with and without somebody who listens. */
#include "wrap.h"

#include <errno.h>

#define WRAP(which, name, params, args, before, after, keep, restore)                                                  \
	static int wrap_##which##_##name params                                                                        \
	{                                                                                                              \
		ROW_LOCALS(false, M2D_CALL_##name, which);                                                             \
		struct m2d_thread *t = &m2d_thread;                                                                    \
		struct trk_frame *frame = trk_enter_via(t, entry, CALLER, FRAME);                                      \
		if (__builtin_expect(!frame, 0))                                                                       \
			return m2d_calls_next[which].name args;                                                        \
		before;                                                                                                \
		if (m2d_is_watched())                                                                                  \
			m2d_watch_enter(frame);                                                                        \
		int rc = m2d_calls_next[which].name args;                                                              \
		keep;                                                                                                  \
		after;                                                                                                 \
		if (m2d_is_watched())                                                                                  \
			m2d_watch_leave(t, frame, rc);                                                                 \
		trk_leave(t, frame);                                                                                   \
		if (rc != MPI_SUCCESS)                                                                                 \
			mpit_tell_error(M2D_CALL_##name, rc);                                                          \
		restore;                                                                                               \
		return rc;                                                                                             \
	}

#define CALL(name, params, args, before, after)                                                                        \
	WRAP(M2D_MPI, name, params, args, before, after, int saved = errno, errno = saved)                             \
	WRAP(M2D_PMPI, name, params, args, before, after, int saved = errno, errno = saved)
#define QUICK(name, params, args, before, after)                                                                       \
	WRAP(M2D_MPI, name, params, args, before, after, (void)0, (void)0)                                             \
	WRAP(M2D_PMPI, name, params, args, before, after, (void)0, (void)0)
#define QUICKX WRAP_QUICKX
#define COLL   WRAP_COLL
#include "calls.def"
#undef CALL

void *const m2d_calls_wrappers[2 * M2D_N_CALLS] = {
#define CALL(name, params, args, before, after) wrap_M2D_MPI_##name, wrap_M2D_PMPI_##name,
#include "calls.def"
#undef CALL
};
