/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file member_list.h
 * The members of a communicator or a group, from wherever they are known: the list of an object, the world's own
 * numbering, or the communicator in the MPI library's memory.
 */
#ifndef MPIDBG_MEMBER_LIST_H
#define MPIDBG_MEMBER_LIST_H

#include "../mqs/state.h"

enum { MPIDBG_WORLDS_MAX = 64 };

/** The members of one object. Plain data; valid until the process runs again. */
struct mpidbg_member_list {
	struct _mqs_process_info *p;
	bool known;          /**< false: the object has none, or they are not known */
	bool identity;       /**< rank i of the object is rank i of this process's world; there is no list */
	uint64_t n;          /**< members that can be read */
	uint64_t n_unlisted; /**< further ones, which are not known */
	bool remote;
	const struct mdl_list *list; /**< of the object; NULL: only the communicator in the library's memory */
	struct mdl_comm comm;
	bool native;   /**< comm is known */
	bool searched; /**< the worlds were looked for */
	struct {
		bool known;
		uint32_t job;
	} worlds[MPIDBG_WORLDS_MAX + 1]; /**< the MPI's numbers of the worlds, which the registry counts from 1 */
};

/** Find the members of a communicator or group. @param h must outlive the result. */
void mpidbg_members_of(struct _mqs_process_info *p, const struct mdl_handle *h, bool remote,
		       struct mpidbg_member_list *ret);

/** The same for a communicator of the MPI library's own memory. */
void mpidbg_members_of_native(struct _mqs_process_info *p, const struct mdl_comm *comm, bool remote,
			      struct mpidbg_member_list *ret);

/**
 * Members @p first to first + n - 1, which must be below list->n. A member that cannot be identified is not known,
 * which is no failure.
 *
 * @return ACC_OK; ACC_EREAD, ACC_ECORRUPT, noted
 */
enum acc_rc mpidbg_member_block(struct mpidbg_member_list *list, uint64_t first, uint64_t n, struct mdl_member *ret);

#endif /* MPIDBG_MEMBER_LIST_H */
