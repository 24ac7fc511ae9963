/* SPDX-License-Identifier: BSD-3-Clause */
/* Before MPI_Init and after MPI_Finalize nothing can be read, and the output says so. */
#include "../support/live_main.h"

static const struct live_case cases[] = {
	{ "lifetime before", NULL, 2 },
	{ "lifetime after", NULL, 2 },
};

int main(void)
{
	return live_main("check_queues_lifetime", cases, sizeof cases / sizeof cases[0], NULL);
}
