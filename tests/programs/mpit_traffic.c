/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpit_traffic: ranks that exchange messages by all kinds of calls, in numbers and sizes that differ from rank to rank,
 * and count them as they go. Says at the end on stderr "truth: sent N messages, N bytes; received N messages, N bytes".
 * With a folder as its argument each rank leaves a core of itself there before MPI_Finalize.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

/* MPICH declares arrays of statuses, and "ignored" is none. */
#pragma GCC diagnostic ignored "-Wstringop-overflow"

enum { MOST = 4096, PER_PAIR = 40 };

static unsigned long long sent, sent_bytes, received, received_bytes;
static int rank, size;
static char out[MOST], in[PER_PAIR][MOST];

/* Both sides know how many there are and how long each is. */
static int how_many(int from, int to)
{
	return 5 + (7 * from + 3 * to) % (PER_PAIR - 5);
}

static int how_long(int from, int to, int i)
{
	return (from * 131 + to * 17 + i * 53) % MOST;
}

static void send(int to)
{
	MPI_Request r;

	for (int i = 0; i < how_many(rank, to); i++) {
		int n = how_long(rank, to, i);
		sent++;
		sent_bytes += (unsigned)n;
		switch (i % 5) {
		case 0:
			MPI_Send(out, n, MPI_CHAR, to, i, MPI_COMM_WORLD);
			break;
		case 1:
			MPI_Isend(out, n, MPI_CHAR, to, i, MPI_COMM_WORLD, &r);
			MPI_Wait(&r, MPI_STATUS_IGNORE);
			break;
		case 2:
			MPI_Send_init(out, n, MPI_CHAR, to, i, MPI_COMM_WORLD, &r);
			MPI_Start(&r);
			MPI_Wait(&r, MPI_STATUS_IGNORE);
			MPI_Request_free(&r);
			break;
		case 3:
			MPI_Ssend(out, n, MPI_CHAR, to, i, MPI_COMM_WORLD);
			break;
		default:
			MPI_Send(out, n, MPI_BYTE, to, i, MPI_COMM_WORLD);
		}
	}
}

static void post(int from, MPI_Request *r)
{
	for (int i = 0; i < how_many(from, rank); i++)
		MPI_Irecv(in[i], MOST, MPI_CHAR, i % 2 ? from : MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &r[i]);
}

static void finish(int from, MPI_Request *r)
{
	int n = how_many(from, rank), index, some, indices[PER_PAIR];

	for (int i = 0; i < n; i++) {
		received++;
		received_bytes += (unsigned)how_long(from, rank, i);
	}
	MPI_Waitany(n, r, &index, MPI_STATUS_IGNORE);
	MPI_Waitsome(n, r, &some, indices, MPI_STATUSES_IGNORE);
	MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
}

/* The bytes of a partitioned message are not known when it is started: it counts as a message, and no
 * bytes are added. */
static void partitioned(int to, int from)
{
#if MPI_VERSION >= 4
	enum { PARTITIONS = 4, EACH = 8 };
	MPI_Request r[2];
	MPI_Status status[2];
	int n;

	MPI_Psend_init(out, PARTITIONS, EACH, MPI_CHAR, to, 998, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
	MPI_Precv_init(in, PARTITIONS, EACH, MPI_CHAR, from, 998, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
	MPI_Startall(2, r);
	MPI_Pready_range(0, PARTITIONS - 1, r[0]);
	MPI_Waitall(2, r, status);
	MPI_Get_count(&status[1], MPI_CHAR, &n);
	sent++;
	received++;
	received_bytes += (unsigned)n;
	MPI_Request_free(&r[0]);
	MPI_Request_free(&r[1]);
#else
	(void)to;
	(void)from;
#endif
}

static void dump(const char *folder)
{
	char line[4096];

	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	snprintf(line, sizeof(line), "env -u LD_PRELOAD gcore -o %s/core %d >/dev/null 2>&1", folder, (int)getpid());
	if (system(line) != 0)
		fprintf(stderr, "rank %d: no core\n", rank);
}

int main(int argc, char **argv)
{
	MPI_Request r[PER_PAIR];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int round = 1; round < size; round++) {
		int to = (rank + round) % size, from = (rank + size - round) % size;
		post(from, r);
		MPI_Barrier(MPI_COMM_WORLD);
		send(to);
		finish(from, r);
		MPI_Barrier(MPI_COMM_WORLD);
		sent++;
		received++;
		sent_bytes += (unsigned)rank;
		received_bytes += (unsigned)from;
		MPI_Sendrecv(out, rank, MPI_CHAR, to, 999, in, MOST, MPI_CHAR, from, 999, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
	}
	partitioned((rank + 1) % size, (rank + size - 1) % size);
	if (argc > 1)
		dump(argv[1]);
	fprintf(stderr, "truth: sent %llu messages, %llu bytes; received %llu messages, %llu bytes\n", sent, sent_bytes,
		received, received_bytes);
	MPI_Finalize();
	return 0;
}
