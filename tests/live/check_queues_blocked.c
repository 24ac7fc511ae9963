/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks blocked in an MPI call: which call, which operation, which thread. */
#include "../support/live_main.h"

static const struct live_case cases[] = {
	{ "blocked Recv", NULL, 2 },     { "blocked Recv_any", NULL, 2 }, { "blocked Send", NULL, 2 },
	{ "blocked Ssend", NULL, 2 },    { "blocked Probe", NULL, 2 },    { "blocked Mprobe", NULL, 2 },
	{ "blocked Sendrecv", NULL, 2 }, { "blocked Wait", NULL, 2 },     { "blocked Waitall", NULL, 2 },
	{ "blocked Barrier", NULL, 3 },  { "blocked Bcast", NULL, 3 },    { "blocked Allreduce", NULL, 3 },
};

int main(void)
{
	return live_main("check_queues_blocked", cases, sizeof cases / sizeof cases[0], NULL);
}
