/* SPDX-License-Identifier: BSD-3-Clause */
/* Posted receives: specific, wild, mixed, persistent, freed; matched ones; messages that MPI_Mprobe took. */
#include "../support/live_main.h"

static const struct live_case cases[] = {
	{ "receives", NULL, 3 },
	{ "messages", LIVE_NO_SINGLE_COPY, 2 },
};

int main(void)
{
	return live_main("check_queues_receives", cases, sizeof cases / sizeof cases[0], NULL);
}
