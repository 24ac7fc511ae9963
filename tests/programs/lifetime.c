/* SPDX-License-Identifier: BSD-3-Clause */
/* lifetime before: MPI_Init has not been called. lifetime after: MPI_Finalize has returned. */
#include "truth.h"

int main(int argc, char **argv)
{
	bool before = argc > 1 && strcmp(argv[1], "before") == 0;

	truth_guard();
	truth.no_comms = true;
	truth.state = before ? "before init" : "finalized";
	if (before) {
		const char *rank = getenv("OMPI_COMM_WORLD_RANK");

		truth_require(rank);
		truth.rank = atoi(rank);
		truth_write();
		/* never true, but the compiler does not know: MPI stays linked */
		while (argc < 1000)
			pause();
	}
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &truth.rank);
	MPI_Finalize();
	truth_stay();
}
