/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: facts_orphans FILE, 1 process, with the in-target library
 * Requests whose handle values come again and again. Some at once; then, when a debugger has set `go`, so many more,
 * with the tags 1000, 1001 ...; then `done` is 1. When it has set `hold` so many receives stay pending, and `done`
 * is 2. Every fourth request is a persistent one, which is freed.
 */
#include "answers.h"

enum { WARM = 5, TAG = 1000, HELD = 5000, FREED = 4 };

volatile int go, done, hold;

static void turn(int tag)
{
	int in = 0, out = tag;
	MPI_Request r;

	if (tag % FREED == 0) {
		MPI_Recv_init(&in, 1, MPI_INT, 0, tag, MPI_COMM_SELF, &r);
		MPI_Start(&r);
	} else {
		MPI_Irecv(&in, 1, MPI_INT, 0, tag, MPI_COMM_SELF, &r);
	}
	MPI_Send(&out, 1, MPI_INT, 0, tag, MPI_COMM_SELF);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	TRUST(in == tag);
	if (tag % FREED == 0)
		MPI_Request_free(&r);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	for (int i = 0; i < WARM; i++)
		turn(1 + i);
	emit("{'args': 'handles request', 'words': 'requests: 0 live'}");
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	while (!go)
		usleep(10000);
	for (int i = 0; i < go; i++)
		turn(TAG + i);
	done = 1;
	while (!hold)
		usleep(10000);
	MPI_Request *held = calloc((size_t)hold, sizeof(*held));
	static int in;
	for (int i = 0; i < hold; i++)
		MPI_Irecv(&in, 1, MPI_INT, 0, HELD + i, MPI_COMM_SELF, &held[i]);
	done = 2;
	for (;;)
		pause();
}
