/* SPDX-License-Identifier: BSD-3-Clause */
/* Intercommunicators with traffic, between parts of one job and between two jobs. */
#include "../support/live_main.h"

static const struct live_case cases[] = {
	{ "inter", NULL, 5 },
	{ "spawn", NULL, 2, 4 },
};

int main(void)
{
	return live_main("check_comms_inter", cases, sizeof cases / sizeof cases[0], NULL);
}
