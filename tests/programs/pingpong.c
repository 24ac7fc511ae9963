/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two ranks exchange messages as fast as they can until $TRUTH_DIR/stop exists and then PERIOD rounds more, check every
 * byte, and leave result.RANK with the number of rounds and a checksum, which must be equal on both.
 */
#include "truth.h"

enum { MAX = 20000, PERIOD = 64 };

static unsigned char out[MAX], in[MAX];

int main(int argc, char **argv)
{
	uint64_t rounds = 0, sum = 0;
	char path[4096];
	struct stat st;
	int stop = 0, last = 0;

	MPI_Init(&argc, &argv);
	truth_init();
	truth_require(truth.size == 2);
	truth_comm(MPI_COMM_WORLD);
	truth_comm(MPI_COMM_SELF);
	truth.no_calls = true;
	truth_unsaid(truth.comms[0], TRUTH_SENDS);
	truth_unsaid(truth.comms[0], TRUTH_RECEIVES);
	truth_unsaid(truth.comms[0], TRUTH_UNEXPECTED);
	truth_write();
	snprintf(path, sizeof path, "%s/stop", truth.dir);
	while (!last) {
		/* sizes from eager to rendezvous, different every round */
		int bytes = (int)((rounds * 7919) % MAX), peer = 1 - truth.rank;
		MPI_Request req[2];
		MPI_Status status[2];
		int got;

		memset(out, (int)(rounds & 255) ^ truth.rank, (size_t)bytes);
		MPI_Irecv(in, MAX, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &req[0]);
		MPI_Isend(out, bytes, MPI_BYTE, peer, (int)(rounds % 1000), MPI_COMM_WORLD, &req[1]);
		MPI_Waitall(2, req, status);
		MPI_Get_count(&status[0], MPI_BYTE, &got);
		truth_require(got == bytes && status[0].MPI_TAG == (int)(rounds % 1000) &&
			      status[0].MPI_SOURCE == peer);
		for (int i = 0; i < bytes; i++)
			truth_require(in[i] == (((int)(rounds & 255) ^ peer) & 255));
		sum = sum * 31 + (uint64_t)got;
		rounds++;
		if (rounds % PERIOD == 0) {
			last = stop;
			if (truth.rank == 0 && !stop)
				stop = stat(path, &st) == 0;
			MPI_Bcast(&stop, 1, MPI_INT, 0, MPI_COMM_WORLD);
		}
	}
	snprintf(path, sizeof path, "%s/result.%d", truth.dir, truth.rank);
	FILE *f = fopen(path, "w");
	truth_require(f);
	fprintf(f, "%" PRIu64 " %" PRIu64 "\n", rounds, sum);
	truth_require(fclose(f) == 0);
	MPI_Finalize();
	return 0;
}
