/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_THREAD_MULTIPLE and many communicators on 2 ranks, so that a library with several network interfaces (MPICH:
 * MPIR_CVAR_CH4_NUM_VCIS) spreads them: rank 0 has receives, sends and messages in each.
 */
#include "truth.h"

enum { N_COMMS = 9, LAST_TAG = 999 };

static char buf[1 << 20];

int main(int argc, char **argv)
{
	MPI_Comm comms[N_COMMS];
	MPI_Request req[3 * N_COMMS];
	MPI_Status statuses[N_COMMS];
	int provided, n = 0;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	truth_init();
	truth_require(provided == MPI_THREAD_MULTIPLE && truth.size == 2);
	truth_comm(MPI_COMM_SELF);
	int peer = 1 - truth.rank;
	for (int i = 0; i < N_COMMS; i++) {
		char name[16];

		comms[i] = MPI_COMM_WORLD;
		if (i) {
			snprintf(name, sizeof name, "comm %d", i);
			MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
			MPI_Comm_set_name(comms[i], name);
		}
	}
	for (int i = 0; i < N_COMMS; i++)
		MPI_Isend(buf, 10 + i, MPI_BYTE, peer, LAST_TAG, comms[i], &req[n++]);
	MPI_Waitall(n, req, statuses);
	for (int i = 0; i < N_COMMS; i++)
		truth_wait_message(peer, LAST_TAG, comms[i]);
	n = 0;
	for (int i = 0; i < N_COMMS; i++) {
		struct truth_comm *c = truth_comm(comms[i]);

		truth_op(c, TRUTH_UNEXPECTED, .peer = peer, .tag = LAST_TAG, .count = 10 + i, .protocol = "eager");
		if (truth.rank == 1) {
			truth_wait_message(0, 70 + i, comms[i]);
			truth_op(c, TRUTH_UNEXPECTED, .peer = 0, .tag = 70 + i, .count = 300 + i);
			continue;
		}
		MPI_Issend(buf, 300 + i, MPI_BYTE, 1, 70 + i, comms[i], &req[n]);
		truth_op(c, TRUTH_SENDS, .peer = 1, .tag = 70 + i, .count = 300 + i, .type = MPI_BYTE,
			 .request = req[n], .function = "MPI_Issend", .mode = "synchronous");
		n++;
		MPI_Irecv(buf, 100 + i, MPI_BYTE, peer, i, comms[i], &req[n]);
		truth_op(c, TRUTH_RECEIVES, .peer = peer, .tag = i, .count = 100 + i, .type = MPI_BYTE,
			 .request = req[n], .function = "MPI_Irecv");
		n++;
		MPI_Irecv(buf, 200 + i, MPI_BYTE, MPI_ANY_SOURCE, 50 + i, comms[i], &req[n]);
		truth_op(c, TRUTH_RECEIVES, .peer = MPI_ANY_SOURCE, .tag = 50 + i, .count = 200 + i, .type = MPI_BYTE,
			 .request = req[n], .function = "MPI_Irecv");
		n++;
	}
	if (truth.rank == 0)
		truth_push_until(1);
	truth_stay();
}
