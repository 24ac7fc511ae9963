/* SPDX-License-Identifier: BSD-3-Clause */
#include "names.h"

#include "referrers.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

/* The lists of users that exist, and their bits. */
static const struct {
	enum mdl_handle_kind used, user;
	unsigned bit;
} lists[] = {
	{ MDL_COMM, MDL_REQUEST, MPIDBG_CAP_REQUEST_LIST },     { MDL_COMM, MDL_WIN, MPIDBG_CAP_WINDOW_LIST },
	{ MDL_COMM, MDL_FILE, MPIDBG_CAP_FILE_LIST },           { MDL_GROUP, MDL_COMM, MPIDBG_CAP_COMM_LIST },
	{ MDL_DATATYPE, MDL_REQUEST, MPIDBG_CAP_REQUEST_LIST }, { MDL_DATATYPE, MDL_FILE, MPIDBG_CAP_FILE_LIST },
	{ MDL_FILE, MDL_REQUEST, MPIDBG_CAP_REQUEST_LIST },     { MDL_INFO, MDL_COMM, MPIDBG_CAP_COMM_LIST },
	{ MDL_INFO, MDL_WIN, MPIDBG_CAP_WINDOW_LIST },          { MDL_INFO, MDL_FILE, MPIDBG_CAP_FILE_LIST },
	{ MDL_OP, MDL_REQUEST, MPIDBG_CAP_REQUEST_LIST },       { MDL_WIN, MDL_REQUEST, MPIDBG_CAP_REQUEST_LIST },
};

static unsigned of_objects(struct rd_track *t, enum mdl_handle_kind kind)
{
	bool recorded = !rd_track_has_no_registry(t);
	unsigned ret = MPIDBG_CAP_BASIC | (recorded ? MPIDBG_CAP_FREED_HANDLE | MPIDBG_CAP_MADE_BY : 0u);

	if (kind == MDL_COMM || kind == MDL_DATATYPE || kind == MDL_WIN || kind == MDL_ERRHANDLER)
		ret |= MPIDBG_CAP_STRING_NAMES;
	if (recorded &&
	    (kind == MDL_COMM || kind == MDL_DATATYPE || kind == MDL_FILE || kind == MDL_OP || kind == MDL_WIN))
		ret |= MPIDBG_CAP_CALL_LIST;
	if (kind == MDL_ERRHANDLER) { /* has a bit of version 1 for all its lists */
		bool all = mpidbg_users_known(t, MDL_COMM, kind) && mpidbg_users_known(t, MDL_FILE, kind) &&
			   mpidbg_users_known(t, MDL_WIN, kind);
		return ret | (all ? MPIDBG_ERRH_CAP_HANDLE_LIST : 0u);
	}
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (lists[i].used == kind && mpidbg_users_known(t, lists[i].user, kind))
			ret |= lists[i].bit;
	return ret;
}

unsigned mpidbg_capabilities(struct _mqs_process_info *p, int kind)
{
	uint64_t addr;

	if (kind == MPIDBG_STATUS)
		return p->track || !acc_symbol(&p->space, "ompi_mpi_state", &addr) ? MPIDBG_STATUS_CAP_BASIC : 0;
	if (p->track && rd_track_count(p->track, (enum mdl_handle_kind)kind).known)
		return of_objects(p->track, (enum mdl_handle_kind)kind);
	/* a layout that has no rows for objects has those of communicators */
	bool comms = kind == MPIDBG_COMM && p->reader && rd_library(p->reader)->state == MDL_INITIALIZED;
	return comms ? MPIDBG_COMM_CAP_BASIC | MPIDBG_COMM_CAP_STRING_NAMES : 0u;
}
