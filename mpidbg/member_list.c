/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The registry numbers other worlds in the order in which the process meets them; Open MPI's memory has numbers that
 * are the same in all processes. A communicator found in both gives the mapping.
 */
#include "member_list.h"

#pragma GCC poison assert abort exit printf fprintf malloc free

/* Limit of members to examine in each communicator. */
enum { BLOCK = 256, LOOK_MAX = 4096 };

/* ---- the MPI library's own memory ----------------------------------------------------------------------- */

/* Open that memory. Failures there are not failures of the registry. */
static bool open_native(struct _mqs_process_info *p)
{
	struct acc_note note = p->space.note, message = p->note;

	/* the objects come from the same memory, which was just read and must not be discarded during a walk */
	if (rd_track_has_no_registry(p->track))
		return true;
	/* in the middle of an iteration over queues, what was read is kept */
	bool ok = ((p->reader && p->comm_current) || !mqs_state_update(p)) && !rd_library(p->reader)->origin;

	p->space.note = note;
	p->note = message;
	return ok;
}

static void find_native(struct mpidbg_member_list *s, const struct mdl_handle *h)
{
	struct rd_comm_iter it;

	if (h->kind != MDL_COMM || h->life != MDL_LIVE || h->unsettled || !open_native(s->p))
		return;
	struct acc_note note = s->p->space.note;
	enum acc_rc rc = rd_comm_first(s->p->reader, true, &it);
	while (!rc && !s->native && !(rc = rd_comm_next(&it, &s->comm)))
		s->native = s->comm.handle == h->handle;
	int64_t size = s->remote ? s->comm.remote_size : s->comm.size;
	struct mdl_num recorded = s->remote ? h->comm.remote_size : h->comm.size;
	s->native = s->native && recorded.known == MDL_KNOWN && recorded.value == size;
	s->p->space.note = note;
}

/* Map the registry's numbers to those of the MPI, using one list of one communicator. */
static void learn_list(struct mpidbg_member_list *s, const struct mdl_comm *comm, bool remote,
		       const struct mdl_list *list)
{
	struct mdl_handle_member ours[BLOCK];
	struct mdl_member theirs[BLOCK];
	uint64_t size = (uint64_t)(remote ? comm->remote_size : comm->size);
	uint64_t n_all = list->known && list->n == size ? size : 0;

	n_all = n_all < LOOK_MAX ? n_all : LOOK_MAX;
	for (uint64_t first = 0, n; first < n_all; first += n) {
		n = n_all - first < BLOCK ? n_all - first : BLOCK;
		if (rd_track_members(s->p->track, list, first, n, ours) ||
		    rd_comm_members(s->p->reader, comm, remote, first, n, theirs))
			return;
		for (uint64_t i = 0; i < n; i++) {
			uint64_t world = ours[i].world;
			if (!ours[i].known || !world || world > MPIDBG_WORLDS_MAX || !theirs[i].known ||
			    theirs[i].own_world || theirs[i].job_is_local || theirs[i].world_rank != ours[i].rank)
				continue;
			s->worlds[world].known = true;
			s->worlds[world].job = theirs[i].job;
		}
	}
}

static void learn(struct mpidbg_member_list *s)
{
	struct mdl_handle made;
	struct mdl_comm comm;
	struct rd_comm_iter it;

	if (s->searched)
		return;
	s->searched = true;
	if (!open_native(s->p))
		return;
	struct acc_note note = s->p->space.note;
	if (!rd_comm_first(s->p->reader, false, &it))
		while (!rd_comm_next(&it, &comm)) {
			if (rd_track_merge_comm(s->p->track, &comm, &made))
				continue;
			learn_list(s, &comm, false, &made.comm.members);
			if (comm.inter)
				learn_list(s, &comm, true, &made.comm.remote_members);
		}
	s->p->space.note = note;
}

/* ---- each member ------------------------------------------------------------------------------------------ */

static struct mdl_member native_member(struct mpidbg_member_list *s, uint64_t i)
{
	struct acc_note note = s->p->space.note;
	struct mdl_member m = { .known = false };

	if (s->native && rd_comm_members(s->p->reader, &s->comm, s->remote, i, 1, &m))
		m.known = false;
	s->p->space.note = note;
	return m;
}

static struct mdl_member recorded_member(struct mpidbg_member_list *s, const struct mdl_handle_member *recorded,
					 uint64_t i)
{
	struct mdl_member m = { .known = recorded->known,
				.own_world = !recorded->world,
				.job = (uint32_t)recorded->world,
				.job_is_local = true,
				.world_rank = recorded->rank };

	if (m.known && m.own_world)
		return m;
	if (!m.known)
		return native_member(s, i);
	learn(s);
	if (recorded->world <= MPIDBG_WORLDS_MAX && s->worlds[recorded->world].known) {
		m.job = s->worlds[recorded->world].job;
		m.job_is_local = false;
	}
	return m;
}

enum acc_rc mpidbg_member_block(struct mpidbg_member_list *list, uint64_t first, uint64_t n, struct mdl_member *ret)
{
	struct mdl_handle_member block[BLOCK];

	for (uint64_t i = 0, k; i < n; i += k) {
		k = n - i < BLOCK ? n - i : BLOCK;
		if (!list->identity && list->list && list->list->n) {
			enum acc_rc rc = rd_track_members(list->p->track, list->list, first + i, k, block);

			if (rc)
				return rc;
		}
		for (uint64_t j = 0; j < k; j++) {
			uint64_t at = first + i + j;

			if (list->identity)
				ret[i + j] = (struct mdl_member){ .known = true,
								  .own_world = true,
								  .world_rank = (int64_t)at };
			else if (list->list && list->list->n)
				ret[i + j] = recorded_member(list, &block[j], at);
			else
				ret[i + j] = native_member(list, at);
		}
	}
	return ACC_OK;
}

/* ---- lists -------------------------------------------------------------------------------------------------- */

void mpidbg_members_of_native(struct _mqs_process_info *p, const struct mdl_comm *comm, bool remote,
			      struct mpidbg_member_list *ret)
{
	*ret = (struct mpidbg_member_list){
		.p = p,
		.known = true,
		.n = (uint64_t)(remote ? comm->remote_size : comm->size),
		.remote = remote,
		.comm = *comm,
		.native = true,
	};
}

void mpidbg_members_of(struct _mqs_process_info *p, const struct mdl_handle *h, bool remote,
		       struct mpidbg_member_list *ret)
{
	const struct mdl_handle_comm *c = &h->comm;
	bool comm = h->kind == MDL_COMM;
	struct mdl_num size = !comm ? h->group.size : remote ? c->remote_size : c->size;
	bool identity = !comm ? h->group.members_identity : remote ? c->remote_members_identity : c->members_identity;

	*ret = (struct mpidbg_member_list){ .p = p,
					    .remote = remote,
					    .list = !comm    ? &h->group.members
						    : remote ? &c->remote_members
							     : &c->members };
	if (identity && size.known == MDL_KNOWN) {
		ret->known = ret->identity = true;
		ret->n = (uint64_t)size.value;
	} else if (ret->list->known && ret->list->total) {
		find_native(ret, h);
		ret->known = true;
		ret->n = ret->list->n;
		/* members missing in the list: read them from the MPI library */
		uint64_t native = ret->native ? (uint64_t)(remote ? ret->comm.remote_size : ret->comm.size) : 0;
		if (!ret->n && ret->list->total == native)
			ret->n = native;
		ret->n_unlisted = ret->list->total - ret->n;
	}
}
