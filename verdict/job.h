/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file job.h
 * Containers of a snapshot that the files of this directory share: a map from names to numbers, lists of members.
 */
#ifndef VD_JOB_H
#define VD_JOB_H

#include "verdict.h"

#define VD_HASH_SEED UINT64_C(0xcbf29ce484222325)

/** FNV-1a hash of @p n bytes, continued from @p seed (VD_HASH_SEED to start). */
uint64_t vd_hash(uint64_t seed, const void *bytes, size_t n);

/**
 * The number of a name.
 *
 * @param value number for a new name; VD_UNKNOWN: do not add it
 * @return its number; VD_UNKNOWN: not found, or out of memory.
 */
int32_t vd_name(struct vd_names **names, const char *text, int32_t value);

/** Release. NULL is accepted. */
void vd_names_destroy(struct vd_names *names);

/**
 * Lists of members, stored by their text: every rank of a job lists the members of MPI_COMM_WORLD, and processing
 * every list would be quadratic in the size of the job.
 */
struct vd_list {
	int32_t *members; /**< in the order of struct vd_comm: local group first */
	size_t n, n_local;
	uint64_t local, remote; /**< hashes of the two groups */
};

struct vd_lists;

/**
 * Create a list, with hashes.
 *
 * @param text    its key; NULL: it is not stored and belongs to the caller: vd_list_destroy()
 * @param members from malloc(); the function takes ownership, also on failure
 * @return valid as long as @p lists; NULL: out of memory
 */
const struct vd_list *vd_list_add(struct vd_lists **lists, const char *text, int32_t *members, size_t n,
				  size_t n_local);

/** The list stored under this text, or NULL. */
const struct vd_list *vd_list_find(struct vd_lists *lists, const char *text);

/** Release. Both take NULL. */
void vd_list_destroy(const struct vd_list *list);
void vd_lists_destroy(struct vd_lists *lists);

/** The name of a communicator that has none, until vd_name_comms() tells several apart. */
#define VD_NAMELESS "a communicator without name"

/** The i-th member of a communicator; negative: not in the snapshot. */
static inline int32_t vd_member(const struct vd_comm *c, int32_t i)
{
	return c->members ? c->members[i] : i;
}

/** Is the rank in the first group of an intercommunicator (@p local), or in the second one? */
bool vd_is_in_group(const struct vd_comm *c, int32_t rank, bool local);

/** The number of a rank in the communicator, or in one group of an intercommunicator; VD_UNKNOWN: it is no member. */
int32_t vd_local_rank(const struct vd_comm *c, int32_t rank, bool first_group);

#endif /* VD_JOB_H */
