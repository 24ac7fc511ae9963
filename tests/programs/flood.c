/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Very many operations at rank 0: flood receives N: posted receives; flood waiting N: the same, and then rank 0 waits
 * in MPI_Recv for ever; flood sends N: pending sends; flood unexpected N: messages that nobody asked for. The others
 * keep quiet afterwards.
 *
 * Every probe searches the whole queue: so rank 0 waits for the end on another communicator first, and probes then.
 */
#include "truth.h"

int main(int argc, char **argv)
{
	static int in[16];
	MPI_Request req;
	MPI_Comm end;

	MPI_Init(&argc, &argv);
	truth_init();
	struct truth_comm *world = truth_comm(MPI_COMM_WORLD);
	truth_comm(MPI_COMM_SELF);
	MPI_Comm_dup(MPI_COMM_WORLD, &end);
	truth_comm(end);
	truth_require(argc == 3 && truth.size >= 2);
	long n = atol(argv[2]);
	bool sends = strcmp(argv[1], "sends") == 0, waiting = strcmp(argv[1], "waiting") == 0;
	bool receives = waiting || strcmp(argv[1], "receives") == 0;

	if (receives && truth.rank == 0) {
		for (long i = 0; i < n; i++)
			MPI_Irecv(in, 4, MPI_INT, (int)(i % truth.size), (int)(i % 30000), MPI_COMM_WORLD, &req);
	} else if (sends && truth.rank == 0) {
		for (long i = 0; i < n; i++)
			MPI_Issend(in, 4, MPI_INT, 1, (int)(i % 30000), MPI_COMM_WORLD, &req);
	} else if (!receives && !sends && truth.rank == 1) {
		for (long i = 0; i < n; i++)
			MPI_Send(in, 4, MPI_INT, 0, (int)(i % 30000), MPI_COMM_WORLD);
		MPI_Send(in, 4, MPI_INT, 0, 30001, MPI_COMM_WORLD);
		MPI_Send(in, 4, MPI_INT, 0, 1, end);
	} else if (!receives && !sends && truth.rank == 0) {
		MPI_Recv(in, 4, MPI_INT, 1, 1, end, MPI_STATUS_IGNORE);
		truth_wait_message(1, 30001, MPI_COMM_WORLD);
		MPI_Recv(in, 4, MPI_INT, 1, 30001, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	/* counted by the bench, not compared one by one */
	truth_unsaid(world, TRUTH_RECEIVES);
	truth_unsaid(world, TRUTH_UNEXPECTED);
	truth_unsaid(world, TRUTH_SENDS);
	if (waiting && truth.rank == 0) {
		truth_publish("MPI_Recv", MPI_COMM_WORLD);
		MPI_Recv(in, 4, MPI_INT, 1, 30001, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	truth_stay();
}
