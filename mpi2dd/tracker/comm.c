/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of communicators. The MPI library is queried first; then the record is written under the lock. */
#include "comm.h"

#include "arena.h"
#include "attribute.h"
#include "collectives.h"
#include "info.h"
#include "members.h"
#include "requests.h"
#include "topology.h"

struct facts {
	int rank, size, remote_size; /* remote_size -1: an intracommunicator */
	int *local, *remote;         /* ranks in the base; NULL: not queried, or not known */
	uint64_t errhandler;
	struct trk_topology_facts topology;
};

/* The relevant facts about the parent, copied under the lock. The ranks in struct facts refer to its groups. */
struct base {
	int size, remote_size; /* -1: not recorded */
	uint64_t id;
};

static struct base base_of(MPI_Comm parent)
{
	struct base ret = { -1, -1, 0 };

	if (parent == m2d_constants.comm_null || !trk_lock())
		return ret;
	const struct trk_comm *r = trk_find(TRK_COMM, TRK_BITS(parent));
	if (r)
		ret = (struct base){ r->size, r->remote_size, r->id };
	trk_unlock();
	return ret;
}

static uint64_t query_errhandler(MPI_Comm comm)
{
	MPI_Errhandler e;

	if (!m2d_pmpi.Comm_get_errhandler || m2d_pmpi.Comm_get_errhandler(comm, &e) != MPI_SUCCESS)
		return 0;
	uint64_t ret = TRK_BITS(e);
	m2d_pmpi.Errhandler_free(&e);
	return ret;
}

static bool query(MPI_Comm comm, struct facts *f)
{
	int inter = 0;

	*f = (struct facts){ .rank = -1, .size = -1, .remote_size = -1 };
	if (m2d_pmpi.Comm_rank(comm, &f->rank) != MPI_SUCCESS || m2d_pmpi.Comm_size(comm, &f->size) != MPI_SUCCESS ||
	    m2d_pmpi.Comm_test_inter(comm, &inter) != MPI_SUCCESS)
		return false;
	if (inter)
		m2d_pmpi.Comm_remote_size(comm, &f->remote_size);
	else
		trk_topology_query(comm, &f->topology);
	f->errhandler = query_errhandler(comm);
	return true;
}

/* Query the members as ranks in the parent, or in the world if the parent is not recorded. */
static void query_members(MPI_Comm comm, MPI_Comm parent, const struct base *base, enum trk_comm_how how,
			  struct facts *f)
{
	bool any = base->size < 0;
	MPI_Comm from = any ? m2d_constants.comm_world : parent;
	int world_size = trk_has_world() ? MPI2DD_registry.world_size : 0;
	int from_size = any ? world_size : base->size;

	if (any || how == TRK_COMM_PART)
		f->local = trk_translate_comm(comm, false, f->size, from, false, from_size);
	if (f->remote_size < 0)
		return;
	if (!any && base->remote_size >= 0 && how != TRK_COMM_INTER)
		f->remote = trk_translate_comm(comm, true, f->remote_size, parent, true, base->remote_size);
	else if (how == TRK_COMM_INTER || any)
		f->remote = trk_translate_comm(comm, true, f->remote_size, m2d_constants.comm_world, false, world_size);
}

static void forget_members(struct facts *f)
{
	trk_scratch_free(f->local);
	trk_scratch_free(f->remote);
	f->local = f->remote = NULL;
}

static void write_local(struct trk_comm *r, const struct trk_comm *parent, enum trk_comm_how how,
			const struct trk_side *group, const struct facts *f)
{
	struct trk_side base = parent ? trk_side_local(parent) : trk_side_world();

	if (group && group->size == f->size)
		r->members = trk_span_share(group->members);
	else if (f->local)
		r->members = trk_members_of(f->local, f->size, base);
	else if (!parent || how == TRK_COMM_PART || how == TRK_COMM_GROUP)
		r->members = trk_span_unknown((size_t)f->size);
	else if (how == TRK_COMM_MERGED && parent->rank == f->rank)
		r->members = trk_members_both(base, trk_side_remote(parent));
	else if (how == TRK_COMM_MERGED)
		r->members = trk_members_both(trk_side_remote(parent), base);
	else
		r->members = trk_members_first(f->size, base);
}

static void write_remote(struct trk_comm *r, const struct trk_comm *parent, enum trk_comm_how how,
			 const struct facts *f)
{
	bool has = parent && parent->remote_size >= 0 && how != TRK_COMM_INTER;

	if (f->remote_size < 0)
		return;
	if (how == TRK_COMM_SPAWNED)
		r->remote_members = trk_members_new_world(f->remote_size);
	else if (how == TRK_COMM_SAME && has && parent->remote_size == f->remote_size)
		r->remote_members = trk_span_share(parent->remote_members);
	else
		r->remote_members = trk_members_of(f->remote, f->remote_size,
						   has ? trk_side_remote(parent) : trk_side_world());
}

static void write_facts(struct trk_comm *r, struct facts *f)
{
	r->rank = f->rank;
	r->size = f->size;
	r->remote_size = f->remote_size;
	r->errhandler = f->errhandler;
	trk_topology_write(&f->topology, r);
	trk_span_new(&r->collectives, 2 * (size_t)TRK_COLL_COUNTERS, sizeof(uint64_t), 0);
}

/* What MPI_Comm_split was given. */
struct split {
	int color, key;
};

/* @param split NULL: it was another function */
static void record_comm(MPI_Comm parent, MPI_Comm comm, enum trk_comm_how how, uint64_t group, MPI_Info info,
			uint32_t call, const struct split *split)
{
	struct facts f;
	struct trk_info_facts hints;

	if (comm == m2d_constants.comm_null || !query(comm, &f))
		return;
	trk_info_query(info, &hints);
	struct base base = base_of(parent);
	query_members(comm, parent, &base, how, &f);
	if (trk_lock()) {
		struct trk_comm *p = parent == m2d_constants.comm_null ? NULL : trk_find(TRK_COMM, TRK_BITS(parent));
		if (p && p->id != base.id)
			p = NULL;
		/* ranks in a parent that was freed meanwhile, and whose handle value another one may have */
		if (!p && base.id)
			forget_members(&f);
		struct trk_group *g = group ? trk_find(TRK_GROUP, group) : NULL;
		struct trk_side members = trk_side_group(g);
		struct trk_comm *r = trk_create(TRK_COMM, TRK_BITS(comm), p ? p->id : 0);
		if (r) {
			if (call != TRK_NO_CALL)
				r->call = call;
			r->info = TRK_BITS(info);
			if (info == m2d_constants.info_null)
				r->info = 0;
			r->info_id = trk_id_of(TRK_INFO, r->info);
			r->hints = trk_info_pairs(&hints);
			r->from_group_id = g ? g->id : 0;
			if (split) {
				r->is_split = 1;
				r->color = split->color;
				r->key = split->key;
			}
			write_local(r, p, how, g ? &members : NULL, &f);
			write_remote(r, p, how, &f);
			write_facts(r, &f);
			TRK_SET_FORTRAN(r, Comm, comm);
			trk_publish(TRK_COMM, r);
		}
		trk_unlock();
	}
	trk_topology_write(&f.topology, NULL);
	forget_members(&f);
	trk_info_release(&hints);
	if (how == TRK_COMM_SAME)
		trk_attributes_copied(TRK_COMM, TRK_BITS(parent), TRK_BITS(comm));
}

void trk_comm_made(MPI_Comm parent, MPI_Comm comm, enum trk_comm_how how, uint64_t group, MPI_Info info)
{
	record_comm(parent, comm, how, group, info, TRK_NO_CALL, NULL);
	if (comm != m2d_constants.comm_null)
		trk_note_created(TRK_BITS(comm), parent == m2d_constants.comm_null ? 0 : TRK_BITS(parent));
}

void trk_comm_split(MPI_Comm parent, MPI_Comm comm, int color, int key)
{
	record_comm(parent, comm, TRK_COMM_PART, 0, m2d_constants.info_null, TRK_NO_CALL,
		    &(struct split){ color, key });
	if (comm != m2d_constants.comm_null)
		trk_note_created(TRK_BITS(comm), TRK_BITS(parent));
}

void trk_comm_idup_done(const struct trk_request *request)
{
	const MPI_Comm *comm = (const MPI_Comm *)(uintptr_t)request->buffer;
	const struct trk_comm *parent = trk_find_unlocked(TRK_COMM, request->comm);

	if (!comm)
		return;
	/* the parent's handle value was freed or reused meanwhile: its facts are unknown */
	record_comm(parent ? TRK_HANDLE(MPI_Comm, request->comm) : m2d_constants.comm_null, *comm, TRK_COMM_SAME, 0,
		    m2d_constants.info_null, request->call, NULL);
}

struct trk_comm *trk_comm_of(uint64_t handle)
{
	return trk_find_unlocked(TRK_COMM, handle);
}

/* ---- predefined --------------------------------------------------------------------------------------- */

/* Fill in the record of a predefined communicator. */
static void fill_predefined(MPI_Comm comm, bool self)
{
	struct facts f;

	if (!query(comm, &f))
		return;
	if (trk_lock()) {
		struct trk_comm *r = trk_find(TRK_COMM, TRK_BITS(comm));
		if (r) {
			int32_t world_rank = MPI2DD_registry.world_rank;
			trk_change(r);
			if (self)
				r->members = trk_members_of(&world_rank, 1, trk_side_world());
			write_facts(r, &f);
			TRK_SET_FORTRAN(r, Comm, comm);
			trk_changed(r);
		}
		trk_unlock();
	}
	trk_topology_write(&f.topology, NULL);
}

/* The parent's processes belong to another world: of its remote group only the size is known. */
void trk_comm_returned(MPI_Comm parent)
{
	if (parent == m2d_constants.comm_null || trk_id(TRK_COMM, TRK_BITS(parent)))
		return;
	record_comm(m2d_constants.comm_world, parent, TRK_COMM_INTER, 0, m2d_constants.info_null, TRK_NO_CALL, NULL);
	if (!trk_lock())
		return;
	struct trk_comm *r = trk_find(TRK_COMM, TRK_BITS(parent));
	if (r) {
		trk_change(r);
		trk_set_name(r, "MPI_COMM_PARENT");
		TRK_PUT(r->predefined, 1);
		r->call = TRK_NO_CALL;
		r->parent = 0;
		trk_changed(r);
	}
	trk_unlock();
}

void trk_comm_predefined(void)
{
	MPI_Comm parent = m2d_constants.comm_null;

	fill_predefined(m2d_constants.comm_world, false);
	fill_predefined(m2d_constants.comm_self, true);
	if (m2d_pmpi.Comm_get_parent(&parent) == MPI_SUCCESS)
		trk_comm_returned(parent);
}

void trk_comm_info(MPI_Comm comm, MPI_Info info)
{
	struct trk_info_facts hints;

	trk_info_query(info, &hints);
	if (trk_lock()) {
		struct trk_comm *r = trk_find(TRK_COMM, TRK_BITS(comm));
		if (r) {
			trk_change(r);
			r->info = info == m2d_constants.info_null ? 0 : TRK_BITS(info);
			r->info_id = trk_id_of(TRK_INFO, r->info);
			trk_info_add_hints(&r->hints, &hints);
			trk_changed(r);
		}
		trk_unlock();
	}
	trk_info_release(&hints);
}
