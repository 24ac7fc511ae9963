/* SPDX-License-Identifier: BSD-3-Clause */
/* Intracommunicators: origins, names, members, topologies, freed ones, many. */
#include "../support/live_main.h"

static const struct live_case cases[] = {
	{ "comms", NULL, 4 },
	{ "topologies", NULL, 4 },
	{ "many", NULL, 2 },
};

int main(void)
{
	return live_main("check_comms_intra", cases, sizeof cases / sizeof cases[0], NULL);
}
