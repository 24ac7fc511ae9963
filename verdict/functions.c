/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI functions, and how each one waits (enum vd_call). */
#include "verdict.h"

#include <string.h>

static const struct {
	const char *name;
	enum vd_call call;
	bool synchronizes, connects;
} functions[] = {
	{ "MPI_Recv", VD_CALL_ALL, false },
	{ "MPI_Send", VD_CALL_ALL, false },
	{ "MPI_Ssend", VD_CALL_ALL, false },
	{ "MPI_Rsend", VD_CALL_ALL, false },
	{ "MPI_Bsend", VD_CALL_ALL, false },
	{ "MPI_Sendrecv", VD_CALL_ALL, false },
	{ "MPI_Sendrecv_replace", VD_CALL_ALL, false },
	{ "MPI_Probe", VD_CALL_ALL, false },
	{ "MPI_Mprobe", VD_CALL_ALL, false },
	{ "MPI_Mrecv", VD_CALL_ALL, false },
	{ "MPI_Wait", VD_CALL_ALL, false },
	{ "MPI_Waitall", VD_CALL_ALL, false },
	{ "MPI_Waitany", VD_CALL_SOME, false },
	{ "MPI_Waitsome", VD_CALL_SOME, false },
	{ "MPI_Test", VD_CALL_POLL, false },
	{ "MPI_Testall", VD_CALL_POLL, false },
	{ "MPI_Testany", VD_CALL_POLL, false },
	{ "MPI_Testsome", VD_CALL_POLL, false },
	{ "MPI_Iprobe", VD_CALL_POLL, false },
	{ "MPI_Improbe", VD_CALL_POLL, false },
	{ "MPI_Request_get_status", VD_CALL_POLL, false },
	{ "MPI_Finalize", VD_CALL_FINALIZE, false },
	{ "MPI_Barrier", VD_CALL_COLLECTIVE, true },
	{ "MPI_Bcast", VD_CALL_COLLECTIVE, false },
	{ "MPI_Gather", VD_CALL_COLLECTIVE, false },
	{ "MPI_Gatherv", VD_CALL_COLLECTIVE, false },
	{ "MPI_Scatter", VD_CALL_COLLECTIVE, false },
	{ "MPI_Scatterv", VD_CALL_COLLECTIVE, false },
	{ "MPI_Reduce", VD_CALL_COLLECTIVE, false },
	{ "MPI_Scan", VD_CALL_COLLECTIVE, false },
	{ "MPI_Exscan", VD_CALL_COLLECTIVE, false },
	{ "MPI_Allgather", VD_CALL_COLLECTIVE, true },
	{ "MPI_Allgatherv", VD_CALL_COLLECTIVE, true },
	{ "MPI_Allreduce", VD_CALL_COLLECTIVE, true },
	{ "MPI_Alltoall", VD_CALL_COLLECTIVE, true },
	{ "MPI_Alltoallv", VD_CALL_COLLECTIVE, true },
	{ "MPI_Alltoallw", VD_CALL_COLLECTIVE, true },
	{ "MPI_Reduce_scatter", VD_CALL_COLLECTIVE, true },
	{ "MPI_Reduce_scatter_block", VD_CALL_COLLECTIVE, true },
	{ "MPI_Neighbor_allgather", VD_CALL_NEIGHBORS, false },
	{ "MPI_Neighbor_allgatherv", VD_CALL_NEIGHBORS, false },
	{ "MPI_Neighbor_alltoall", VD_CALL_NEIGHBORS, false },
	{ "MPI_Neighbor_alltoallv", VD_CALL_NEIGHBORS, false },
	{ "MPI_Neighbor_alltoallw", VD_CALL_NEIGHBORS, false },
	{ "MPI_Comm_dup", VD_CALL_COLLECTIVE, true },
	{ "MPI_Comm_dup_with_info", VD_CALL_COLLECTIVE, true },
	{ "MPI_Comm_create", VD_CALL_COLLECTIVE, true },
	{ "MPI_Comm_split", VD_CALL_COLLECTIVE, true },
	{ "MPI_Comm_split_type", VD_CALL_COLLECTIVE, true },
	{ "MPI_Comm_free", VD_CALL_COLLECTIVE, false },
	{ "MPI_Intercomm_merge", VD_CALL_COLLECTIVE, true },
	{ "MPI_Cart_create", VD_CALL_COLLECTIVE, true },
	{ "MPI_Cart_sub", VD_CALL_COLLECTIVE, true },
	{ "MPI_Graph_create", VD_CALL_COLLECTIVE, true },
	{ "MPI_Dist_graph_create", VD_CALL_COLLECTIVE, true },
	{ "MPI_Dist_graph_create_adjacent", VD_CALL_COLLECTIVE, true },
	{ "MPI_Intercomm_create", VD_CALL_COLLECTIVE, true, true },
	{ "MPI_Comm_accept", VD_CALL_COLLECTIVE, true, true },
	{ "MPI_Comm_connect", VD_CALL_COLLECTIVE, true, true },
	{ "MPI_Comm_spawn", VD_CALL_COLLECTIVE, true, true },
	{ "MPI_Comm_spawn_multiple", VD_CALL_COLLECTIVE, true, true },
	{ "MPI_Win_create", VD_CALL_COLLECTIVE, true },
	{ "MPI_Win_allocate", VD_CALL_COLLECTIVE, true },
	{ "MPI_Win_allocate_shared", VD_CALL_COLLECTIVE, true },
	{ "MPI_Win_create_dynamic", VD_CALL_COLLECTIVE, true },
	{ "MPI_Win_fence", VD_CALL_COLLECTIVE, false },
	{ "MPI_Win_free", VD_CALL_COLLECTIVE, true },
	{ "MPI_Win_lock", VD_CALL_WINDOW, false },
	{ "MPI_Win_lock_all", VD_CALL_WINDOW, false },
	{ "MPI_Win_unlock", VD_CALL_WINDOW, false },
	{ "MPI_Win_unlock_all", VD_CALL_WINDOW, false },
	{ "MPI_Win_flush", VD_CALL_WINDOW, false },
	{ "MPI_Win_flush_all", VD_CALL_WINDOW, false },
	{ "MPI_Win_flush_local", VD_CALL_WINDOW, false },
	{ "MPI_Win_flush_local_all", VD_CALL_WINDOW, false },
	{ "MPI_Win_start", VD_CALL_WINDOW, false },
	{ "MPI_Win_complete", VD_CALL_WINDOW, false },
	{ "MPI_Win_wait", VD_CALL_WINDOW, false },
	{ "MPI_Win_test", VD_CALL_POLL, false },
	{ "MPI_File_open", VD_CALL_COLLECTIVE, false },
	{ "MPI_File_close", VD_CALL_COLLECTIVE, false },
	{ "MPI_File_set_size", VD_CALL_COLLECTIVE, false },
	{ "MPI_File_preallocate", VD_CALL_COLLECTIVE, false },
	{ "MPI_File_set_view", VD_CALL_COLLECTIVE, false },
	{ "MPI_File_set_info", VD_CALL_COLLECTIVE, false },
	{ "MPI_File_set_atomicity", VD_CALL_COLLECTIVE, false },
	{ "MPI_File_sync", VD_CALL_COLLECTIVE, false },
	{ "MPI_File_seek_shared", VD_CALL_COLLECTIVE, false },
	{ "MPI_File_read_all", VD_CALL_COLLECTIVE, false },
	{ "MPI_File_read_at_all", VD_CALL_COLLECTIVE, false },
	{ "MPI_File_read_ordered", VD_CALL_COLLECTIVE, false },
	{ "MPI_File_write_all", VD_CALL_COLLECTIVE, false },
	{ "MPI_File_write_at_all", VD_CALL_COLLECTIVE, false },
	{ "MPI_File_write_ordered", VD_CALL_COLLECTIVE, false },
	{ "MPI_File_read_all_begin", VD_CALL_COLLECTIVE, false },
	{ "MPI_File_read_all_end", VD_CALL_COLLECTIVE, false },
	{ "MPI_File_read_at_all_begin", VD_CALL_COLLECTIVE, false },
	{ "MPI_File_read_at_all_end", VD_CALL_COLLECTIVE, false },
	{ "MPI_File_read_ordered_begin", VD_CALL_COLLECTIVE, false },
	{ "MPI_File_read_ordered_end", VD_CALL_COLLECTIVE, false },
	{ "MPI_File_write_all_begin", VD_CALL_COLLECTIVE, false },
	{ "MPI_File_write_all_end", VD_CALL_COLLECTIVE, false },
	{ "MPI_File_write_at_all_begin", VD_CALL_COLLECTIVE, false },
	{ "MPI_File_write_at_all_end", VD_CALL_COLLECTIVE, false },
	{ "MPI_File_write_ordered_begin", VD_CALL_COLLECTIVE, false },
	{ "MPI_File_write_ordered_end", VD_CALL_COLLECTIVE, false },
};

enum { N_FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

/* The variant with counts of type MPI_Count (MPI_Recv_c) is looked up without its suffix. */
static size_t find_function(const char *name)
{
	size_t n = strlen(name), i = 0;

	if (n > 2 && strcmp(name + n - 2, "_c") == 0)
		n -= 2;
	while (i < N_FUNCTIONS && (strncmp(functions[i].name, name, n) != 0 || functions[i].name[n]))
		i++;
	return i;
}

enum vd_call vd_call_of(const char *function)
{
	if (!function)
		return VD_CALL_NONE;
	size_t i = find_function(function);
	return i < N_FUNCTIONS ? functions[i].call : VD_CALL_OTHER;
}

bool vd_connects(const char *function)
{
	size_t i = function ? find_function(function) : N_FUNCTIONS;

	return i < N_FUNCTIONS && functions[i].connects;
}

bool vd_synchronizes(const char *function)
{
	size_t i = function ? find_function(function) : N_FUNCTIONS;

	return i < N_FUNCTIONS && functions[i].synchronizes;
}
