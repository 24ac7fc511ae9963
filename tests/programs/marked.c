/* SPDX-License-Identifier: BSD-3-Clause */
/* One receive with a tag that is unlikely to occur elsewhere in memory; tests/live/check_origins.c modifies it. */
#include "truth.h"

enum { TAG = 0x5a5a6b5 };

int main(int argc, char **argv)
{
	static int buf[4];
	MPI_Request req;

	MPI_Init(&argc, &argv);
	truth_init();
	struct truth_comm *world = truth_comm(MPI_COMM_WORLD);
	if (truth.rank == 0) {
		MPI_Irecv(buf, 4, MPI_INT, 1, TAG, MPI_COMM_WORLD, &req);
		truth_op(world, TRUTH_RECEIVES, .peer = 1, .tag = TAG, .count = 4, .type = MPI_INT, .request = req);
	}
	truth_stay();
}
