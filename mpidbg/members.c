/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Members of communicators and groups. The registry numbers other worlds in the order in which the process meets
 * them; Open MPI's memory has numbers that are the same in all processes. A communicator found in both gives the
 * mapping.
 */
#include "members.h"

#include "../readers/tracked/merge.h"
#include "../render/fact.h"
#include "../render/json.h"
#include "../render/text.h"

#include <inttypes.h>
#include <stdio.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

/* Limits of worlds to map, and of members to examine in each communicator. */
enum { BLOCK = 256, WORLDS_MAX = 64, LOOK_MAX = 4096 };

/* The numbers of the worlds, which the registry counts from 1. */
struct worlds {
	bool known[WORLDS_MAX + 1];
	uint32_t job[WORLDS_MAX + 1];
};

/* A list, and the same communicator in the MPI library's memory. */
struct source {
	struct mpidbg_description *d;
	const char *key;
	const struct mdl_list *list;
	bool remote;
	struct mdl_comm comm;
	bool native;   /* comm is known */
	uint64_t size; /* of its group */
	struct worlds worlds;
	bool searched; /* searched for worlds already */
};

/* ---- the MPI library's own memory ----------------------------------------------------------------------- */

/* Open that memory. Failures there are not failures of the registry. */
static bool open_native(struct mpidbg_description *d)
{
	struct acc_note note = d->p->space.note, message = d->p->note;

	/* the objects come from the same memory, which was just read and must not be discarded during a walk */
	if (rd_track_has_no_registry(d->p->track))
		return true;
	bool ok = !mqs_state_update(d->p) && !rd_library(d->p->reader)->origin;

	d->p->space.note = note;
	d->p->note = message;
	return ok;
}

static void find_native(struct source *s, const struct mdl_handle *h)
{
	struct rd_comm_iter it;

	s->comm = (struct mdl_comm){ .size = 0 };
	if (h->kind != MDL_COMM || h->life != MDL_LIVE || h->unsettled || !open_native(s->d))
		return;
	struct acc_note note = s->d->p->space.note;
	enum acc_rc rc = rd_comm_first(s->d->p->reader, true, &it);
	while (!rc && !s->native && !(rc = rd_comm_next(&it, &s->comm)))
		s->native = s->comm.handle == h->handle;
	int64_t size = s->remote ? s->comm.remote_size : s->comm.size;
	struct mdl_num recorded = s->remote ? h->comm.remote_size : h->comm.size;
	s->native = s->native && recorded.known == MDL_KNOWN && recorded.value == size;
	s->size = (uint64_t)size;
	s->d->p->space.note = note;
}

/* Map the registry's numbers to those of the MPI, using one list of one communicator. */
static void learn_list(struct source *s, const struct mdl_comm *comm, bool remote, const struct mdl_list *list)
{
	struct mdl_handle_member ours[BLOCK];
	struct mdl_member theirs[BLOCK];
	uint64_t size = (uint64_t)(remote ? comm->remote_size : comm->size);
	uint64_t n_all = list->known && list->n == size ? size : 0;

	n_all = n_all < LOOK_MAX ? n_all : LOOK_MAX;
	for (uint64_t first = 0, n; first < n_all; first += n) {
		n = n_all - first < BLOCK ? n_all - first : BLOCK;
		if (rd_track_members(s->d->p->track, list, first, n, ours) ||
		    rd_comm_members(s->d->p->reader, comm, remote, first, n, theirs))
			return;
		for (uint64_t i = 0; i < n; i++) {
			uint64_t world = ours[i].world;
			if (!ours[i].known || !world || world > WORLDS_MAX || !theirs[i].known || theirs[i].own_world ||
			    theirs[i].job_is_local || theirs[i].world_rank != ours[i].rank)
				continue;
			s->worlds.known[world] = true;
			s->worlds.job[world] = theirs[i].job;
		}
	}
}

static void learn(struct source *s)
{
	struct mdl_handle made;
	struct mdl_comm comm;
	struct rd_comm_iter it;

	if (s->searched)
		return;
	s->searched = true;
	if (!open_native(s->d))
		return;
	struct acc_note note = s->d->p->space.note;
	if (!rd_comm_first(s->d->p->reader, false, &it))
		while (!rd_comm_next(&it, &comm)) {
			if (rd_track_merge_comm(s->d->p->track, &comm, &made))
				continue;
			learn_list(s, &comm, false, &made.comm.members);
			if (comm.inter)
				learn_list(s, &comm, true, &made.comm.remote_members);
		}
	s->d->p->space.note = note;
}

/* ---- each member ------------------------------------------------------------------------------------------ */

static struct mdl_member native_member(struct source *s, uint64_t i)
{
	struct acc_note note = s->d->p->space.note;
	struct mdl_member m = { .known = false };

	if (s->native && rd_comm_members(s->d->p->reader, &s->comm, s->remote, i, 1, &m))
		m.known = false;
	s->d->p->space.note = note;
	return m;
}

static struct mdl_member member_of(struct source *s, const struct mdl_handle_member *recorded, uint64_t i)
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
	if (recorded->world <= WORLDS_MAX && s->worlds.known[recorded->world]) {
		m.job = s->worlds.job[recorded->world];
		m.job_is_local = false;
	}
	return m;
}

static void show(struct source *s, struct out_fact_list *out, const struct mdl_member *m)
{
	struct out *o = &s->d->o;
	char text[64];

	if (m->known && m->own_world) {
		out_fact_item(o, out, m->world_rank);
	} else if (!o->json) {
		snprintf(text, sizeof(text), "%" PRId64 " of %sworld %" PRIu32, m->world_rank,
			 m->job_is_local ? "other " : "", m->job);
		out_fact_item_word(o, out, m->known ? text : "unknown");
	} else if (m->known) {
		out_json_object(o, NULL);
		out_json_uint(o, m->job_is_local ? "other_world" : "job", m->job);
		out_json_int(o, "rank", m->world_rank);
		out_json_object_end(o);
	} else {
		out_json_null(o, NULL);
	}
}

/* No list: rank i of the object is rank i of this process's world. */
static void all_of_world(struct source *s, uint64_t size)
{
	struct out_fact_list out;

	out_fact_list(&s->d->o, s->key, &out);
	uint64_t n_shown = out_fact_room(&s->d->o, size);
	for (uint64_t i = 0; i < n_shown && !s->d->o.failed; i++)
		out_fact_item(&s->d->o, &out, (int64_t)i);
	out_fact_left(&out, size - n_shown);
	out_fact_list_end(&s->d->o, s->key, &out, 0);
}

static void recorded(struct source *s)
{
	struct mdl_handle_member block[BLOCK];
	struct out_fact_list out;
	const struct mdl_list *list = s->list;

	out_fact_list(&s->d->o, s->key, &out);
	uint64_t n_shown = out_fact_room(&s->d->o, list->n);
	for (uint64_t i = 0, n; i < n_shown && !s->d->o.failed; i += n) {
		n = n_shown - i < BLOCK ? n_shown - i : BLOCK;

		enum acc_rc rc = rd_track_members(s->d->p->track, list, i, n, block);
		if (rc) {
			mpidbg_problem_walk(s->d, rc, 0, s->key);
			break;
		}
		for (uint64_t k = 0; k < n; k++) {
			struct mdl_member m = member_of(s, &block[k], i + k);
			show(s, &out, &m);
		}
	}
	out_fact_left(&out, list->n - n_shown);

	/* members missing in the list: read them from the MPI library */
	uint64_t n_unlisted = list->total - list->n;
	if (s->native && !list->n && list->total == s->size) {
		uint64_t n = out_fact_room(&s->d->o, list->total);
		for (uint64_t i = 0; i < n && !s->d->o.failed; i++) {
			struct mdl_member m = native_member(s, i);
			show(s, &out, &m);
		}
		n_unlisted -= n;
	}
	out_fact_list_end(&s->d->o, s->key, &out, n_unlisted);
}

void mpidbg_native_members_fact(struct mpidbg_description *d, const struct mdl_comm *comm, bool remote)
{
	struct source s = { .d = d, .key = remote ? "remote_members" : "members", .remote = remote, .native = true };
	uint64_t size = (uint64_t)(remote ? comm->remote_size : comm->size), n_unknown = 0;
	struct out_fact_list out;

	s.comm = *comm;
	out_fact_list(&d->o, s.key, &out);
	uint64_t n_shown = out_fact_room(&d->o, size);
	for (uint64_t i = 0; i < n_shown && !d->o.failed; i++) {
		struct mdl_member m = native_member(&s, i);
		n_unknown += !m.known;
		show(&s, &out, &m);
	}
	out_fact_left(&out, size - n_shown);
	out_fact_list_end(&d->o, s.key, &out, 0);
	if (n_unknown)
		mpidbg_problem(d, "%s: %" PRIu64 " of them cannot be read", s.key, n_unknown);
}

void mpidbg_members_fact(struct mpidbg_description *d, const struct mdl_handle *h, bool remote)
{
	const struct mdl_handle_comm *c = &h->comm;
	bool comm = h->kind == MDL_COMM;
	struct mdl_num size = !comm ? h->group.size : remote ? c->remote_size : c->size;
	bool identity = !comm ? h->group.members_identity : remote ? c->remote_members_identity : c->members_identity;
	struct source s = { .d = d,
			    .key = remote ? "remote_members" : "members",
			    .list = !comm    ? &h->group.members
				    : remote ? &c->remote_members
					     : &c->members,
			    .remote = remote };

	acc_space_begin(&d->p->space);
	if (identity && size.known == MDL_KNOWN) {
		all_of_world(&s, (uint64_t)size.value);
	} else if (s.list->known && s.list->total) {
		find_native(&s, h);
		recorded(&s);
	}
	acc_space_end(&d->p->space);
}
