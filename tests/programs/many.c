/* SPDX-License-Identifier: BSD-3-Clause */
/* 200 communicators, every tenth with a receive, and holes where some were freed. */
#include "truth.h"

enum { N = 240 };

int main(int argc, char **argv)
{
	MPI_Comm comms[N];
	static int in[N];

	MPI_Init(&argc, &argv);
	truth_init();
	truth_comm(MPI_COMM_WORLD);
	truth_comm(MPI_COMM_SELF);
	for (int i = 0; i < N; i++) {
		char name[32];

		MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
		snprintf(name, sizeof name, "number %d", i);
		MPI_Comm_set_name(comms[i], name);
	}
	for (int i = 3; i < N; i += 6)
		MPI_Comm_free(&comms[i]);
	for (int i = 0; i < N; i++) {
		MPI_Request req;

		if (comms[i] == MPI_COMM_NULL)
			continue;
		struct truth_comm *c = truth_comm(comms[i]);
		if (i % 10)
			continue;
		MPI_Irecv(&in[i], 1, MPI_INT, i % truth.size, i, comms[i], &req);
		truth_op(c, TRUTH_RECEIVES, .peer = i % truth.size, .tag = i, .count = 1, .type = MPI_INT,
			 .request = req);
	}
	truth_stay();
}
