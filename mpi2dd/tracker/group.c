/* SPDX-License-Identifier: BSD-3-Clause */
#include "group.h"

#include "arena.h"
#include "members.h"
#include "session.h"

#include <string.h>

struct facts {
	int rank, size;
};

static struct facts query(MPI_Group group)
{
	struct facts f = { -1, -1 };
	int rank;

	if (m2d_pmpi.Group_size(group, &f.size) != MPI_SUCCESS)
		f.size = -1;
	if (m2d_pmpi.Group_rank(group, &rank) == MPI_SUCCESS && rank != MPI_UNDEFINED)
		f.rank = rank;
	return f;
}

static int size_of(MPI_Group group)
{
	int n = 0;

	return m2d_pmpi.Group_size(group, &n) == MPI_SUCCESS && n > 0 ? n : 0;
}

/*
 * Create a record. Under the lock. @return a record to be filled in; NULL: a predefined group, or an existing record
 * that got one more reference
 */
static struct trk_group *create(MPI_Group group, uint64_t parent)
{
	struct trk_group *r = trk_find(TRK_GROUP, TRK_BITS(group));

	if (r) {
		trk_add_reference(r);
		return NULL;
	}
	return trk_create(TRK_GROUP, TRK_BITS(group), parent);
}

static void finish_record(struct trk_group *r, MPI_Group group, struct facts f, struct trk_span members)
{
	r->rank = f.rank;
	r->size = f.size;
	r->members = members;
	TRK_SET_FORTRAN(r, Group, group);
	trk_publish(TRK_GROUP, r);
}

/* ---- of other objects --------------------------------------------------------------------------------- */

static void record_comm_group(const struct trk_comm *c, MPI_Group group, uint64_t parent, bool remote, struct facts f)
{
	struct trk_side side = remote ? trk_side_remote(c) : trk_side_local(c);
	struct trk_group *r = create(group, parent);

	if (r)
		finish_record(r, group, f,
			      side.size == f.size ? trk_span_share(side.members)
						  : trk_span_unknown(f.size > 0 ? (size_t)f.size : 0));
}

void trk_group_of_comm(MPI_Comm comm, MPI_Group group, bool remote)
{
	struct facts f = query(group);

	if (!trk_lock())
		return;
	struct trk_comm *c = trk_find(TRK_COMM, TRK_BITS(comm));
	record_comm_group(c, group, c ? c->id : 0, remote, f);
	if (c && remote) {
		c->remote_group = TRK_BITS(group);
		c->remote_group_id = trk_id_of(TRK_GROUP, TRK_BITS(group));
	} else if (c) {
		c->group = TRK_BITS(group);
		c->group_id = trk_id_of(TRK_GROUP, TRK_BITS(group));
	}
	trk_unlock();
}

void trk_group_of_object(enum trk_kind kind, uint64_t object, MPI_Group group)
{
	struct facts f = query(group);

	if (!trk_lock())
		return;
	struct trk_object *o = trk_find(kind, object);
	const struct trk_comm *c = NULL;
	if (o && kind == TRK_WIN)
		c = trk_pinned(TRK_COMM, ((struct trk_win *)(void *)o)->comm_pin);
	else if (o && kind == TRK_FILE)
		c = trk_pinned(TRK_COMM, ((struct trk_file *)(void *)o)->comm_pin);
	record_comm_group(c, group, o ? o->id : 0, false, f);
	trk_unlock();
}

#if M2D_MPI4
void trk_group_of_session(MPI_Session session, const char *pset, MPI_Group group)
{
	struct facts f = query(group);
	int *ranks = NULL;
	MPI_Group all;

	if (f.size > 0 && trk_session_world(session, &all)) {
		ranks = trk_translate(group, f.size, all, size_of(all));
		m2d_pmpi.Group_free(&all);
	}
	if (trk_lock()) {
		struct trk_group *r = create(group, trk_id_of(TRK_SESSION, TRK_BITS(session)));
		if (r) {
			trk_set_name(r, pset);
			finish_record(r, group, f, trk_members_of(ranks, f.size, trk_side_world()));
		}
		trk_unlock();
	}
	trk_scratch_free(ranks);
}
#endif

/* ---- of other groups ---------------------------------------------------------------------------------- */

/* @p ranks: f.size ranks in @p from; NULL: not known. */
static void record_subset(MPI_Group from, MPI_Group second, MPI_Group group, const int *ranks)
{
	struct facts f = query(group);

	if (!trk_lock())
		return;
	const struct trk_group *p = trk_find(TRK_GROUP, TRK_BITS(from));
	struct trk_side base = trk_side_group(p);
	struct trk_group *r = create(group, p ? p->id : 0);
	if (r) {
		r->second_parent = second == from ? 0 : trk_id_of(TRK_GROUP, TRK_BITS(second));
		finish_record(r, group, f, trk_members_of(ranks, f.size, base));
	}
	trk_unlock();
}

void trk_group_incl(MPI_Group from, int n, const int ranks[], MPI_Group group)
{
	(void)n;
	record_subset(from, from, group, ranks);
}

/* The members of the new group are the ranks 0 .. size - 1 that are not marked. */
static void record_unmarked(MPI_Group from, int size, const char *marks, MPI_Group group)
{
	int *ranks = marks ? trk_scratch((size_t)size + 1, sizeof(int)) : NULL;

	for (int i = 0, n = 0; ranks && i < size; i++)
		if (!marks[i])
			ranks[n++] = i;
	record_subset(from, from, group, ranks);
	trk_scratch_free(ranks);
}

void trk_group_excl(MPI_Group from, int n, const int ranks[], MPI_Group group)
{
	int size = size_of(from);
	char *marks = trk_scratch((size_t)size + 1, 1);

	for (int i = 0; marks && i < n; i++)
		if (ranks[i] >= 0 && ranks[i] < size)
			marks[ranks[i]] = 1;
	record_unmarked(from, size, marks, group);
	trk_scratch_free(marks);
}

void trk_group_range(MPI_Group from, int n, int ranges[][3], MPI_Group group, bool excl)
{
	int size = size_of(from), at = 0;
	char *marks = trk_scratch((size_t)size + 1, 1);
	int *ranks = trk_scratch((size_t)size + 1, sizeof(int));

	for (int i = 0; marks && ranks && i < n; i++) {
		int64_t first = ranges[i][0], last = ranges[i][1], step = ranges[i][2];
		for (int64_t rank = first; step > 0 ? rank <= last : step < 0 && rank >= last; rank += step) {
			if (rank < 0 || rank >= size || at >= size)
				break;
			marks[rank] = 1;
			ranks[at++] = (int)rank;
		}
	}
	if (excl)
		record_unmarked(from, size, marks, group);
	else
		record_subset(from, from, group, marks ? ranks : NULL);
	trk_scratch_free(ranks);
	trk_scratch_free(marks);
}

void trk_group_part(MPI_Group a, MPI_Group b, MPI_Group group)
{
	int *ranks = trk_translate(group, size_of(group), a, size_of(a));

	record_subset(a, b, group, ranks);
	trk_scratch_free(ranks);
}

void trk_group_union(MPI_Group a, MPI_Group b, MPI_Group group)
{
	struct facts f = query(group);
	int n_a = size_of(a), *ranks = trk_translate(group, f.size, b, size_of(b));

	if (trk_lock()) {
		const struct trk_group *pa = trk_find(TRK_GROUP, TRK_BITS(a)), *pb = trk_find(TRK_GROUP, TRK_BITS(b));
		struct trk_side side_a = trk_side_group(pa), side_b = trk_side_group(pb);
		struct trk_group *r = create(group, pa ? pa->id : 0);
		if (r) {
			int n_rest = f.size - n_a;
			r->second_parent = pb ? pb->id : 0;
			struct trk_side rest = { trk_members_of(ranks ? ranks + n_a : NULL, n_rest, side_b), n_rest };
			finish_record(r, group, f,
				      n_rest == 0 ? trk_members_first(f.size, side_a) : trk_members_both(side_a, rest));
			trk_span_drop(rest.members);
		}
		trk_unlock();
	}
	trk_scratch_free(ranks);
}
