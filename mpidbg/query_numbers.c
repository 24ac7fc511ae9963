/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects by their numbers, and what they refer to. */
#include "query_members.h"

#include "handle_value.h"
#include "object_refs.h"

#include "../mqs/callbacks.h"

#include <string.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* @return true: *number is that of the communicator */
static bool is_group_of_comm(int64_t *number, bool *remote)
{
	if (*number < 0 || !(*number >> MPIDBG_OF_COMM_BIT & 1))
		return false;
	*remote = *number >> MPIDBG_REMOTE_BIT & 1;
	*number &= (INT64_C(1) << MPIDBG_REMOTE_BIT) - 1;
	return true;
}

static enum acc_rc find_numbered(struct _mqs_process_info *p, enum mdl_handle_kind kind, int64_t number,
				 struct mdl_handle *ret)
{
	if (number <= 0)
		return ACC_NONE;
	if (kind == MDL_REQUEST && !rd_track_has_no_registry(p->track))
		return rd_track_find_addr(p->track, kind, (uint64_t)number, ret);
	return rd_track_find_id(p->track, kind, (uint64_t)number, ret);
}

/* ---- lists ------------------------------------------------------------------------------------------------- */

static enum acc_rc numbers(struct rd_track *t, enum mdl_handle_kind kind, bool freed, int64_t **ret, size_t *n_ret,
			   uint64_t *n_missing)
{
	unsigned lives = freed ? RD_TRACK_ALL : RD_TRACK_LIVE;
	struct rd_track_iter it;
	struct mdl_handle h;
	uint64_t n = 0, i = 0;
	enum acc_rc rc = rd_track_first(t, kind, lives, &it);

	while (!rc && !(rc = rd_track_next(&it, &h)))
		n += mpidbg_number_of(&h) != 0;
	if (rc != ACC_NONE || rd_track_first(t, kind, lives, &it))
		return rc;
	rc = ACC_OK;
	int64_t *v = mpidbg_query_array(&rc, n ? n : 1, sizeof(*v));
	while (v && i < n && !rd_track_next(&it, &h))
		if (mpidbg_number_of(&h))
			v[i++] = mpidbg_number_of(&h);
	if (rc)
		return rc;
	*ret = v;
	*n_ret = (size_t)i;
	if (n_missing)
		*n_missing = rd_track_count(t, kind).n_dropped + it.n_bad;
	return ACC_OK;
}

int mpidbg_get_numbers(mqs_process *process, int kind, int freed, int64_t **ret, size_t *n_ret, uint64_t *n_missing)
{
	struct _mqs_process_info *p;
	int code = ret && n_ret ? mpidbg_query_known(process, kind, &p) : MPIDBG_ERR_OUT_OF_RANGE;

	if (code)
		return code;
	return mpidbg_query_end(p, numbers(p->track, (enum mdl_handle_kind)kind, freed, ret, n_ret, n_missing),
				"objects");
}

int mpidbg_find(mqs_process *process, int kind, const char *text, int64_t *ret)
{
	struct _mqs_process_info *p;
	struct mdl_handle h;
	int code = text && ret ? mpidbg_query_known(process, kind, &p) : MPIDBG_ERR_OUT_OF_RANGE;

	if (code)
		return code;
	enum acc_rc rc = mpidbg_find_value(p, (enum mdl_handle_kind)kind, text, &h);
	if (!rc && !mpidbg_number_of(&h))
		rc = mqs_state_fail(p, ACC_NONE, "this predefined object has no number: query it by its handle");
	if (!rc)
		*ret = mpidbg_number_of(&h);
	return mpidbg_query_end(p, rc, "no object is named so");
}

/* ---- one object -------------------------------------------------------------------------------------------- */

static enum acc_rc group_of(struct _mqs_process_info *p, int64_t comm, bool remote, void **ret)
{
	struct mpidbg_fill f = { .p = p, .t = p->track };
	struct mpidbg_group_info_t *info;
	struct mpidbg_member_list list;
	struct mdl_handle h;
	enum acc_rc rc = find_numbered(p, MDL_COMM, comm, &h);

	if (rc)
		return rc;
	if (remote && h.comm.remote_size.known == MDL_NOT_APPLICABLE)
		return ACC_NONE;
	info = mpidbg_query_array(&f.rc, 1, sizeof(*info));
	if (!info)
		return f.rc;
	info->group_object.number = mpidbg_group_of_comm(comm, remote);
	info->group_rank = remote ? -1 : mpidbg_fill_int(&f, MPIDBG_GROUP_UNKNOWN_RANK, h.comm.rank, -1);
	mpidbg_members_of(p, &h, remote, &list);
	f.unknown |= list.known ? 0 : MPIDBG_GROUP_UNKNOWN_PROCS;
	mpidbg_fill_members(&f, MPIDBG_GROUP_UNKNOWN_PROCS, &list, &info->group_num_procs, &info->group_procs,
			    &info->group_members);
	info->group_comms = mpidbg_query_array(&f.rc, 1, sizeof(*info->group_comms));
	if (info->group_comms) {
		info->group_comms[0] = h.handle;
		info->group_num_comms = 1;
	}
	info->group_unknown = f.unknown;
	if (f.rc)
		mpidbg_free_info(MPIDBG_GROUP, info);
	else
		*ret = info;
	return f.rc;
}

int mpidbg_query(mqs_process *process, int kind, int64_t number, void **info)
{
	struct _mqs_process_info *p;
	bool remote = false, of_comm = kind == MPIDBG_GROUP && is_group_of_comm(&number, &remote);
	struct mdl_handle h;
	int code = info ? mpidbg_query_known(process, of_comm ? MPIDBG_COMM : kind, &p) : MPIDBG_ERR_OUT_OF_RANGE;
	enum acc_rc rc;

	if (code)
		return code;
	if (of_comm) {
		rc = group_of(p, number, remote, info);
	} else {
		rc = find_numbered(p, (enum mdl_handle_kind)kind, number, &h);
		if (!rc)
			rc = mpidbg_query_object(p, &h, info);
	}
	return mpidbg_query_end(p, rc, "no object of this kind has this number");
}

/* ---- references -------------------------------------------------------------------------------------------- */

struct refs {
	struct mpidbg_reference_t *v;
	size_t n, cap;
};

static void add_converted(enum acc_rc *rc, struct refs *r, struct mpidbg_reference_t one)
{
	if (r->n == r->cap && !*rc) {
		size_t cap = r->cap ? 2 * r->cap : 16;
		struct mpidbg_reference_t *more = mpidbg_query_array(rc, cap, sizeof(*more));

		if (!more)
			return;
		if (r->n)
			memcpy(more, r->v, r->n * sizeof(*more));
		mqs_callbacks_release(r->v);
		r->v = more;
		r->cap = cap;
	}
	if (!*rc)
		r->v[r->n++] = one;
}

static void add_used(struct _mqs_process_info *p, enum acc_rc *rc, const struct mdl_handle *h, struct refs *ret)
{
	struct mpidbg_ref refs[MPIDBG_REFS_MAX];
	size_t n = mpidbg_refs_of(h, refs);

	for (size_t i = 0; i < n; i++) {
		const struct mpidbg_ref *r = &refs[i];
		struct mdl_handle to;
		enum acc_rc found = r->id.known == MDL_KNOWN
					    ? rd_track_find_id(p->track, r->kind, (uint64_t)r->id.value, &to)
				    : r->handle.known == MDL_KNOWN
					    ? rd_track_find(p->track, r->kind, (uint64_t)r->handle.value, &to)
					    : ACC_NONE;
		if (!found)
			add_converted(rc, ret,
				      (struct mpidbg_reference_t){ r->role, 0, (int)r->kind, mpidbg_number_of(&to),
								   to.handle });
	}
}

static void add_users(struct _mqs_process_info *p, enum acc_rc *rc, const struct mdl_handle *h, struct refs *ret)
{
	for (int k = 0; k < MDL_N_HANDLE_KINDS; k++) {
		struct mpidbg_ref refs[MPIDBG_REFS_MAX];
		struct rd_track_iter it;
		struct mdl_handle user;

		if (rd_track_first(p->track, (enum mdl_handle_kind)k, RD_TRACK_LIVE, &it))
			continue;
		while (!*rc && !rd_track_next(&it, &user)) {
			size_t n = mpidbg_refs_of(&user, refs);

			for (size_t i = 0; i < n; i++)
				if (mpidbg_ref_is(&refs[i], h))
					add_converted(rc, ret,
						      (struct mpidbg_reference_t){ refs[i].role, 1, k,
										   mpidbg_number_of(&user),
										   user.handle });
		}
	}
}

int mpidbg_get_references(mqs_process *process, int kind, int64_t number, struct mpidbg_reference_t **ret,
			  size_t *n_ret)
{
	struct _mqs_process_info *p;
	struct refs refs = { NULL, 0, 0 };
	struct mdl_handle h;
	int code = ret && n_ret ? mpidbg_query_known(process, kind, &p) : MPIDBG_ERR_OUT_OF_RANGE;

	if (code)
		return code;
	enum acc_rc rc = find_numbered(p, (enum mdl_handle_kind)kind, number, &h);
	if (!rc) {
		add_used(p, &rc, &h, &refs);
		add_users(p, &rc, &h, &refs);
	}
	if (rc) {
		mqs_callbacks_release(refs.v);
	} else {
		*ret = refs.v;
		*n_ret = refs.n;
	}
	return mpidbg_query_end(p, rc, "no object of this kind has this number");
}

/* ---- operations of the queues -------------------------------------------------------------------------------- */

int mpidbg_operation_objects(mqs_process *process, mqs_taddr_t *comm, mqs_taddr_t *request)
{
	struct _mqs_process_info *p = mqs_state_process(process);

	if (!p || !comm || !request)
		return MPIDBG_ERR_OUT_OF_RANGE;
	mqs_state_begin(p);
	if (!p->op_given) {
		mqs_state_fail(p, ACC_NONE, "mqs_next_operation() has returned none");
		return MPIDBG_ERR_NOT_FOUND;
	}
	*comm = p->comm.handle;
	*request = (mqs_taddr_t)mpidbg_known(p->op_request, 0);
	return MPIDBG_SUCCESS;
}
