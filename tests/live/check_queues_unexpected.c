/* SPDX-License-Identifier: BSD-3-Clause */
/* Unexpected messages: eager and rendezvous, of several sources, to oneself, under two transports and eager limits. */
#include "../support/live_main.h"

static const struct live_case cases[] = {
	{ "unexpected", NULL, 3 },
	{ "unexpected", "--mca btl_vader_eager_limit 131072 --mca btl_vader_max_send_size 262144", 3 },
	{ "unexpected", "--mca btl self,tcp", 3 },
};

int main(void)
{
	return live_main("check_queues_unexpected", cases, sizeof cases / sizeof cases[0], NULL);
}
