/* SPDX-License-Identifier: BSD-3-Clause */
#include "tell.h"

#include "event.h"

void mpit_tell_error(int call, int code)
{
	if (mpit_listens(MPIT_EVENT_ERROR_RETURNED))
		mpit_raise(MPIT_EVENT_ERROR_RETURNED, MPI_T_CB_REQUIRE_NONE, 0,
			   (const uint64_t[]){ (uint64_t)call, (uint64_t)code });
}

void mpit_tell_abort(int code)
{
	if (mpit_listens(MPIT_EVENT_ABORT))
		mpit_raise(MPIT_EVENT_ABORT, MPI_T_CB_REQUIRE_NONE, 0, (const uint64_t[]){ (uint64_t)code });
}
