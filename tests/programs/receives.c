/* SPDX-License-Identifier: BSD-3-Clause */
/* Posted receives of every kind, at rank 0; what rank 1 posts must not appear there. */
#include "truth.h"

static char buf[64][4096];
static double big[1 << 17];

/* That ob1 and MPICH both allow; of pml ucx, which has 24 bits for it, less. */
static int largest_tag(void)
{
	int *upper, found;

	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &upper, &found);
	return found && *upper < 268435455 ? *upper : 268435455;
}

int main(int argc, char **argv)
{
	MPI_Request req[64];
	MPI_Datatype vector, pair, named;
	MPI_Comm dup;
	int n = 0;

	MPI_Init(&argc, &argv);
	truth_init();
	struct truth_comm *world = truth_comm(MPI_COMM_WORLD), *self = truth_comm(MPI_COMM_SELF);
	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	MPI_Comm_set_name(dup, "mine");
	struct truth_comm *mine = truth_comm(dup);

	MPI_Type_vector(3, 2, 4, MPI_INT, &vector);
	MPI_Type_commit(&vector);
	MPI_Type_create_struct(2, (int[]){ 1, 1 }, (MPI_Aint[]){ 0, 8 }, (MPI_Datatype[]){ MPI_CHAR, MPI_DOUBLE },
			       &pair);
	MPI_Type_commit(&pair);
	MPI_Type_contiguous(5, MPI_SHORT, &named);
	MPI_Type_set_name(named, "five shorts");
	MPI_Type_commit(&named);

#define POST(comm, c, PEER, TAG, COUNT, TYPE)                                                                          \
	do {                                                                                                           \
		MPI_Irecv(buf[n], COUNT, TYPE, PEER, TAG, c, &req[n]);                                                 \
		truth_op(comm, TRUTH_RECEIVES, .peer = PEER, .tag = TAG, .count = COUNT, .type = TYPE,                 \
			 .request = req[n], .function = "MPI_Irecv", .buffer = buf[n], .status = "pending");           \
		n++;                                                                                                   \
	} while (0)

	if (truth.rank == 0) {
		/* one order over five lists: three peers and the wild ones */
		POST(world, MPI_COMM_WORLD, 1, 7, 3, MPI_INT);
		POST(world, MPI_COMM_WORLD, MPI_ANY_SOURCE, 8, 1, MPI_DOUBLE);
		POST(world, MPI_COMM_WORLD, 2, 9, 100, MPI_BYTE);
		POST(world, MPI_COMM_WORLD, MPI_ANY_SOURCE, MPI_ANY_TAG, 4, MPI_CHAR);
		POST(world, MPI_COMM_WORLD, 1, MPI_ANY_TAG, 2, MPI_LONG);
		POST(world, MPI_COMM_WORLD, 0, 0, 1, MPI_FLOAT);
		POST(world, MPI_COMM_WORLD, 1, 7, 0, MPI_INT);
		POST(world, MPI_COMM_WORLD, 2, 32767, 1, MPI_UNSIGNED_CHAR);
		POST(world, MPI_COMM_WORLD, MPI_ANY_SOURCE, 1, 1, vector);
		POST(world, MPI_COMM_WORLD, 1, 2, 2, pair);
		POST(world, MPI_COMM_WORLD, 2, 3, 7, named);
		POST(world, MPI_COMM_WORLD, 1, largest_tag(), 16, MPI_PACKED);
		POST(world, MPI_COMM_WORLD, 2, 4, 1, MPI_DOUBLE_INT);
		POST(world, MPI_COMM_WORLD, 2, 5, 1, MPI_C_DOUBLE_COMPLEX);
		POST(self, MPI_COMM_SELF, 0, 11, 1, MPI_INT);
		POST(self, MPI_COMM_SELF, MPI_ANY_SOURCE, MPI_ANY_TAG, 1, MPI_INT64_T);

		POST(mine, dup, 2, 11, 1, MPI_INT);

		/* larger than memory could be here: a count is not a buffer */
		MPI_Irecv(big, 1 << 17, MPI_DOUBLE, 1, 12, MPI_COMM_WORLD, &req[n]);
		truth_op(world, TRUTH_RECEIVES, .peer = 1, .tag = 12, .count = 1 << 17, .type = MPI_DOUBLE,
			 .request = req[n], .function = "MPI_Irecv", .buffer = big);
		n++;
		MPI_Irecv(big, 2147483647, MPI_DOUBLE, 1, 13, MPI_COMM_WORLD, &req[n]);
		truth_op(world, TRUTH_RECEIVES, .peer = 1, .tag = 13, .count = 2147483647, .type = MPI_DOUBLE,
			 .request = req[n], .function = "MPI_Irecv");
		n++;

		/* persistent: started, and not */
		MPI_Recv_init(buf[n], 5, MPI_INT, 2, 21, MPI_COMM_WORLD, &req[n]);
		MPI_Start(&req[n]);
		truth_op(world, TRUTH_RECEIVES, .peer = 2, .tag = 21, .count = 5, .type = MPI_INT, .request = req[n],
			 .persistent = true, .function = "MPI_Recv_init");
		n++;
		MPI_Recv_init(buf[n], 6, MPI_INT, 2, 22, MPI_COMM_WORLD, &req[n]);
		truth_op(world, TRUTH_INACTIVE_RECEIVES, .peer = 2, .tag = 22, .count = 6, .type = MPI_INT,
			 .request = req[n], .persistent = true);
		n++;

		/* freed while active; cancelled and therefore removed */
		MPI_Irecv(buf[n], 8, MPI_INT, 1, 23, MPI_COMM_WORLD, &req[n]);
		truth_op(world, TRUTH_RECEIVES, .peer = 1, .tag = 23, .count = 8, .type = MPI_INT, .request = req[n],
			 .freed = true);
		MPI_Request_free(&req[n]);
		n++;
		MPI_Irecv(buf[n], 9, MPI_INT, 1, 24, MPI_COMM_WORLD, &req[n]);
		MPI_Cancel(&req[n]);
		MPI_Wait(&req[n], MPI_STATUS_IGNORE);
		truth_require(n < 64);
	} else if (truth.rank == 1) {
		POST(world, MPI_COMM_WORLD, 0, 70, 1, MPI_INT);
	}
	/* the type is freed; the request keeps it alive */
	MPI_Type_free(&vector);
	if (truth.rank == 2)
		for (int i = 0; i < 200; i++) {
			n = i % 64;
			POST(world, MPI_COMM_WORLD, i % 3 == 2 ? MPI_ANY_SOURCE : i % 3, 1000 + i, 1 + i % 50,
			     MPI_CHAR);
		}
	truth_stay();
}
