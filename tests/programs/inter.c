/* SPDX-License-Identifier: BSD-3-Clause */
/* Intercommunicators with traffic on them: ranks 0, 1, 2 on one side and 3, 4 on the other. */
#include "truth.h"

static char buf[16][1 << 17];

int main(int argc, char **argv)
{
	MPI_Comm side, inter, again, merged;
	MPI_Request req;
	int n = 0, local;

	MPI_Init(&argc, &argv);
	truth_init();
	truth_require(truth.size == 5);
	int low = truth.rank < 3;

	truth_comm(MPI_COMM_WORLD);
	truth_comm(MPI_COMM_SELF);
	MPI_Comm_split(MPI_COMM_WORLD, low, low ? -truth.rank : truth.rank, &side);
	truth_comm(side);
	/* leaders: rank 0 of each side, world ranks 2 (the low side is reversed) and 3 */
	MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, low ? 3 : 2, 17, &inter);
	MPI_Comm_set_name(inter, "bridge");
	struct truth_comm *c = truth_comm(inter);
	MPI_Comm_dup(inter, &again);
	MPI_Comm_set_name(again, "second bridge");
	truth_comm(again);
	MPI_Intercomm_merge(inter, !low, &merged);
	truth_comm(merged);
	MPI_Comm_rank(inter, &local);

	MPI_Irecv(buf[n], 3, MPI_INT, 1, 5, inter, &req);
	truth_op(c, TRUTH_RECEIVES, .peer = 1, .tag = 5, .count = 3, .type = MPI_INT, .request = req,
		 .function = "MPI_Irecv");
	n++;
	MPI_Irecv(buf[n], 1, MPI_INT, MPI_ANY_SOURCE, 6, inter, &req);
	truth_op(c, TRUTH_RECEIVES, .peer = MPI_ANY_SOURCE, .tag = 6, .count = 1, .type = MPI_INT, .request = req);
	n++;
	if (low) {
		MPI_Issend(buf[n], 2, MPI_INT, 0, 100 + local, inter, &req);
		truth_op(c, TRUTH_SENDS, .peer = 0, .tag = 100 + local, .count = 2, .type = MPI_INT, .request = req,
			 .mode = "synchronous");
		n++;
		MPI_Isend(buf[n], 1 << 17, MPI_BYTE, 0, 200 + local, inter, &req);
		truth_op(c, TRUTH_SENDS, .peer = 0, .tag = 200 + local, .count = 1 << 17, .type = MPI_BYTE,
			 .request = req, .mode = "standard");
		n++;
	} else if (local == 0) {
		for (int peer = 0; peer < 3; peer++) {
			truth_wait_message(peer, 200 + peer, inter);
			truth_op(c, TRUTH_UNEXPECTED, .peer = peer, .tag = 100 + peer, .count = 8);
			truth_op(c, TRUTH_UNEXPECTED, .peer = peer, .tag = 200 + peer, .count = 1 << 17,
				 .protocol = "rendezvous");
		}
	}
	if (low)
		truth_push_until(3);
	truth_stay();
}
