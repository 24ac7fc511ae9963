/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * States between the queues: a message that MPI_Mprobe took and nobody received yet; receives that are matched and
 * wait for the rest of the data (run it with --mca btl_vader_single_copy_mechanism none, so that the sender must
 * push), one of them wild; a receive that is complete and was not waited for.
 */
#include "truth.h"

enum { BIG = 1 << 21 };

static char out[BIG], in[3][BIG];

int main(int argc, char **argv)
{
	MPI_Request req[8];
	MPI_Message message;
	MPI_Status status;
	int n = 0, flag = 0;

	MPI_Init(&argc, &argv);
	truth_init();
	truth_require(truth.size == 2);
	struct truth_comm *world = truth_comm(MPI_COMM_WORLD);
	truth_comm(MPI_COMM_SELF);

	if (truth.rank == 0) {
		MPI_Send(out, 20, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
		MPI_Isend(out, BIG, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &req[n++]);
		MPI_Isend(out, BIG, MPI_BYTE, 1, 3, MPI_COMM_WORLD, &req[n++]);
		MPI_Send(out, 4, MPI_INT, 1, 4, MPI_COMM_WORLD);
		MPI_Send(out, 4, MPI_INT, 1, 5, MPI_COMM_WORLD);
		for (int i = 0; i < 2; i++)
			truth_op(world, TRUTH_SENDS, .peer = 1, .tag = 2 + i, .count = BIG, .type = MPI_BYTE,
				 .mode = "standard", .request = req[i], .protocol = "rendezvous");
		truth_stay();
	}
	truth_wait_for(0);
	truth_wait_message(0, 5, MPI_COMM_WORLD);
	MPI_Mprobe(0, 1, MPI_COMM_WORLD, &message, &status);
	truth_op(world, TRUTH_RECEIVES, .kind = "mprobe", .peer = 0, .tag = 1, .no_type = true, .status = "matched",
		 .matched = true, .actual_peer = 0, .actual_tag = 1, .actual_bytes = 20);

	MPI_Irecv(in[0], BIG, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &req[n]);
	truth_op(world, TRUTH_RECEIVES, .peer = 0, .tag = 2, .count = BIG, .type = MPI_BYTE, .request = req[n++],
		 .status = "matched", .matched = true, .actual_peer = 0, .actual_tag = 2, .actual_bytes = BIG,
		 .function = "MPI_Irecv");
	MPI_Irecv(in[1], BIG, MPI_BYTE, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &req[n]);
	truth_op(world, TRUTH_RECEIVES, .peer = MPI_ANY_SOURCE, .tag = 3, .count = BIG, .type = MPI_BYTE,
		 .request = req[n++], .status = "matched", .matched = true, .actual_peer = 0, .actual_tag = 3,
		 .actual_bytes = BIG, .function = "MPI_Irecv");
	MPI_Irecv(in[2], 4, MPI_INT, 0, 4, MPI_COMM_WORLD, &req[n]);
	MPI_Request_get_status(req[n++], &flag, &status);
	truth_require(flag);
	truth_op(world, TRUTH_UNEXPECTED, .peer = 0, .tag = 5, .count = 16, .protocol = "eager");
	/* where a matched probe stands among the matched receives is the reader's business */
	truth_unordered(world, TRUTH_RECEIVES);
	truth_stay();
}
