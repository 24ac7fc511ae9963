/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A spawned job: parents and children each know the others' processes as members of another job. The children write
 * truth.100.json and on.
 */
#include "truth.h"

static char buf[8][64];

int main(int argc, char **argv)
{
	MPI_Comm parent, inter, merged;
	MPI_Request req;

	MPI_Init(&argc, &argv);
	truth_init();
	MPI_Comm_get_parent(&parent);
	truth_comm(MPI_COMM_WORLD);
	truth_comm(MPI_COMM_SELF);
	inter = parent;
	if (parent == MPI_COMM_NULL)
		MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
			       MPI_ERRCODES_IGNORE);
	struct truth_comm *c = truth_comm(inter);
	MPI_Intercomm_merge(inter, parent != MPI_COMM_NULL, &merged);
	struct truth_comm *m = truth_comm(merged);
	MPI_Barrier(merged);

	MPI_Irecv(buf[0], 1, MPI_INT, 1, 5, inter, &req);
	truth_op(c, TRUTH_RECEIVES, .peer = 1, .tag = 5, .count = 1, .type = MPI_INT, .request = req);
	if (parent == MPI_COMM_NULL) {
		MPI_Issend(buf[1], 2, MPI_INT, 0, 10 + truth.rank, inter, &req);
		truth_op(c, TRUTH_SENDS, .peer = 0, .tag = 10 + truth.rank, .count = 2, .type = MPI_INT, .request = req,
			 .mode = "synchronous");
	} else if (truth.rank == 0) {
		for (int peer = 0; peer < 2; peer++) {
			truth_wait_message(peer, 10 + peer, inter);
			truth_op(c, TRUTH_UNEXPECTED, .peer = peer, .tag = 10 + peer, .count = 8);
		}
	}
	/* the first of the merged one is parent 0, the last child 1 */
	MPI_Irecv(buf[2], 1, MPI_INT, 0, 6, merged, &req);
	truth_op(m, TRUTH_RECEIVES, .peer = 0, .tag = 6, .count = 1, .type = MPI_INT, .request = req);
	MPI_Irecv(buf[3], 1, MPI_INT, 3, 7, merged, &req);
	truth_op(m, TRUTH_RECEIVES, .peer = 3, .tag = 7, .count = 1, .type = MPI_INT, .request = req);
	/* jobs are connected by TCP, on first use, with both sides' help */
	if (parent != MPI_COMM_NULL)
		truth.file_rank = 100 + truth.rank;
	else
		truth_push_until(100);
	truth_stay();
}
