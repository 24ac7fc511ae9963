/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file members.h
 * The members of a communicator or a group: ranks of the world, as a span of trk_member.
 *
 * The MPI library translates the ranks of a group to ranks of another group (MPI_Group_translate_ranks), and the record
 * of that other group says which processes they are. Where the members follow from the parent's, nothing is queried and
 * nothing is copied.
 */
#ifndef TRK_MEMBERS_H
#define TRK_MEMBERS_H

#include "registry.h"

#pragma GCC visibility push(hidden)

/** The members of one group of a recorded object (for an intercommunicator: of one side). Borrowed from its record. */
struct trk_side {
	struct trk_span members; /**< total 0: rank i is rank i of the world */
	int size;                /**< -1: members not known */
};

/** No record: the members are not known. */
static inline struct trk_side trk_side_unknown(void)
{
	return (struct trk_side){ .size = -1 };
}

/** The members of the world; of a communicator's local and remote group; of a group. */
struct trk_side trk_side_world(void);
struct trk_side trk_side_local(const struct trk_comm *r);
struct trk_side trk_side_remote(const struct trk_comm *r);
struct trk_side trk_side_group(const struct trk_group *r);

/**
 * Translate ranks 0 .. n - 1 of a group to ranks of another one. Not under the lock.
 *
 * @return n ranks, MPI_UNDEFINED for processes not in @p base, to be released with trk_scratch_free(); NULL: out of
 *         memory, or it would take too long (Open MPI searches one list for each element of the other)
 */
int *trk_translate(MPI_Group group, int n, MPI_Group base, int n_base);

/**
 * The same for the groups of two communicators. @param remote use
 * the remote group of @p comm; @param base_remote of @p base.
 */
int *trk_translate_comm(MPI_Comm comm, bool remote, int n, MPI_Comm base, bool base_remote, int n_base);

/** Member i is rank ranks[i] of @p base; @p ranks NULL: not known. Returns a new span; under the lock. */
struct trk_span trk_members_of(const int *ranks, int n, struct trk_side base);

/** The first @p n members of @p base. If that is all of them, the span is shared. */
struct trk_span trk_members_first(int n, struct trk_side base);

/** The members of @p a followed by those of @p b. */
struct trk_span trk_members_both(struct trk_side a, struct trk_side b);

/** The members of a world of which only the size is known. */
struct trk_span trk_members_new_world(int n);

/**
 * Find the rank of each member of @p group in @p of.
 *
 * @param[out] ret array of group.size elements; -1: not in @p of
 * @return false: not known, or it would take too long
 */
bool trk_members_find(struct trk_side group, struct trk_side of, int32_t *ret);

#pragma GCC visibility pop

#endif /* TRK_MEMBERS_H */
