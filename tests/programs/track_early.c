/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: track_early, with the in-target library
 * A library has called MPI before the in-target library's constructor has run. The thread that did is in the registry
 * all the same, and so is what it posts.
 */
#include "registry.h"

enum { N = 16 };

/* early/early.c */
extern int early_initialized;

int main(int argc, char **argv)
{
	static int in[N], out[N];
	MPI_Request r[2 * N];
	MPI_Status statuses[2 * N];

	MPI_Init(&argc, &argv);
	registry_open();
	EXPECT_IS(early_initialized, 0);
	EXPECT(registry_own_thread() != NULL);
	for (int turn = 0; turn < 10; turn++) {
		for (int i = 0; i < N; i++)
			MPI_Irecv(&in[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &r[i]);
		for (int i = 0; i < N; i++)
			MPI_Isend(&out[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &r[N + i]);
		EXPECT_IS(registry_n_requests(), 2 * N);
		MPI_Waitall(2 * N, r, statuses);
	}
	/* the thread that created them is one that a reader knows */
	EXPECT_IS(registry_own_thread() - (const struct trk_thread *)(uintptr_t)registry->threads, 0);
	EXPECT(registry->n_threads >= 1);
	EXPECT(registry_own_thread()->n_born >= 10 * 2 * N);
	EXPECT_IS(registry_own_thread()->n_retired, registry_own_thread()->n_born);
	MPI_Finalize();
	return registry_close();
}
