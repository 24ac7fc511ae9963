/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file cpu.h
 * Processor time of this command.
 */
#ifndef CMD_CPU_H
#define CMD_CPU_H

#include <sys/resource.h>

/** Seconds that this process and those of its children that have ended have used. */
static inline double cmd_cpu_s(void)
{
	static const int who[] = { RUSAGE_SELF, RUSAGE_CHILDREN };
	double ret = 0;

	for (int i = 0; i < 2; i++) {
		struct rusage u;
		if (getrusage(who[i], &u) == 0)
			ret += (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
			       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
	}
	return ret;
}

#endif /* CMD_CPU_H */
