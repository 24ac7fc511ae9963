/* SPDX-License-Identifier: BSD-3-Clause */
/* Several threads of one rank in MPI at once. */
#include "../support/live_main.h"

static const struct live_case cases[] = {
	{ "threads", NULL, 2 },
};

int main(void)
{
	return live_main("check_queues_threads", cases, sizeof cases / sizeof cases[0], NULL);
}
