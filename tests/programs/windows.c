/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows and a file are open: the communicators that the library made for them must not be shown. Traffic of
 * the program goes on beside them.
 */
#include "truth.h"

int main(int argc, char **argv)
{
	MPI_Win created, allocated, shared, dynamic;
	MPI_File file;
	MPI_Request req;
	MPI_Comm dup;
	static int memory[64], in[4];
	void *base;
	char path[4096];

	MPI_Init(&argc, &argv);
	truth_init();
	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	MPI_Comm_set_name(dup, "own");
	struct truth_comm *world = truth_comm(MPI_COMM_WORLD), *own = truth_comm(dup);
	truth_comm(MPI_COMM_SELF);

	MPI_Win_create(memory, sizeof memory, sizeof memory[0], MPI_INFO_NULL, MPI_COMM_WORLD, &created);
	MPI_Win_allocate(4096, 1, MPI_INFO_NULL, dup, &base, &allocated);
	MPI_Win_allocate_shared(4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &shared);
	MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
	MPI_Win_fence(0, allocated);
	snprintf(path, sizeof path, "%s/file", truth.dir);
	MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
	MPI_File_write_at_all(file, truth.rank * 16, in, 4, MPI_INT, MPI_STATUS_IGNORE);

	int peer = (truth.rank + 1) % truth.size;
	MPI_Irecv(in, 4, MPI_INT, peer, 1, MPI_COMM_WORLD, &req);
	truth_op(world, TRUTH_RECEIVES, .peer = peer, .tag = 1, .count = 4, .type = MPI_INT, .request = req);
	MPI_Issend(in, 4, MPI_INT, peer, 2, dup, &req);
	truth_op(own, TRUTH_SENDS, .peer = peer, .tag = 2, .count = 4, .type = MPI_INT, .request = req,
		 .mode = "synchronous");
	/* from the rank on the other side, that is: to us */
	int source = (truth.rank + truth.size - 1) % truth.size;
	truth_wait_message(source, 2, dup);
	truth_op(own, TRUTH_UNEXPECTED, .peer = source, .tag = 2, .count = 16);
	truth_stay();
}
