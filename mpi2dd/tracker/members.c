/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of members. The identity list (member i is rank i of the world) is not stored. */
#include "members.h"

#include "arena.h"

/* Limit of search steps when an object is created: about ten milliseconds. */
enum { STEPS_MAX = 1 << 24 };

struct trk_side trk_side_world(void)
{
	return (struct trk_side){ .size = MPI2DD_registry.world_size };
}

struct trk_side trk_side_local(const struct trk_comm *r)
{
	return r ? (struct trk_side){ r->members, r->size } : trk_side_unknown();
}

struct trk_side trk_side_remote(const struct trk_comm *r)
{
	return r ? (struct trk_side){ r->remote_members, r->remote_size } : trk_side_unknown();
}

struct trk_side trk_side_group(const struct trk_group *r)
{
	return r ? (struct trk_side){ r->members, r->size } : trk_side_unknown();
}

/* ---- asking ------------------------------------------------------------------------------------------- */

int *trk_translate(MPI_Group group, int n, MPI_Group base, int n_base)
{
#if defined(M2D_OPENMPI_MAJOR)
	if ((int64_t)n * n_base > STEPS_MAX)
		return NULL;
#else
	(void)n_base;
#endif
	int *ranks = n > 0 ? trk_scratch(2 * (size_t)n, sizeof(int)) : NULL;
	if (!ranks || !m2d_pmpi.Group_translate_ranks)
		return NULL;
	int *own = ranks + n;
	for (int i = 0; i < n; i++)
		own[i] = i;
	if (m2d_pmpi.Group_translate_ranks(group, n, own, base, ranks) == MPI_SUCCESS)
		return ranks;
	trk_scratch_free(ranks);
	return NULL;
}

int *trk_translate_comm(MPI_Comm comm, bool remote, int n, MPI_Comm base, bool base_remote, int n_base)
{
	MPI_Group group, base_group;
	int *ret = NULL;

	if (n <= 0 || n_base <= 0 || !m2d_pmpi.Comm_group || !m2d_pmpi.Comm_remote_group)
		return NULL;
	if ((remote ? m2d_pmpi.Comm_remote_group(comm, &group) : m2d_pmpi.Comm_group(comm, &group)) != MPI_SUCCESS)
		return NULL;
	if ((base_remote ? m2d_pmpi.Comm_remote_group(base, &base_group) : m2d_pmpi.Comm_group(base, &base_group)) ==
	    MPI_SUCCESS) {
		ret = trk_translate(group, n, base_group, n_base);
		m2d_pmpi.Group_free(&base_group);
	}
	m2d_pmpi.Group_free(&group);
	return ret;
}

/* ---- lists -------------------------------------------------------------------------------------------- */

static bool is_known(struct trk_side s)
{
	return s.size >= 0 && s.members.n == s.members.total;
}

static struct trk_member member(struct trk_side s, int i)
{
	if (i < 0 || i >= s.size)
		return (struct trk_member){ .rank = -1 };
	if (s.members.total == 0)
		return (struct trk_member){ .rank = i };
	return ((const struct trk_member *)trk_span_at(s.members))[i];
}

/* Drop an identity list. */
static struct trk_span simplify(struct trk_span span)
{
	const struct trk_member *m = trk_span_at(span);

	for (uint32_t i = 0; i < span.n; i++)
		if (m[i].rank != (int32_t)i || m[i].world != 0)
			return span;
	if (span.n == 0)
		return span;
	trk_span_drop(span);
	return (struct trk_span){ 0 };
}

struct trk_span trk_members_of(const int *ranks, int n, struct trk_side base)
{
	struct trk_span ret;

	if (n <= 0)
		return (struct trk_span){ 0 };
	if (!ranks || !is_known(base))
		return trk_span_unknown((size_t)n);
	struct trk_member *m = trk_span_new(&ret, (size_t)n, sizeof(*m), 0);
	for (int i = 0; m && i < n; i++)
		m[i] = member(base, ranks[i]);
	return simplify(ret);
}

struct trk_span trk_members_first(int n, struct trk_side base)
{
	struct trk_span ret;

	if (n <= 0)
		return (struct trk_span){ 0 };
	if (n == base.size)
		return trk_span_share(base.members);
	if (!is_known(base) || n > base.size)
		return trk_span_unknown((size_t)n);
	if (base.members.total == 0)
		return (struct trk_span){ 0 };
	struct trk_member *m = trk_span_new(&ret, (size_t)n, sizeof(*m), 0);
	for (int i = 0; m && i < n; i++)
		m[i] = member(base, i);
	return simplify(ret);
}

struct trk_span trk_members_both(struct trk_side a, struct trk_side b)
{
	struct trk_span ret;

	if (a.size < 0 || b.size < 0)
		return trk_span_unknown((size_t)(a.size > 0 ? a.size : 0) + (size_t)(b.size > 0 ? b.size : 0));
	size_t n = (size_t)a.size + (size_t)b.size;
	if (!is_known(a) || !is_known(b))
		return trk_span_unknown(n);
	struct trk_member *m = trk_span_new(&ret, n, sizeof(*m), 0);
	for (int i = 0; m && i < a.size; i++)
		m[i] = member(a, i);
	for (int i = 0; m && i < b.size; i++)
		m[a.size + i] = member(b, i);
	return simplify(ret);
}

struct trk_span trk_members_new_world(int n)
{
	static uint32_t worlds;
	struct trk_span ret;
	struct trk_member *m = trk_span_new(&ret, n > 0 ? (size_t)n : 0, sizeof(*m), 0);

	worlds++;
	for (int i = 0; m && i < n; i++)
		m[i] = (struct trk_member){ .rank = i, .world = worlds };
	return ret;
}

bool trk_members_find(struct trk_side group, struct trk_side of, int32_t *ret)
{
	bool direct = of.members.total == 0;

	if (!is_known(group) || !is_known(of) || (!direct && (int64_t)group.size * of.size > STEPS_MAX / 64))
		return false;
	for (int i = 0; i < group.size; i++) {
		struct trk_member m = member(group, i);
		ret[i] = -1;
		if (m.rank < 0)
			return false;
		if (direct) {
			ret[i] = m.world == 0 && m.rank < of.size ? m.rank : -1;
			continue;
		}
		for (int j = 0; j < of.size && ret[i] < 0; j++) {
			struct trk_member x = member(of, j);
			if (x.rank == m.rank && x.world == m.world)
				ret[i] = j;
		}
	}
	return true;
}
