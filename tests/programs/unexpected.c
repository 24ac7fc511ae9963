/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that arrived at rank 0 and that nobody asked for: eager and rendezvous, several sources and tags. */
#include "truth.h"

enum { LAST_TAG = 999 };

static char buf[1 << 21];
static int n;
static MPI_Request req[64];

static const int sizes[] = { 0, 1, 7, 255, 256, 257, 1000, 4000, 4096, 4200, 32768, 65536, 65537, 1 << 20 };
enum { N_SIZES = sizeof sizes / sizeof sizes[0] };

/* Sent in the standard mode, so that small ones leave nothing behind at the sender. */
static void send_all(MPI_Comm comm, int peer)
{
	for (int i = 0; i < N_SIZES; i++)
		MPI_Isend(buf, sizes[i], MPI_BYTE, peer, 100 + i, comm, &req[n++]);
	MPI_Issend(buf, 10, MPI_BYTE, peer, 300, comm, &req[n++]);
	MPI_Isend(buf, 3, MPI_INT, peer, LAST_TAG, comm, &req[n++]);
}

static void expect_all(struct truth_comm *c, int peer)
{
	for (int i = 0; i < N_SIZES; i++)
		truth_op(c, TRUTH_UNEXPECTED, .peer = peer, .tag = 100 + i, .count = sizes[i],
			 .protocol = sizes[i] <= 1000      ? "eager"
				     : sizes[i] >= 1 << 20 ? "rendezvous"
							   : NULL);
	truth_op(c, TRUTH_UNEXPECTED, .peer = peer, .tag = 300, .count = 10);
	truth_op(c, TRUTH_UNEXPECTED, .peer = peer, .tag = LAST_TAG, .count = 12);
}

int main(int argc, char **argv)
{
	MPI_Comm dup;

	MPI_Init(&argc, &argv);
	truth_init();
	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	MPI_Comm_set_name(dup, "the other one");
	truth_require(truth.size == 3);
	struct truth_comm *world = truth_comm(MPI_COMM_WORLD), *self = truth_comm(MPI_COMM_SELF),
			  *other = truth_comm(dup);

	if (truth.rank == 0) {
		/* to itself: the sender and the receiver are one process */
		MPI_Isend(buf, 6, MPI_INT, 0, 5, MPI_COMM_SELF, &req[n++]);
		truth_op(self, TRUTH_UNEXPECTED, .peer = 0, .tag = 5, .count = 24);
		MPI_Isend(buf, 1 << 18, MPI_INT, 0, 6, MPI_COMM_SELF, &req[n++]);
		truth_op(self, TRUTH_UNEXPECTED, .peer = 0, .tag = 6, .count = 1 << 20);
		truth_op(self, TRUTH_SENDS, .peer = 0, .tag = 6, .count = 1 << 18, .type = MPI_INT,
			 .request = req[n - 1], .function = "MPI_Isend", .mode = "standard");
		truth_wait_message(1, LAST_TAG, MPI_COMM_WORLD);
		truth_wait_message(2, LAST_TAG, MPI_COMM_WORLD);
		truth_wait_message(1, LAST_TAG, dup);
		truth_wait_message(0, 6, MPI_COMM_SELF);
		expect_all(world, 1);
		expect_all(world, 2);
		expect_all(other, 1);
		/* one was taken, from the middle */
		MPI_Recv(buf, 1 << 20, MPI_BYTE, 2, 500, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		truth_stay();
	}
	if (truth.rank == 2)
		MPI_Send(buf, 17, MPI_BYTE, 0, 500, MPI_COMM_WORLD);
	send_all(MPI_COMM_WORLD, 0);
	if (truth.rank == 1)
		send_all(dup, 0);
	/* what of these is still pending depends on the transport's limits */
	truth_unsaid(world, TRUTH_SENDS);
	truth_unsaid(other, TRUTH_SENDS);
	truth_push_until(0);
	truth_stay();
}
