/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the message queue interface must say of rank 0 of 2: a line per communicator, operation and class of collective
 * calls, for tests/live/check_queues_tracked.c.
 */
#include "answers.h"

enum { MANY = 1 << 18 };

static int in[64], out[MANY], sum, one = 1;

int main(int argc, char **argv)
{
	int rank;
	MPI_Request r[7];
	MPI_Datatype column;
	MPI_Comm ring, quiet;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	emit_on = rank == 0;
	MPI_Comm_dup(MPI_COMM_WORLD, &ring);
	MPI_Comm_set_name(ring, "ring");
	MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &quiet);
	MPI_Comm_set_name(quiet, "quiet");
	MPI_Type_vector(4, 1, 8, MPI_INT, &column);
	MPI_Type_commit(&column);
	MPI_Type_set_name(column, "column");
	for (int i = 0; i < 3; i++)
		MPI_Barrier(ring);
	for (int i = 0; i < 2; i++)
		MPI_Bcast(&sum, 1, MPI_INT, 0, ring);
	MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, ring);
	if (rank == 1)
		emit_ready();
	/* the other one never joins */
	MPI_Ibarrier(ring, &r[0]);
	MPI_Irecv(in, 1, column, 1, 7, ring, &r[1]);
	MPI_Recv_init(in, 3, MPI_INT, MPI_ANY_SOURCE, 9, ring, &r[2]);
	MPI_Start(&r[2]);
	MPI_Irecv(in, 2, MPI_INT, 1, MPI_ANY_TAG, quiet, &r[3]);
	MPI_Issend(out, MANY, MPI_INT, 1, 8, ring, &r[4]);
	MPI_Ssend_init(out, 5, MPI_INT, 1, 10, ring, &r[5]);
	MPI_Start(&r[5]);
	/* not started: nothing is pending */
	MPI_Recv_init(in, 3, MPI_INT, 1, 11, ring, &r[6]);

	emit("{'comm': 'MPI_COMM_WORLD', 'rank': 0, 'group': [0, 1], 'sends': 0, 'receives': 0}");
	emit("{'comm': 'ring', 'rank': 0, 'group': [0, 1], 'sends': 2, 'receives': 2}");
	emit("{'comm': 'quiet', 'rank': 1, 'group': [1, 0], 'sends': 0, 'receives': 1}");
	emit("{'queue': 'receives', 'comm': 'ring', 'tag': 7, 'peer': 1, 'bytes': 16, 'buffer': %" PRIuPTR
	     ", 'texts': ['Receive: MPI_Irecv', '1 column, made by MPI_Type_vector', 'request 0x%" PRIx64 "']}",
	     (uintptr_t)in, BITS(r[1]));
	emit("{'queue': 'receives', 'comm': 'ring', 'tag': 9, 'peer': -1, 'bytes': 12, 'buffer': %" PRIuPTR
	     ", 'texts': ['Receive: MPI_Recv_init', '3 MPI_INT', 'request 0x%" PRIx64 "']}",
	     (uintptr_t)in, BITS(r[2]));
	emit("{'queue': 'receives', 'comm': 'quiet', 'tag': null, 'peer': 1, 'bytes': 8, 'buffer': %" PRIuPTR
	     ", 'texts': ['Receive: MPI_Irecv', '2 MPI_INT', 'request 0x%" PRIx64 "']}",
	     (uintptr_t)in, BITS(r[3]));
	emit("{'queue': 'sends', 'comm': 'ring', 'tag': 8, 'peer': 1, 'bytes': %d, 'buffer': %" PRIuPTR
	     ", 'texts': ['Send: MPI_Issend', '%d MPI_INT', 'request 0x%" PRIx64 "']}",
	     MANY * (int)sizeof(int), (uintptr_t)out, MANY, BITS(r[4]));
	emit("{'queue': 'sends', 'comm': 'ring', 'tag': 10, 'peer': 1, 'bytes': 20, 'buffer': %" PRIuPTR
	     ", 'texts': ['Send: MPI_Ssend_init', '5 MPI_INT', 'request 0x%" PRIx64 "']}",
	     (uintptr_t)out, BITS(r[5]));
	/* classes as the interface orders them: 0 barrier, 1 broadcast, 4 allreduce, 12 scatter */
	emit("{'collective': 0, 'comm': 'ring', 'calls': 4, 'active': 1}");
	emit("{'collective': 1, 'comm': 'ring', 'calls': 2, 'active': 0}");
	emit("{'collective': 4, 'comm': 'ring', 'calls': 1, 'active': 0}");
	emit("{'collective': 12, 'comm': 'ring', 'calls': 0, 'active': 0}");
	emit("{'collective': 0, 'comm': 'quiet', 'calls': 0, 'active': 0}");
	emit("{'main': %" PRIuPTR "}", (uintptr_t)main);
	emit_ready();
}
