/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_THREAD_MULTIPLE: seven threads of rank 0 blocked in MPI at once, each in a call of its own. */
#include "truth.h"

#include <pthread.h>

enum { N_THREADS = 7 };

static const char *const calls[N_THREADS] = { "MPI_Recv",    "MPI_Recv",  "MPI_Wait", "MPI_Waitany",
					      "MPI_Waitall", "MPI_Probe", "MPI_Ssend" };
static pthread_barrier_t posted, go;
static int tids[N_THREADS];
static MPI_Request req[N_THREADS][2];
static char buf[N_THREADS][4096];

static void *run(void *arg)
{
	int i = (int)(intptr_t)arg, index;
	MPI_Status statuses[2]; /* gcc 12 warns of MPICH's MPI_STATUSES_IGNORE */

	tids[i] = truth_tid();
	if (i >= 2 && i <= 4)
		MPI_Irecv(buf[i], 10 + i, MPI_INT, 1, 100 + i, MPI_COMM_WORLD, &req[i][0]);
	if (i == 3 || i == 4)
		MPI_Irecv(buf[i] + 2048, 20 + i, MPI_INT, 1, 200 + i, MPI_COMM_WORLD, &req[i][1]);
	pthread_barrier_wait(&posted);
	pthread_barrier_wait(&go);
	switch (i) {
	case 0:
	case 1:
		MPI_Recv(buf[i], 10 + i, MPI_INT, 1, 100 + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		break;
	case 2:
		MPI_Wait(&req[i][0], MPI_STATUS_IGNORE);
		break;
	case 3:
		MPI_Waitany(2, req[i], &index, MPI_STATUS_IGNORE);
		break;
	case 4:
		MPI_Waitall(2, req[i], statuses);
		break;
	case 5:
		MPI_Probe(1, 100 + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		break;
	default:
		MPI_Ssend(buf[i], 10 + i, MPI_INT, 1, 100 + i, MPI_COMM_WORLD);
	}
	fprintf(stderr, "threads: %s has returned\n", calls[i]);
	MPI_Abort(MPI_COMM_WORLD, 3);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[N_THREADS];
	int provided;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	truth_init();
	truth_require(provided == MPI_THREAD_MULTIPLE);
	struct truth_comm *world = truth_comm(MPI_COMM_WORLD);
	truth_comm(MPI_COMM_SELF);
	if (truth.rank == 1)
		truth_stay();
	truth_wait_for(1);
	pthread_barrier_init(&posted, NULL, N_THREADS + 1);
	pthread_barrier_init(&go, NULL, N_THREADS + 1);
	for (int i = 0; i < N_THREADS; i++)
		truth_require(pthread_create(&threads[i], NULL, run, (void *)(intptr_t)i) == 0);
	pthread_barrier_wait(&posted);

	for (int i = 0; i < N_THREADS; i++)
		truth_call(calls[i], tids[i], MPI_COMM_WORLD);
	for (int i = 0; i < 2; i++)
		truth_op(world, TRUTH_RECEIVES, .peer = 1, .tag = 100 + i, .count = 10 + i, .type = MPI_INT,
			 .blocking = true, .function = "MPI_Recv", .thread = tids[i]);
	truth_op(world, TRUTH_RECEIVES, .peer = 1, .tag = 102, .count = 12, .type = MPI_INT, .function = "MPI_Irecv",
		 .thread = tids[2], .request = req[2][0]);
	/* a thread that waits for several requests stores its synchronization object in each of them */
	for (int i = 3; i <= 4; i++)
		for (int k = 0; k < 2; k++)
			truth_op(world, TRUTH_RECEIVES, .peer = 1, .tag = 100 * (k + 1) + i, .count = 10 * (k + 1) + i,
				 .type = MPI_INT, .function = "MPI_Irecv", .request = req[i][k], .thread = tids[i]);
	truth_op(world, TRUTH_RECEIVES, .kind = "probe", .peer = 1, .tag = 105, .no_type = true,
		 .function = "MPI_Probe", .thread = tids[5]);
	truth_op(world, TRUTH_SENDS, .peer = 1, .tag = 106, .count = 16, .type = MPI_INT, .blocking = true,
		 .mode = "synchronous", .function = "MPI_Ssend", .thread = tids[6]);
	truth_unordered(world, TRUTH_RECEIVES);
	truth_write();
	pthread_barrier_wait(&go);
	truth_sleep();
}
