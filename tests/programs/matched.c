/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A receive that is matched and not complete: its message is long and the sender, which is to send the data, is not in
 * MPI. For a transport whose receiver cannot fetch them by itself: UCX over TCP.
 */
#include "truth.h"

enum { BIG = 1 << 21 };

static char out[BIG], in[BIG];

int main(int argc, char **argv)
{
	MPI_Request req;
	int word = 0, got;

	MPI_Init(&argc, &argv);
	truth_init();
	truth_require(truth.size == 2);
	struct truth_comm *world = truth_comm(MPI_COMM_WORLD);
	truth_comm(MPI_COMM_SELF);
	int peer = 1 - truth.rank;

	if (truth.rank == 0)
		MPI_Isend(out, BIG, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &req);
	/* a connection is complete, and the first message is there, after some time with both in MPI */
	for (int i = 0; i < 1000; i++)
		MPI_Sendrecv(&word, 1, MPI_INT, peer, 1, &got, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (truth.rank == 0) {
		truth_op(world, TRUTH_SENDS, .peer = 1, .tag = 2, .count = BIG, .type = MPI_BYTE, .mode = "standard",
			 .request = req);
		truth_stay();
	}
	truth_wait_for(0);
	truth_wait_message(0, 2, MPI_COMM_WORLD);
	MPI_Irecv(in, BIG, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &req);
	truth_op(world, TRUTH_RECEIVES, .peer = MPI_ANY_SOURCE, .tag = MPI_ANY_TAG, .count = BIG, .type = MPI_BYTE,
		 .request = req, .status = "matched", .matched = true, .actual_peer = 0, .actual_tag = 2,
		 .actual_bytes = BIG, .function = "MPI_Irecv");
	truth_stay();
}
