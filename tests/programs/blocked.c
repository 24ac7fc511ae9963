/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks blocked in an MPI call for ever: blocked CALL, with CALL the function's name without MPI_.
 * Rank 0 blocks (in collectives all but the last rank do); the others do nothing but sleep.
 */
#include "truth.h"

enum { BIG = 1 << 20 };

static char buf[BIG], buf2[BIG];

static bool is(const char *call, const char *name)
{
	return strcmp(call, name) == 0;
}

int main(int argc, char **argv)
{
	const char *call = argc > 1 ? argv[1] : "";
	MPI_Request req[3];
	MPI_Status statuses[3];
	MPI_Comm ring;

	MPI_Init(&argc, &argv);
	truth_init();
	MPI_Comm_dup(MPI_COMM_WORLD, &ring);
	MPI_Comm_set_name(ring, "ring");
	struct truth_comm *world = truth_comm(MPI_COMM_WORLD), *c = truth_comm(ring);
	truth_comm(MPI_COMM_SELF);
	int peer = truth.size - 1, tid = truth_tid();
	bool collective = is(call, "Barrier") || is(call, "Bcast") || is(call, "Allreduce");

	if (collective ? truth.rank == peer : truth.rank != 0)
		truth_stay();
	if (collective) {
		truth_publish(is(call, "Barrier") ? "MPI_Barrier"
			      : is(call, "Bcast") ? "MPI_Bcast"
						  : "MPI_Allreduce",
			      MPI_COMM_NULL);
		if (is(call, "Barrier"))
			MPI_Barrier(ring);
		else if (is(call, "Bcast"))
			MPI_Bcast(buf, BIG, MPI_BYTE, peer, ring);
		else
			MPI_Allreduce(buf, buf2, 10, MPI_INT, MPI_SUM, ring);
	}
	truth_wait_for(peer);
	/* something in a different communicator, to be told from what blocks */
	MPI_Irecv(buf2, 3, MPI_INT, peer, 77, MPI_COMM_WORLD, &req[0]);
	if (!is(call, "Waitall"))
		truth_op(world, TRUTH_RECEIVES, .peer = peer, .tag = 77, .count = 3, .type = MPI_INT, .request = req[0],
			 .function = "MPI_Irecv");

	if (is(call, "Recv")) {
		truth_op(c, TRUTH_RECEIVES, .peer = peer, .tag = 99, .count = 5, .type = MPI_DOUBLE, .blocking = true,
			 .function = "MPI_Recv", .thread = tid, .buffer = buf);
		truth_publish("MPI_Recv", ring);
		MPI_Recv(buf, 5, MPI_DOUBLE, peer, 99, ring, MPI_STATUS_IGNORE);
	} else if (is(call, "Recv_any")) {
		truth_op(c, TRUTH_RECEIVES, .peer = MPI_ANY_SOURCE, .tag = MPI_ANY_TAG, .count = 5, .type = MPI_DOUBLE,
			 .blocking = true, .function = "MPI_Recv", .thread = tid);
		truth_publish("MPI_Recv", ring);
		MPI_Recv(buf, 5, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, ring, MPI_STATUS_IGNORE);
	} else if (is(call, "Send")) {
		truth_op(c, TRUTH_SENDS, .peer = peer, .tag = 98, .count = BIG, .type = MPI_BYTE, .blocking = true,
			 .mode = "standard", .function = "MPI_Send", .thread = tid, .buffer = buf);
		truth_publish("MPI_Send", ring);
		MPI_Send(buf, BIG, MPI_BYTE, peer, 98, ring);
	} else if (is(call, "Ssend")) {
		truth_op(c, TRUTH_SENDS, .peer = peer, .tag = 97, .count = 2, .type = MPI_INT, .blocking = true,
			 .mode = "synchronous", .function = "MPI_Ssend", .thread = tid);
		truth_publish("MPI_Ssend", ring);
		MPI_Ssend(buf, 2, MPI_INT, peer, 97, ring);
	} else if (is(call, "Probe")) {
		truth_op(c, TRUTH_RECEIVES, .kind = "probe", .peer = peer, .tag = 96, .no_type = true,
			 .function = "MPI_Probe", .thread = tid);
		truth_publish("MPI_Probe", ring);
		MPI_Probe(peer, 96, ring, MPI_STATUS_IGNORE);
	} else if (is(call, "Mprobe")) {
		MPI_Message message;

		truth_op(c, TRUTH_RECEIVES, .kind = "mprobe", .peer = MPI_ANY_SOURCE, .tag = 95, .no_type = true,
			 .function = "MPI_Mprobe", .thread = tid);
		truth_publish("MPI_Mprobe", ring);
		MPI_Mprobe(MPI_ANY_SOURCE, 95, ring, &message, MPI_STATUS_IGNORE);
	} else if (is(call, "Sendrecv")) {
		truth_op(c, TRUTH_SENDS, .peer = peer, .tag = 94, .count = BIG, .type = MPI_BYTE, .blocking = true,
			 .function = "MPI_Sendrecv", .thread = tid);
		truth_op(c, TRUTH_RECEIVES, .peer = peer, .tag = 93, .count = 10, .type = MPI_BYTE, .blocking = true,
			 .function = "MPI_Sendrecv", .thread = tid);
		truth_publish("MPI_Sendrecv", ring);
		MPI_Sendrecv(buf, BIG, MPI_BYTE, peer, 94, buf2, 10, MPI_BYTE, peer, 93, ring, MPI_STATUS_IGNORE);
	} else if (is(call, "Wait")) {
		MPI_Irecv(buf, 4, MPI_INT, peer, 92, ring, &req[1]);
		truth_op(c, TRUTH_RECEIVES, .peer = peer, .tag = 92, .count = 4, .type = MPI_INT,
			 .function = "MPI_Irecv", .request = req[1], .thread = tid);
		truth_publish("MPI_Wait", ring);
		MPI_Wait(&req[1], MPI_STATUS_IGNORE);
	} else if (is(call, "Waitall")) {
		truth_op(world, TRUTH_RECEIVES, .peer = peer, .tag = 77, .count = 3, .type = MPI_INT, .request = req[0],
			 .function = "MPI_Irecv");
		MPI_Issend(buf, 4, MPI_INT, peer, 91, ring, &req[1]);
		truth_op(c, TRUTH_SENDS, .peer = peer, .tag = 91, .count = 4, .type = MPI_INT, .function = "MPI_Issend",
			 .request = req[1]);
		MPI_Irecv(buf, 4, MPI_INT, peer, 90, ring, &req[2]);
		truth_op(c, TRUTH_RECEIVES, .peer = peer, .tag = 90, .count = 4, .type = MPI_INT,
			 .function = "MPI_Irecv", .request = req[2]);
		truth_publish("MPI_Waitall", MPI_COMM_NULL);
		MPI_Waitall(3, req, statuses);
	} else {
		fprintf(stderr, "blocked: no such call: %s\n", call);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	fprintf(stderr, "blocked: MPI_%s has returned\n", call);
	MPI_Abort(MPI_COMM_WORLD, 3);
}
