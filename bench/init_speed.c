/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * init_speed [OFFSET]: duration of MPI_Init over all ranks, and the cost of the in-target library in it. OFFSET is
 * the address of m2d_counts in the library's file (nm); without it, or without the library, its columns are 0.
 *
 * Prints: ranks, milliseconds until the last rank is through MPI_Init (from the first one's entry), our milliseconds in
 * the slowest rank and on average, messages and bytes within nodes, messages and bytes on MPI_COMM_WORLD, probes.
 */
#include "../mpi2dd/tables/counts.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	double start = now();
	MPI_Init(&argc, &argv);
	double times[2] = { -start, now() }, last[2];
	struct m2d_counts counts = { 0 };
	void *info = dlsym(RTLD_DEFAULT, "MPI2DD_info");
	Dl_info where;
	int rank, size;

	if (argc > 1 && info && dladdr(info, &where))
		memcpy(&counts, (const char *)where.dli_fbase + strtoull(argv[1], NULL, 16), sizeof(counts));
	uint64_t sums[5] = { counts.node_messages, counts.node_bytes, counts.mpi_messages, counts.mpi_bytes,
			     counts.probes };
	uint64_t all[5], ours = counts.nanoseconds, most, sum;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Reduce(times, last, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	MPI_Reduce(sums, all, 5, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Reduce(&ours, &most, 1, MPI_UINT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
	MPI_Reduce(&ours, &sum, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%d %.1f %.2f %.2f %llu %llu %llu %llu %llu\n", size, (last[1] + last[0]) * 1e3,
		       (double)most * 1e-6, (double)sum * 1e-6 / size, (unsigned long long)all[0],
		       (unsigned long long)all[1], (unsigned long long)all[2], (unsigned long long)all[3],
		       (unsigned long long)all[4]);
	MPI_Finalize();
	return 0;
}
