/* SPDX-License-Identifier: BSD-3-Clause */
/* 5,000 receives that nobody sends, 5,000 datatypes; 1 rank prints "ready PID" and waits. For what queries cost. */
#include "facts.h"

enum { MANY = 5000 };

int main(int argc, char **argv)
{
	static MPI_Request requests[MANY];
	static MPI_Datatype types[MANY];
	static int in[MANY];

	facts_init(&argc, &argv);
	for (int i = 0; i < MANY; i++) {
		MPI_Type_contiguous(i + 1, MPI_INT, &types[i]);
		MPI_Type_commit(&types[i]);
		MPI_Irecv(&in[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[i]);
	}
	emit_ready();
	for (;;)
		pause();
}
