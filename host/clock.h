/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file clock.h
 * The time that has passed.
 */
#ifndef HOST_CLOCK_H
#define HOST_CLOCK_H

#include <time.h>

/** Milliseconds of a clock that nobody sets. */
static inline double host_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

#endif /* HOST_CLOCK_H */
