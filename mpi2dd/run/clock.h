/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file clock.h
 * The time by which the starter waits.
 */
#ifndef RUN_CLOCK_H
#define RUN_CLOCK_H

#include <stdint.h>
#include <time.h>

/** Milliseconds of CLOCK_MONOTONIC. */
static inline int64_t run_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

#endif /* RUN_CLOCK_H */
