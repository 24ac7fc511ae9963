/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file spent.h
 * Time and memory that the measuring process itself has spent.
 */
#ifndef BENCH_SPENT_H
#define BENCH_SPENT_H

#include <time.h>

/** Seconds of this clock. */
double spent_seconds(clockid_t clock);

/** A line of /proc/self/status in KiB, such as VmHWM. -1: there is no such line. */
long spent_kb(const char *key);

/** Reset the high-water mark of this process's memory; prints a
 * line on stderr if that is refused. @return current size, KiB */
long spent_reset_peak(void);

#endif /* BENCH_SPENT_H */
