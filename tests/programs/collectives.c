/* SPDX-License-Identifier: BSD-3-Clause */
/* Non-blocking collectives in flight: the last rank has entered none of them. */
#include "truth.h"

static int out[1 << 16], in[1 << 16];

int main(int argc, char **argv)
{
	MPI_Comm dup;
	MPI_Request req[8];

	MPI_Init(&argc, &argv);
	truth_init();
	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	MPI_Comm_set_name(dup, "own");
	struct truth_comm *world = truth_comm(MPI_COMM_WORLD), *own = truth_comm(dup);
	truth_comm(MPI_COMM_SELF);
	int last = truth.size - 1;

	if (truth.rank == last)
		truth_stay();
	truth_wait_for(last);
	MPI_Ibarrier(MPI_COMM_WORLD, &req[0]);
	truth_op(world, TRUTH_COLLECTIVES, 0);
	MPI_Ibcast(in, 100, MPI_INT, last, dup, &req[1]);
	truth_op(own, TRUTH_COLLECTIVES, 0);
	MPI_Iallreduce(out, in, 1 << 16, MPI_INT, MPI_SUM, dup, &req[2]);
	truth_op(own, TRUTH_COLLECTIVES, 0);
	/* and the program's own, among the traffic of those */
	MPI_Irecv(out, 3, MPI_INT, last, 9, dup, &req[3]);
	truth_op(own, TRUTH_RECEIVES, .peer = last, .tag = 9, .count = 3, .type = MPI_INT, .request = req[3]);
	truth_stay();
}
