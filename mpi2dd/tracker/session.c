/* SPDX-License-Identifier: BSD-3-Clause */
#include "session.h"

void trk_session_made(MPI_Info info, uint64_t errhandler, uint64_t session)
{
	trk_session_started();
	if (!trk_lock())
		return;
	struct trk_session *r = trk_born(TRK_SESSION, session, 0);
	if (r) {
		r->info = info == m2d_constants.info_null ? 0 : TRK_BITS(info);
		r->info_id = trk_id_of(TRK_INFO, r->info);
		r->errhandler = errhandler;
		trk_settled(TRK_SESSION, r);
	}
	trk_unlock();
}
