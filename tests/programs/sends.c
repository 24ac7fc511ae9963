/* SPDX-License-Identifier: BSD-3-Clause */
/* Pending sends of every mode from rank 0 to rank 1, which makes no progress. */
#include "truth.h"

enum { BIG = 1 << 20 };

static char buf[BIG], attached[4 * BIG];

int main(int argc, char **argv)
{
	MPI_Request req[64];
	MPI_Datatype column;
	int n = 0;

	MPI_Init(&argc, &argv);
	truth_init();
	struct truth_comm *world = truth_comm(MPI_COMM_WORLD);
	truth_comm(MPI_COMM_SELF);
	MPI_Type_vector(1024, 1, 16, MPI_DOUBLE, &column);
	MPI_Type_set_name(column, "a column");
	MPI_Type_commit(&column);

	if (truth.rank == 1) {
		MPI_Irecv(buf, BIG, MPI_BYTE, 0, 40, MPI_COMM_WORLD, &req[0]);
		truth_op(world, TRUTH_RECEIVES, .peer = 0, .tag = 40, .count = BIG, .type = MPI_BYTE,
			 .request = req[0]);
		truth_stay();
	}
	truth_wait_for(1);

#define SEND(CALL, FUNCTION, MODE, TAG, COUNT, TYPE)                                                                   \
	do {                                                                                                           \
		CALL(buf, COUNT, TYPE, 1, TAG, MPI_COMM_WORLD, &req[n]);                                               \
		truth_op(world, TRUTH_SENDS, .peer = 1, .tag = TAG, .count = COUNT, .type = TYPE, .request = req[n],   \
			 .function = FUNCTION, .mode = MODE, .buffer = buf);                                           \
		n++;                                                                                                   \
	} while (0)

	SEND(MPI_Isend, "MPI_Isend", "standard", 10, BIG, MPI_BYTE);
	SEND(MPI_Isend, "MPI_Isend", "standard", 11, BIG / 8, MPI_DOUBLE);
	SEND(MPI_Isend, "MPI_Isend", "standard", 12, 1, column);
	SEND(MPI_Issend, "MPI_Issend", "synchronous", 20, 5, MPI_INT);
	SEND(MPI_Issend, "MPI_Issend", "synchronous", 21, 0, MPI_INT);
	SEND(MPI_Issend, "MPI_Issend", "synchronous", 22, BIG / 2, MPI_SHORT);
	SEND(MPI_Irsend, "MPI_Irsend", "ready", 40, BIG, MPI_BYTE);

	/* eager: already sent, and the request is complete, unless the transport must first return its buffer */
	for (int i = 0; i < 3; i++) {
		int bytes = (int[]){ 8, 2000, 4000 }[i], complete;

		MPI_Isend(buf, bytes, MPI_BYTE, 1, 50 + i, MPI_COMM_WORLD, &req[n]);
		MPI_Request_get_status(req[n], &complete, MPI_STATUS_IGNORE);
		if (!complete)
			truth_op(world, TRUTH_SENDS, .peer = 1, .tag = 50 + i, .count = bytes, .type = MPI_BYTE,
				 .mode = "standard", .function = "MPI_Isend", .request = req[n]);
		n++;
	}

	/* buffered: complete for the program, not for the library */
	MPI_Buffer_attach(attached, sizeof attached);
	MPI_Ibsend(buf, BIG / 4, MPI_INT, 1, 60, MPI_COMM_WORLD, &req[n]);
	truth_op(world, TRUTH_SENDS, .peer = 1, .tag = 60, .count = BIG / 4, .type = MPI_INT, .mode = "buffered",
		 .function = "MPI_Ibsend", .request = req[n]);
	n++;

	/* persistent: started, and not */
	MPI_Send_init(buf, BIG, MPI_CHAR, 1, 70, MPI_COMM_WORLD, &req[n]);
	MPI_Start(&req[n]);
	truth_op(world, TRUTH_SENDS, .peer = 1, .tag = 70, .count = BIG, .type = MPI_CHAR, .persistent = true,
		 .mode = "standard", .function = "MPI_Send_init", .request = req[n]);
	n++;
	MPI_Ssend_init(buf, 4, MPI_CHAR, 1, 71, MPI_COMM_WORLD, &req[n]);
	MPI_Start(&req[n]);
	truth_op(world, TRUTH_SENDS, .peer = 1, .tag = 71, .count = 4, .type = MPI_CHAR, .persistent = true,
		 .mode = "synchronous", .function = "MPI_Ssend_init", .request = req[n]);
	n++;
	MPI_Send_init(buf, 3, MPI_CHAR, 1, 72, MPI_COMM_WORLD, &req[n]);
	truth_op(world, TRUTH_INACTIVE_SENDS, .peer = 1, .tag = 72, .count = 3, .type = MPI_CHAR, .persistent = true,
		 .mode = "standard", .request = req[n]);
	n++;

	/* freed while active */
	MPI_Isend(buf, BIG, MPI_BYTE, 1, 80, MPI_COMM_WORLD, &req[n]);
	truth_op(world, TRUTH_SENDS, .peer = 1, .tag = 80, .count = BIG, .type = MPI_BYTE, .mode = "standard",
		 .freed = true, .request = req[n]);
	MPI_Request_free(&req[n]);
	n++;

	/* more than one chunk of the library's free list */
	for (int i = 0; i < 200; i++) {
		MPI_Request r;

		MPI_Issend(buf, i, MPI_BYTE, 1, 1000 + i, MPI_COMM_WORLD, &r);
		truth_op(world, TRUTH_SENDS, .peer = 1, .tag = 1000 + i, .count = i, .type = MPI_BYTE,
			 .mode = "synchronous", .request = r);
	}
	truth_stay();
}
