/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The wrappers, MPI_X and PMPI_X of each row. The program's MPI_X goes on to the next MPI_X, so that a tool which was
 * linked or preloaded after us sees it, and PMPI_X to the next PMPI_X.
 */
#include "calls.h"

#include "../mpit/tell.h"
#include "../tracker/rows.h"
#include "watch.h"

#include <errno.h>

#define CALLER __builtin_return_address(0)
/* Where it is. On x86 the place is known without a frame pointer, which would be one more register to save. */
#if defined(__x86_64__) || defined(__i386__)
#define FRAME ((const char *)__builtin_dwarf_cfa() - sizeof(void *))
#elif defined(__aarch64__)
#define FRAME ((const char *)__builtin_frame_address(0) + sizeof(void *))
#else
#define FRAME NULL
#endif

#define WRAP(which, name, params, args, before, after, keep, restore)                                                  \
	static int wrap_##which##_##name params                                                                        \
	{                                                                                                              \
		bool waits = false;                                                                                    \
		struct m2d_thread *t = &m2d_thread;                                                                    \
		struct trk_frame *frame = trk_enter(t, M2D_CALL_##name, which, CALLER, FRAME);                         \
		if (__builtin_expect(!frame, 0))                                                                       \
			return m2d_calls_next[which].name args;                                                        \
		before;                                                                                                \
		if (m2d_is_watched())                                                                                  \
			m2d_watch_aside(frame);                                                                        \
		int rc = m2d_calls_next[which].name args;                                                              \
		t = trk_again(rc, 0);                                                                                  \
		keep;                                                                                                  \
		if (__builtin_expect(rc == MPI_SUCCESS && !m2d_is_watched() && trk_is_outer(frame), 1)) {              \
			const bool quiet __attribute__((unused)) = true;                                               \
			after;                                                                                         \
			trk_leave_at(frame, 0, waits);                                                                 \
		} else {                                                                                               \
			const bool quiet __attribute__((unused)) = false;                                              \
			after;                                                                                         \
			if (m2d_is_watched())                                                                          \
				m2d_watch_leave(trk_again(rc, 1), frame, rc);                                          \
			trk_leave(frame, waits);                                                                       \
			if (rc != MPI_SUCCESS)                                                                         \
				mpit_tell_error(M2D_CALL_##name, rc);                                                  \
		}                                                                                                      \
		restore;                                                                                               \
		return rc;                                                                                             \
	}

#define CALL(name, params, args, before, after)                                                                        \
	WRAP(M2D_MPI, name, params, args, before, after, int saved = errno, errno = saved)                             \
	WRAP(M2D_PMPI, name, params, args, before, after, int saved = errno, errno = saved)
/* A row whose BEFORE and AFTER leave errno alone. */
#define QUICK(name, params, args, before, after)                                                                       \
	WRAP(M2D_MPI, name, params, args, before, after, (void)0, (void)0)                                             \
	WRAP(M2D_PMPI, name, params, args, before, after, (void)0, (void)0)
#define QUICKX(name, params, args, before, after) QUICK(X_##name, params, args, before, after)
#define COLL(class, name, params, args, before, after)                                                                 \
	QUICK(name, params, args, AT_WAITING; before;                                                                  \
	      trk_coll_begun(frame->comm, class), if (rc == MPI_SUCCESS) trk_coll_finished(frame->comm, class); after)
#include "calls.def"
#undef CALL

void *const m2d_calls_wrappers[2 * M2D_N_CALLS] = {
#define CALL(name, params, args, before, after) wrap_M2D_MPI_##name, wrap_M2D_PMPI_##name,
#include "calls.def"
#undef CALL
};
