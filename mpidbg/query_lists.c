/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queries about a kind: capabilities, names of predefined handles, existing handles; and type maps.
 */
#include "query.h"

#include "integer.h"
#include "names.h"

#include "../mqs/callbacks.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* ---- capabilities -------------------------------------------------------------------------------------- */

static bool is_kind(int kind)
{
	return kind >= 0 && kind < MPIDBG_N_HANDLE_KINDS;
}

int mpidbg_get_capabilities(mqs_process *process, int kind, unsigned *ret)
{
	struct _mqs_process_info *p;
	int code = ret && is_kind(kind) ? mpidbg_query_begin(process, false, &p) : MPIDBG_ERR_OUT_OF_RANGE;

	if (code)
		return code;
	if (!p->track && !p->reader) {
		mpidbg_query_end(p, ACC_NONE, "the process has no MPI library, or none that can be read");
		return MPIDBG_ERR_NOT_SUPPORTED;
	}
	unsigned bytes;
	if (kind == MPIDBG_AINT || kind == MPIDBG_OFFSET)
		*ret = mpidbg_integer_bytes(p, kind, &bytes) ? 0 : MPIDBG_CAP_BASIC;
	else
		*ret = mpidbg_capabilities(p, kind);
	return mpidbg_query_end(p, ACC_OK, NULL);
}

int mpidbg_keep(mqs_process *process, int keep)
{
	struct _mqs_process_info *p = mqs_state_process(process);

	if (!p)
		return MPIDBG_ERR_OUT_OF_RANGE;
	mqs_state_begin(p);
	return mqs_state_keep(p, keep != 0) ? MPIDBG_ERR_UNAVAILABLE : MPIDBG_SUCCESS;
}

/* ---- handles ------------------------------------------------------------------------------------------- */

static enum acc_rc handles(struct rd_track *t, enum mdl_handle_kind kind, bool freed, mqs_taddr_t **ret, size_t *n_ret,
			   uint64_t *n_missing)
{
	unsigned lives = freed ? RD_TRACK_ALL : RD_TRACK_LIVE;
	struct rd_track_iter it;
	struct mdl_handle h;
	mqs_taddr_t *v = NULL;
	uint64_t n = 0, i = 0;
	enum acc_rc rc = rd_track_first(t, kind, lives, &it);

	while (!rc && !(rc = rd_track_next(&it, &h)))
		n++;
	if (rc != ACC_NONE || rd_track_first(t, kind, lives, &it))
		return rc;
	rc = ACC_OK;
	v = mpidbg_query_array(&rc, n ? n : 1, sizeof(*v));
	while (v && i < n && !rd_track_next(&it, &h))
		v[i++] = h.handle;
	if (rc)
		return rc;
	*ret = v;
	*n_ret = (size_t)i;
	if (n_missing)
		*n_missing = rd_track_count(t, kind).n_dropped + it.n_bad;
	return ACC_OK;
}

int mpidbg_get_handles(mqs_process *process, int kind, int freed, mqs_taddr_t **ret, size_t *n_ret, uint64_t *n_missing)
{
	struct _mqs_process_info *p;
	int code = ret && n_ret && is_kind(kind) ? MPIDBG_SUCCESS : MPIDBG_ERR_OUT_OF_RANGE;

	if (!code && kind >= MPIDBG_STATUS)
		return MPIDBG_ERR_NOT_SUPPORTED;
	if (!code)
		code = mpidbg_query_known(process, kind, &p);
	if (code)
		return code;
	return mpidbg_query_end(p, handles(p->track, (enum mdl_handle_kind)kind, freed, ret, n_ret, n_missing),
				"handles");
}

/* ---- type maps ----------------------------------------------------------------------------------------- */

_Static_assert(sizeof(struct mpidbg_type_map_entry_t) == sizeof(struct mdl_typemap_entry) &&
		       offsetof(struct mpidbg_type_map_entry_t, bytes) == offsetof(struct mdl_typemap_entry, bytes) &&
		       offsetof(struct mpidbg_type_map_entry_t, datatype) == offsetof(struct mdl_typemap_entry, id),
	       "the reader's array is handed out as it is");

int mpidbg_get_type_map(mqs_process *process, mqs_taddr_t datatype, size_t cap, struct mpidbg_type_map_entry_t **ret,
			size_t *n_ret, uint64_t *total)
{
	struct _mqs_process_info *p;
	struct rd_track_typemap map;
	struct mdl_handle h;
	int code = ret && n_ret && total ? mpidbg_query_begin(process, true, &p) : MPIDBG_ERR_OUT_OF_RANGE;

	if (code)
		return code;
	enum acc_rc rc = rd_track_find(p->track, MDL_DATATYPE, datatype, &h);
	if (rc)
		return mpidbg_query_end(p, rc, "no datatype has this handle");
	rc = rd_track_typemap(p->track, &h, cap, &map);
	if (rc == ACC_NONE) {
		mpidbg_query_end(p, rc, "how the datatype, or a part of it, was made is not recorded");
		return MPIDBG_ERR_NOT_SUPPORTED;
	}
	if (!rc) {
		*ret = (void *)map.entries;
		*n_ret = (size_t)map.n;
		*total = map.total;
	}
	return mpidbg_query_end(p, rc, "type map");
}
