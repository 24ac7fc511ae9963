/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: first_calls, one process, with or without an in-target library
 * Threads that make the first MPI calls of the program, all at the same time, before MPI_Init.
 */
#include <mpi.h>

#include <pthread.h>
#include <stdio.h>

enum { THREADS = 8, TURNS = 50 };

static pthread_barrier_t together;
static int n_wrong;

static void *calls(void *unused)
{
	int flag, version, sub;

	(void)unused;
	pthread_barrier_wait(&together);
	for (int i = 0; i < TURNS; i++) {
		flag = 1;
		version = 0;
		if (MPI_Initialized(&flag) != MPI_SUCCESS || flag || MPI_Get_version(&version, &sub) != MPI_SUCCESS ||
		    version != MPI_VERSION || PMPI_Finalized(&flag) != MPI_SUCCESS || flag)
			__atomic_fetch_add(&n_wrong, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	pthread_barrier_init(&together, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, calls, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	MPI_Init(&argc, &argv);
	MPI_Finalize();
	printf("first_calls: %d wrong\n", n_wrong);
	return n_wrong != 0;
}
