/* SPDX-License-Identifier: BSD-3-Clause */
/* Cartesian, graph and distributed graph communicators, with four ranks. */
#include "truth.h"

/* Open MPI's MPI_UNWEIGHTED is an address that gcc takes for an array of no elements. */
#if __GNUC__ >= 11
#pragma GCC diagnostic ignored "-Wstringop-overread"
#endif

int main(int argc, char **argv)
{
	MPI_Comm cart, row, line, graph, adjacent, weighted, general;
	MPI_Request req;
	static char buf[16];

	MPI_Init(&argc, &argv);
	truth_init();
	truth_require(truth.size == 4);
	int rank = truth.rank, left = (rank + 3) % 4, right = (rank + 1) % 4;

	truth_comm(MPI_COMM_WORLD);
	truth_comm(MPI_COMM_SELF);
	MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){ 2, 2 }, (int[]){ 0, 1 }, 0, &cart);
	MPI_Comm_set_name(cart, "2 x 2");
	struct truth_comm *c = truth_comm(cart);
	MPI_Cart_sub(cart, (int[]){ 0, 1 }, &row);
	truth_comm(row);
	MPI_Cart_create(MPI_COMM_WORLD, 3, (int[]){ 4, 1, 1 }, (int[]){ 1, 0, 1 }, 0, &line);
	truth_comm(line);
	MPI_Graph_create(MPI_COMM_WORLD, 4, (int[]){ 2, 3, 4, 6 }, (int[]){ 1, 3, 0, 3, 0, 2 }, 0, &graph);
	truth_comm(graph);
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, (int[]){ left }, MPI_UNWEIGHTED, 2, (int[]){ right, left },
				       MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &adjacent);
	truth_comm(adjacent);
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, (int[]){ left }, (int[]){ 10 + rank }, 1, (int[]){ right },
				       (int[]){ 10 + right }, MPI_INFO_NULL, 0, &weighted);
	MPI_Comm_set_name(weighted, "weighted");
	truth_comm(weighted);
	MPI_Dist_graph_create(MPI_COMM_WORLD, 1, (int[]){ rank }, (int[]){ 2 }, (int[]){ right, left }, (int[]){ 3, 4 },
			      MPI_INFO_NULL, 0, &general);
	truth_comm(general);
	/* nobody's neighbour */
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL,
				       0, &general);
	truth_comm(general);

	MPI_Irecv(buf, 1, MPI_INT, right, 5, cart, &req);
	truth_op(c, TRUTH_RECEIVES, .peer = right, .tag = 5, .count = 1, .type = MPI_INT, .request = req);
	truth_stay();
}
