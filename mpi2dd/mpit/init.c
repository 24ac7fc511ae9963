/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_T_init_thread and MPI_T_finalize. */
#include "mpit.h"

#include "../calls/calls.h"
#include "mirror.h"

static int level; /* for the current initialization period of MPI_T; protected by the lock */

static bool is_level(int value)
{
	return value == MPI_THREAD_SINGLE || value == MPI_THREAD_FUNNELED || value == MPI_THREAD_SERIALIZED ||
	       value == MPI_THREAD_MULTIPLE;
}

MPIT(init_thread, (int required, int *provided))
{
	if (!is_level(required))
		return MPI_T_ERR_INVALID;
	if (mpit_callback_level == MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE)
		return MPI_T_ERR_NOT_ACCESSIBLE;
	bool first = mpit_start();
	/* Our lock protects everything of the host: any level is provided, and none is reduced later. */
	if (first || required > level)
		level = required;
	mpit_host_wanted_level(required);
	/*
	 * MPICH 4.0 frees its variables when MPI and MPI_T are both finalized, and
	 * crashes when either is initialized again: keep its MPI_T initialized from now
	 * on. (Open MPI's first initialization takes 0.2 s: it is done when needed.)
	 */
	if (!m2d_calls_is_openmpi())
		mpit_host();
	mpit_mirror_tool_started();
	if (provided)
		*provided = level;
	return mpit_leave(MPI_SUCCESS);
}

MPIT(finalize, (void))
{
	int rc = mpit_enter();

	if (rc != MPI_SUCCESS)
		return rc;
	return mpit_leave(mpit_end() ? MPI_SUCCESS : MPI_T_ERR_NOT_INITIALIZED);
}
