/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file hangs.h
 * What the cases of hangs.c share.
 */
#ifndef HANGS_H
#define HANGS_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LONG = 1 << 18, TAG = 5 };

static char *program;
static int rank, size, left, right, is_spawned;
static int out[LONG], in[LONG];
static MPI_Status statuses[2];

/* The file is renamed when it is complete, so a reader never sees a part of it. */
static void announce(void)
{
	const char *dir = getenv("TRUTH_DIR");
	char path[4096], made[4096];

	if (!dir)
		return;
	snprintf(path, sizeof(path), "%s/truth.%d.json", dir, is_spawned ? 100 + rank : rank);
	snprintf(made, sizeof(made), "%s/making.%d", dir, is_spawned ? 100 + rank : rank);
	FILE *f = fopen(made, "w");
	if (!f || fprintf(f, "{\"pid\": %ld}\n", (long)getpid()) < 0 || fclose(f) || rename(made, path)) {
		perror(path);
		_exit(9);
	}
}

__attribute__((noinline)) static void compute(void)
{
	for (volatile unsigned long n = 0; n < (unsigned long)-1; n++)
		;
}

__attribute__((noinline)) static void read_block(void)
{
	for (;;)
		sleep(3600);
}

static void send_to(int peer, int tag, MPI_Comm comm)
{
	MPI_Send(out, 1, MPI_INT, peer, tag, comm);
}

static void receive_from(int peer, int tag, MPI_Comm comm)
{
	MPI_Recv(in, 1, MPI_INT, peer, tag, comm, MPI_STATUS_IGNORE);
}

#endif /* HANGS_H */
