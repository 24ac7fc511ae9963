/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Usage: orphans FILE, 1 process, with the in-target library and MPI2DD_TRACK_INFO=64
 * Waits for a debugger that sets `go`; then makes and frees 40 infos, and 20 communicators, of which one handle value
 * serves all, with the names "freed 0" to "freed 19"; sets `done`, and waits for ever.
 */
#include "answers.h"

enum { N = 40, N_COMMS = 20 };

volatile int go, done;

int main(int argc, char **argv)
{
	MPI_Info info;

	MPI_Init(&argc, &argv);
	emit("{'args': 'handles info', 'words': 'infos: 0 live'}");
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	while (!go)
		usleep(10000);
	for (int i = 0; i < N; i++) {
		MPI_Info_create(&info);
		MPI_Info_set(info, "turn", "x");
		MPI_Info_free(&info);
	}
	for (int i = 0; i < N_COMMS; i++) {
		char name[16];
		MPI_Comm c;

		MPI_Comm_dup(MPI_COMM_SELF, &c);
		snprintf(name, sizeof name, "freed %d", i);
		MPI_Comm_set_name(c, name);
		MPI_Comm_free(&c);
	}
	done = 1;
	for (;;)
		pause();
}
