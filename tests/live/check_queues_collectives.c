/* SPDX-License-Identifier: BSD-3-Clause */
/* Non-blocking collectives in flight, and none of their traffic among the messages. */
#include "../support/live_main.h"

static const struct live_case cases[] = {
	{ "collectives", NULL, 3 },
	{ "collectives", NULL, 4 },
};

int main(void)
{
	return live_main("check_queues_collectives", cases, sizeof cases / sizeof cases[0], NULL);
}
