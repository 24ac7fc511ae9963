/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file query_members.h
 * Members of communicators and groups as arrays of mpidbg.h.
 */
#ifndef MPIDBG_QUERY_MEMBERS_H
#define MPIDBG_QUERY_MEMBERS_H

#include "member_list.h"
#include "query.h"

/**
 * Copy members to the array of version 1 and to the one that also tells worlds, processes and hosts. Members that are
 * not known set @p bit.
 */
void mpidbg_fill_members(struct mpidbg_fill *f, uint64_t bit, struct mpidbg_member_list *list, int *n,
			 struct mpidbg_process_t **procs, struct mpidbg_group_member_t **members);

#endif /* MPIDBG_QUERY_MEMBERS_H */
