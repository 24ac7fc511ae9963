/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file members.h
 * The members of a communicator or a group: ranks of the world, as a span of trk_member.
 *
 * What a group's ranks are in another one the MPI library says (MPI_Group_translate_ranks), and the record of the other
 * one says who that is. Where the members follow from the parent's, nothing is asked and nothing is copied.
 */
#ifndef TRK_MEMBERS_H
#define TRK_MEMBERS_H

#include "registry.h"

#pragma GCC visibility push(hidden)

/** The members of something that is recorded. Borrowed from its record. */
struct trk_side {
	struct trk_span members; /**< total 0: rank i is rank i of the world */
	int size;                /**< -1: nothing is known */
};

/** No such record. */
static inline struct trk_side trk_side_unknown(void)
{
	return (struct trk_side){ .size = -1 };
}

/** The world's own. */
struct trk_side trk_side_world(void);
struct trk_side trk_side_local(const struct trk_comm *r);
struct trk_side trk_side_remote(const struct trk_comm *r);
struct trk_side trk_side_group(const struct trk_group *r);

/**
 * What are ranks 0 .. n - 1 of a group in another one? Not under the lock.
 *
 * @return n ranks, MPI_UNDEFINED for those not in it, to be released with trk_scratch_free(); NULL: no memory, or it
 *         would take too long (Open MPI searches one list for each element of the other)
 */
int *trk_translate(MPI_Group group, int n, MPI_Group base, int n_base);

/** The same for the groups of communicators. @p remote: the remote group of @p comm; of @p base. */
int *trk_translate_comm(MPI_Comm comm, bool remote, int n, MPI_Comm base, bool base_remote, int n_base);

/** Member i is rank ranks[i] of @p base; NULL: unknown. A new span, under the lock. */
struct trk_span trk_members_of(const int *ranks, int n, struct trk_side base);

/** The first n of @p base. Shared when all. */
struct trk_span trk_members_first(int n, struct trk_side base);

/** Those of @p a and then those of @p b. */
struct trk_span trk_members_both(struct trk_side a, struct trk_side b);

/** Rank i of a world that is new to us, and nothing more of it is known. */
struct trk_span trk_members_new_world(int n);

/**
 * The rank of each member of @p group in @p of. @p ret has group.size elements; -1: not in it.
 *
 * @return false: not known, or it would take too long
 */
bool trk_members_find(struct trk_side group, struct trk_side of, int32_t *ret);

#pragma GCC visibility pop

#endif /* TRK_MEMBERS_H */
