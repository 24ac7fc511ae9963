/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The wrappers of all rows. MPI_X calls the next MPI_X, so that a tool linked or preloaded after us sees the call;
 * PMPI_X calls the next PMPI_X.
 *
 * BEFORE and AFTER of a row use t, frame, rc and what BEFORE declares (calls.h), and THIS_CALL, the function's number.
 */
#include "calls.h"

#include "../mpit/emit.h"
#include "actions.h"
#include "errors.h"
#include "watch.h"

#include <errno.h>

/** Return address of the wrapper and its location on the stack; on x86 it is known without a frame pointer. */
#define CALLER __builtin_return_address(0)
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
		enum { THIS_CALL = M2D_CALL_##name };                                                                  \
		struct m2d_thread *t = &m2d_thread;                                                                    \
		struct trk_frame *frame = trk_enter(t, 2 * M2D_CALL_##name + (which), CALLER, FRAME);                  \
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
		if (__builtin_expect(rc != MPI_SUCCESS, 0))                                                            \
			m2d_note_error(t, M2D_CALL_##name, #name, rc, CALLER);                                         \
		restore;                                                                                               \
		return rc;                                                                                             \
	}

#define CALL(name, symbol, facts, params, args, before, after)                                                         \
	WRAP(M2D_MPI, name, params, args, before, after, int saved = errno, errno = saved)                             \
	WRAP(M2D_PMPI, name, params, args, before, after, int saved = errno, errno = saved)
#define QUICK_CALL(name, symbol, facts, params, args, before, after)                                                   \
	WRAP(M2D_MPI, name, params, args, before, after, (void)0, (void)0)                                             \
	WRAP(M2D_PMPI, name, params, args, before, after, (void)0, (void)0)
#include "calls.def"

void *const m2d_calls_wrappers[2 * M2D_N_CALLS] = {
#define CALL(name, symbol, facts, params, args, before, after) wrap_M2D_MPI_##name, wrap_M2D_PMPI_##name,
#include "calls.def"
};
