/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 spawns one process; all meet once, part, and end. With an argument nobody is spawned. */
#include <mpi.h>

#include <unistd.h>

enum { ALARM_S = 120 };

int main(int argc, char **argv)
{
	MPI_Comm parent, inter;

	alarm(ALARM_S);
	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parent);
	if (argc > 1) {
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Finalize();
		return 0;
	}
	inter = parent;
	if (parent == MPI_COMM_NULL)
		MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
			       MPI_ERRCODES_IGNORE);
	MPI_Barrier(inter);
	MPI_Comm_disconnect(&inter);
	MPI_Finalize();
	return 0;
}
