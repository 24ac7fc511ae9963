/* SPDX-License-Identifier: BSD-3-Clause */
#include "priority.h"

#include <stdio.h>
#include <unistd.h>

size_t cmd_n_processors(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 ? (size_t)n : 1;
}

/* Format "0.20 0.18 0.12 3/80 11206": three processes want a processor now, including this one. */
static bool is_crowded(void)
{
	FILE *f = fopen("/proc/loadavg", "re");
	size_t n = 0;

	if (!f)
		return false;
	bool known = fscanf(f, "%*s %*s %*s %zu/", &n) == 1;
	fclose(f);
	return known && n > cmd_n_processors();
}

void cmd_priority_raise(struct cmd_priority *before)
{
	*before = (struct cmd_priority){ .policy = sched_getscheduler(0) };
	if (!is_crowded() || before->policy != SCHED_OTHER || sched_getparam(0, &before->param))
		return;
	const struct sched_param lowest = { .sched_priority = sched_get_priority_min(SCHED_RR) };
	before->raised = sched_setscheduler(0, SCHED_RR, &lowest) == 0;
}

void cmd_priority_restore(const struct cmd_priority *before)
{
	if (before->raised)
		sched_setscheduler(0, before->policy, &before->param);
}
