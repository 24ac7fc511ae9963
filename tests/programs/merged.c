/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: merged FILE, 2 ranks, under Open MPI with the in-target library and MPI2DD_TRACK_WHERE=2
 * Operations of which the library knows how far they are and the tracker who asked for them, where, and with what; rank
 * 0 says both (answers.h).
 */
#include "answers.h"

enum { MANY = 1 << 18 };

static int in[64], out[MANY];

int main(int argc, char **argv)
{
	int rank, line_recv, line_send, line_split, line_done, flag = 0;
	MPI_Request r[4];
	MPI_Datatype column;
	MPI_Comm half, ring;

	(void)argc, (void)argv;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	emit_on = rank == 0;
	MPI_Comm_dup(MPI_COMM_WORLD, &ring);
	MPI_Comm_set_name(ring, "ring");
	line_split = __LINE__ + 1;
	MPI_Comm_split(ring, 0, -rank, &half);
	MPI_Comm_set_name(half, "half");
	MPI_Type_vector(4, 1, 8, MPI_INT, &column);
	MPI_Type_commit(&column);
	MPI_Type_set_name(column, "column");
	if (rank == 1)
		MPI_Send(out, 1, MPI_INT, 1 - rank, 5, ring);
	MPI_Barrier(ring);
	if (rank == 1)
		emit_ready();
	line_recv = __LINE__ + 1;
	MPI_Irecv(in, 1, column, 1, 7, ring, &r[0]);
	line_send = __LINE__ + 1;
	MPI_Issend(out, MANY, MPI_INT, 1, 8, ring, &r[1]);
	MPI_Recv_init(in, 3, MPI_INT, MPI_ANY_SOURCE, 9, ring, &r[2]);
	MPI_Start(&r[2]);
	/* complete without the program knowing: active in the tracker's record, complete in the library */
	line_done = __LINE__ + 1;
	MPI_Irecv(&in[32], 1, MPI_INT, 1, 5, ring, &r[3]);
	for (int i = 0; i < 1000; i++)
		MPI_Iprobe(1, 99, ring, &flag, MPI_STATUS_IGNORE);
	MPI_Request_get_status(r[3], &flag, MPI_STATUS_IGNORE);
	TRUST(flag);
	emit("{'args': 'queues --all', 'comm': 'ring', 'key': 'pending_receives', 'tag': 7, 'is': {'function': "
	     "'MPI_Irecv', "
	     "'status': 'pending', 'origin': 'ob1', 'request': '0x%" PRIx64 "', 'datatype': 'column', "
	     "'datatype_made_by': 'MPI_Type_vector', 'caller_place': 'main at merged.c:%d', "
	     "'origins': {'function': 'tracker', 'caller': 'tracker'}}}",
	     BITS(r[0]), line_recv);
	emit("{'args': 'queues --all', 'comm': 'ring', 'key': 'pending_sends', 'tag': 8, 'is': {'function': "
	     "'MPI_Issend', "
	     "'status': 'pending', 'origin': 'ob1', 'request': '0x%" PRIx64
	     "', 'caller_place': 'main at merged.c:%d'}}",
	     BITS(r[1]), line_send);
	emit("{'args': 'queues --all', 'comm': 'ring', 'key': 'pending_receives', 'tag': 9, 'is': {'function': "
	     "'MPI_Recv_init', 'persistent': true, 'active': true, 'request': '0x%" PRIx64 "'}}",
	     BITS(r[2]));
	emit("{'args': 'queues --all', 'comm': 'ring', 'key': 'pending_receives', 'tag': 5, 'is': {'function': "
	     "'MPI_Irecv', "
	     "'status': 'complete', 'actual_bytes': 4, 'request': '0x%" PRIx64
	     "', 'caller_place': 'main at merged.c:%d'}}",
	     BITS(r[3]), line_done);
	emit("{'args': 'print request 0x%" PRIx64 "', 'is': {'complete': true, 'complete_origin': 'MPI library', "
	     "'active': true}}",
	     BITS(r[3]));
	emit("{'args': 'print request 0x%" PRIx64 "', 'is': {'complete': false, 'complete_origin': 'MPI library'}}",
	     BITS(r[0]));
	emit("{'args': 'comms', 'comm': 'half', 'is': {'made_by': 'MPI_Comm_split', 'parent_name': 'ring', "
	     "'where_places': ['main at merged.c:%d', '...'], 'fortran': %d, 'origins': {'made_by': 'tracker'}}}",
	     line_split, (int)MPI_Comm_c2f(half));
	emit("{'args': 'comms', 'words': 'made by MPI_Comm_split of ring, in main at merged.c:%d'}", line_split);
	emit("{'args': 'queues', 'words': 'in main at merged.c:%d'}", line_recv);
	emit_ready();
}
