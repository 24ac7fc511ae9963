/* SPDX-License-Identifier: BSD-3-Clause */
/* Intracommunicators of every origin and name, with four ranks. */
#include "truth.h"

static char buf[64][16];

int main(int argc, char **argv)
{
	MPI_Comm dup, half, odd_even, reversed, named, odd, utf8, freed, pending, cut, same;
	MPI_Group world_group, back, some;
	MPI_Request req;
	/* 63 bytes, the longest that fits */
	static const char long_name[] = "A name of 63 bytes, which is as long as Open MPI lets it be 012";

	MPI_Init(&argc, &argv);
	truth_init();
	truth_require(truth.size == 4 && sizeof long_name == 64);
	int rank = truth.rank, n = 0;

	MPI_Comm_set_name(MPI_COMM_WORLD, "everybody");
	struct truth_comm *world = truth_comm(MPI_COMM_WORLD);
	truth_comm(MPI_COMM_SELF);

	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	truth_comm(dup);
	MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
	truth_comm(half);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &odd_even);
	struct truth_comm *parity = truth_comm(odd_even);

	MPI_Comm_group(MPI_COMM_WORLD, &world_group);
	MPI_Group_incl(world_group, 4, (int[]){ 3, 2, 1, 0 }, &back);
	MPI_Comm_create(MPI_COMM_WORLD, back, &reversed);
	MPI_Comm_set_name(reversed, "reversed");
	struct truth_comm *from_back = truth_comm(reversed);

	/* a communicator that not everybody is in */
	MPI_Group_incl(world_group, 2, (int[]){ 2, 0 }, &some);
	MPI_Comm_create(MPI_COMM_WORLD, some, &cut);
	if (cut != MPI_COMM_NULL)
		truth_comm(cut);
	if (rank == 0 || rank == 2) {
		MPI_Comm_create_group(MPI_COMM_WORLD, some, 5, &same);
		MPI_Comm_set_name(same, "create_group");
		truth_comm(same);
	}
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &named);
	MPI_Comm_set_name(named, long_name);
	truth_comm(named);
	MPI_Comm_dup(MPI_COMM_WORLD, &odd);
	MPI_Comm_set_name(odd, "red \033[31m \"quoted\" \\ tab\t newline\n bell\a end");
	truth_comm(odd);
	MPI_Comm_dup(MPI_COMM_WORLD, &utf8);
	MPI_Comm_set_name(utf8, "Gr\303\274\303\237e \342\202\254 \360\237\230\200");
	truth_comm(utf8);
	MPI_Comm_dup(MPI_COMM_WORLD, &utf8);
	MPI_Comm_set_name(utf8, "");
	truth_comm_named(utf8, "");

	/* freed, nothing pending: it is gone */
	MPI_Comm_dup(MPI_COMM_WORLD, &freed);
	MPI_Comm_free(&freed);
	/* freed with a request pending: it stays until that is over */
	MPI_Comm_dup(MPI_COMM_WORLD, &pending);
	MPI_Comm_set_name(pending, "freed with a receive");
	struct truth_comm *ghost = truth_comm(pending);
	MPI_Irecv(buf[n++], 2, MPI_INT, (rank + 1) % 4, 41, pending, &req);
	truth_op(ghost, TRUTH_RECEIVES, .peer = (rank + 1) % 4, .tag = 41, .count = 2, .type = MPI_INT, .request = req);
	MPI_Comm_free(&pending);

	/* local ranks are not world ranks */
	MPI_Irecv(buf[n++], 1, MPI_INT, 0, 51, odd_even, &req);
	truth_op(parity, TRUTH_RECEIVES, .peer = 0, .tag = 51, .count = 1, .type = MPI_INT, .request = req);
	MPI_Irecv(buf[n++], 1, MPI_INT, 1, 52, reversed, &req);
	truth_op(from_back, TRUTH_RECEIVES, .peer = 1, .tag = 52, .count = 1, .type = MPI_INT, .request = req);
	MPI_Issend(buf[n++], 1, MPI_INT, 3, 53, reversed, &req);
	truth_op(from_back, TRUTH_SENDS, .peer = 3, .tag = 53, .count = 1, .type = MPI_INT, .request = req,
		 .mode = "synchronous");
	MPI_Irecv(buf[n++], 1, MPI_INT, 3, 54, MPI_COMM_WORLD, &req);
	truth_op(world, TRUTH_RECEIVES, .peer = 3, .tag = 54, .count = 1, .type = MPI_INT, .request = req);
	/* rank 3 of it is world rank 0, which hears from all four */
	if (rank == 0) {
		for (int peer = 0; peer < 4; peer++) {
			truth_wait_message(peer, 53, reversed);
			truth_op(from_back, TRUTH_UNEXPECTED, .peer = peer, .tag = 53, .count = 4);
		}
	}
	MPI_Group_free(&world_group);
	MPI_Group_free(&back);
	MPI_Group_free(&some);
	if (rank)
		truth_push_until(0);
	truth_stay();
}
