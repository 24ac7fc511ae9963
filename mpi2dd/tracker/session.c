/* SPDX-License-Identifier: BSD-3-Clause */
#include "session.h"

#include "start.h"

#if M2D_MPI4
bool trk_session_world(MPI_Session session, MPI_Group *ret)
{
	return m2d_pmpi.Group_from_session_pset && m2d_pmpi.Group_size && m2d_pmpi.Group_rank && m2d_pmpi.Group_free &&
	       m2d_pmpi.Group_from_session_pset(session, "mpi://WORLD", ret) == MPI_SUCCESS;
}

bool trk_session_made(MPI_Info info, uint64_t errhandler, MPI_Session session)
{
	int rank = -1, size = -1;
	MPI_Group all;

	if (!trk_has_world() && trk_session_world(session, &all)) {
		m2d_pmpi.Group_size(all, &size);
		if (m2d_pmpi.Group_rank(all, &rank) != MPI_SUCCESS || rank == MPI_UNDEFINED)
			rank = -1;
		m2d_pmpi.Group_free(&all);
	}
	bool first = trk_session_started(rank, size);
	if (!trk_lock())
		return first;
	struct trk_session *r = trk_create(TRK_SESSION, TRK_BITS(session), 0);
	if (r) {
		r->info = info == m2d_constants.info_null ? 0 : TRK_BITS(info);
		r->info_id = trk_id_of(TRK_INFO, r->info);
		r->errhandler = errhandler;
		trk_publish(TRK_SESSION, r);
	}
	trk_unlock();
	return first;
}
#endif
