/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One rank that sends messages to itself and leaves receives pending, prints what is pending, a line of JSON each, and
 * aborts: the core is the target of tools/check_foreign.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE = 1 << 16 };

static char in[LARGE], out[LARGE];

static void emit(const char *comm, const char *list, const char *peer, int tag, long bytes)
{
	printf("{\"comm\": \"%s\", \"list\": \"%s\", \"peer\": %s, \"tag\": %d, \"bytes\": %ld}\n", comm, list, peer,
	       tag, bytes);
}

static void receive(MPI_Comm comm, const char *name, int source, int tag, int count, MPI_Datatype type)
{
	MPI_Request request;
	int size;

	MPI_Type_size(type, &size);
	MPI_Irecv(in, count, type, source, tag, comm, &request);
	emit(name, "pending_receives", source == MPI_ANY_SOURCE ? "null" : "0", tag, (long)count * size);
}

/* A short message is complete when it is sent; it lies with the receiver until it is received. */
static void send(MPI_Comm comm, const char *name, int tag, int bytes)
{
	MPI_Request request;

	MPI_Isend(out, bytes, MPI_BYTE, 0, tag, comm, &request);
	emit(name, "unexpected", "0", tag, bytes);
}

static void send_synchronous(MPI_Comm comm, const char *name, int tag, int bytes)
{
	MPI_Request request;

	MPI_Issend(out, bytes, MPI_BYTE, 0, tag, comm, &request);
	emit(name, "pending_sends", "0", tag, bytes);
	emit(name, "unexpected", "0", tag, bytes);
}

int main(int argc, char **argv)
{
	MPI_Comm halo, half;
	MPI_Datatype column;

	MPI_Init(&argc, &argv);
	MPI_Comm_dup(MPI_COMM_WORLD, &halo);
	MPI_Comm_set_name(halo, "halo");
	MPI_Comm_split(halo, 3, 0, &half);
	MPI_Comm_set_name(half, "half");
	MPI_Type_vector(4, 2, 8, MPI_DOUBLE, &column);
	MPI_Type_commit(&column);

	receive(MPI_COMM_WORLD, "MPI_COMM_WORLD", 0, 5, 10, MPI_DOUBLE);
	receive(MPI_COMM_WORLD, "MPI_COMM_WORLD", 0, 1000000, 3, MPI_INT);
	receive(halo, "halo", MPI_ANY_SOURCE, 6, 2, column);
	receive(half, "half", MPI_ANY_SOURCE, 7, LARGE, MPI_BYTE);
	send(halo, "halo", 9, 4);
	send(halo, "halo", 10, 0);
	send(MPI_COMM_SELF, "MPI_COMM_SELF", 11, 100);
	send_synchronous(half, "half", 12, 16);
	send_synchronous(half, "half", 13, LARGE);
	fflush(stdout);
	abort();
}
