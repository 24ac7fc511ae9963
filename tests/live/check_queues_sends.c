/* SPDX-License-Identifier: BSD-3-Clause */
/* Pending sends of every mode, persistent, freed, buffered. */
#include "../support/live_main.h"

static const struct live_case cases[] = {
	{ "sends", NULL, 2 },
	{ "sends", LIVE_NO_SINGLE_COPY, 2 },
};

int main(void)
{
	return live_main("check_queues_sends", cases, sizeof cases / sizeof cases[0], NULL);
}
