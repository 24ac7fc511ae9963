/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frees the structures that queries return, by tables of the members that are allocations.
 */
#include "code.h"

#include "../mqs/callbacks.h"

#include <stddef.h>

#pragma GCC poison assert abort exit printf fprintf malloc free

enum { MEMBERS_MAX = 17, NONE = 0 }; /* 0: the first member is never an array */

#define AT(kind, member) offsetof(struct mpidbg_##kind##_info_t, member)

static const struct {
	size_t arrays[MEMBERS_MAX];
	size_t attrs, n_attrs; /* an array whose strings are separate allocations */
} kinds[MPIDBG_N_HANDLE_KINDS] = {
	[MPIDBG_COMM] = { { AT(comm, comm_local_procs), AT(comm, comm_remote_procs), AT(comm, comm_cart_dims),
			    AT(comm, comm_cart_periods), AT(comm, comm_graph_index), AT(comm, comm_graph_edges),
			    AT(comm, comm_pending_requests), AT(comm, comm_derived_windows),
			    AT(comm, comm_derived_files), AT(comm, comm_cart_coords), AT(comm, comm_sources),
			    AT(comm, comm_destinations), AT(comm, comm_source_weights),
			    AT(comm, comm_destination_weights), AT(comm, comm_calls), AT(comm, comm_local_members),
			    AT(comm, comm_remote_members) },
			  AT(comm, comm_attrs),
			  AT(comm, comm_num_attrs) },
	[MPIDBG_ERRHANDLER] = { { AT(errhandler, eh_handles), AT(errhandler, eh_handle_kinds) }, NONE, NONE },
	[MPIDBG_DATATYPE] = { { AT(datatype, type_integers), AT(datatype, type_addresses), AT(datatype, type_datatypes),
				AT(datatype, type_requests), AT(datatype, type_files), AT(datatype, type_calls) },
			      AT(datatype, type_attrs),
			      AT(datatype, type_num_attrs) },
	[MPIDBG_FILE] = { { AT(file, file_hints), AT(file, file_pending_requests), AT(file, file_calls) }, NONE, NONE },
	[MPIDBG_GROUP] = { { AT(group, group_procs), AT(group, group_comms), AT(group, group_members) }, NONE, NONE },
	[MPIDBG_INFO] = { { AT(info, info_pairs), AT(info, info_users), AT(info, info_user_kinds) }, NONE, NONE },
	[MPIDBG_OP] = { { AT(op, op_requests), AT(op, op_calls) }, NONE, NONE },
	[MPIDBG_WIN] = { { AT(win, win_locks), AT(win, win_start_group), AT(win, win_post_group), AT(win, win_hints),
			   AT(win, win_attached), AT(win, win_requests), AT(win, win_calls) },
			 AT(win, win_attrs),
			 AT(win, win_num_attrs) },
};

static void *member(void *info, size_t offset)
{
	return *(void **)((char *)info + offset);
}

void mpidbg_free_info(int kind, void *info)
{
	if (!info || kind < 0 || kind >= MPIDBG_N_HANDLE_KINDS)
		return;
	for (int i = 0; i < MEMBERS_MAX && kinds[kind].arrays[i]; i++)
		mqs_callbacks_release(member(info, kinds[kind].arrays[i]));
	if (kinds[kind].attrs) {
		struct mpidbg_attribute_pair_t *attrs = member(info, kinds[kind].attrs);
		int n = *(int *)((char *)info + kinds[kind].n_attrs);

		for (int i = 0; attrs && i < n; i++) {
			mqs_callbacks_release(attrs[i].keyval_name);
			mqs_callbacks_release(attrs[i].value);
		}
		mqs_callbacks_release(attrs);
	}
	mqs_callbacks_release(info);
}
