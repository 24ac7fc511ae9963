/* SPDX-License-Identifier: BSD-3-Clause */
/* The members of a recorded communicator. */
#include "operations.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

static void to_member(const struct mdl_handle_member *m, struct mdl_member *ret)
{
	*ret = (struct mdl_member){ .known = m->known };
	if (!m->known)
		return;
	ret->own_world = m->world == 0;
	ret->job = (uint32_t)m->world;
	ret->job_is_local = m->world != 0;
	ret->world_rank = m->rank;
}

enum acc_rc rd_track_comm_members(void *state, const struct mdl_comm *comm, bool remote, uint64_t first, uint64_t n,
				  struct mdl_member *ret)
{
	struct rd_track_state *s = state;
	struct mdl_handle_member m;
	struct mdl_handle h;
	uint64_t size = (uint64_t)(remote ? comm->remote_size : comm->size);
	enum acc_rc rc = rd_track_find(s->t, MDL_COMM, comm->handle, &h);

	if (rc)
		return rc;
	if (first > size || n > size - first)
		return ACC_EINVAL;
	const struct mdl_list *list = remote ? &h.comm.remote_members : &h.comm.members;
	bool identity = remote ? h.comm.remote_members_identity : h.comm.members_identity;
	for (uint64_t i = 0; i < n; i++) {
		if (identity) {
			ret[i] = (struct mdl_member){ .known = true,
						      .own_world = true,
						      .world_rank = (int64_t)(first + i) };
		} else if (list->known && first + i < list->n) {
			rc = rd_track_members(s->t, list, first + i, 1, &m);
			if (rc)
				return rc;
			to_member(&m, &ret[i]);
		} else {
			ret[i] = (struct mdl_member){ .known = false };
		}
	}
	return ACC_OK;
}
