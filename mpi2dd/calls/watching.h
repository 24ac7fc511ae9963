/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file watching.h
 * Which aspects of calls are watched (watch.h), because events or performance variables of MPI_T need them.
 */
#ifndef M2D_WATCHING_H
#define M2D_WATCHING_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/** The aspects that can be watched. */
enum m2d_watch {
	M2D_WATCH_MESSAGES = 1,
	M2D_WATCH_REQUESTS = 2,
	M2D_WATCH_COLLECTIVES = 4,
	M2D_WATCH_EPOCHS = 8,
	M2D_WATCH_OBJECTS = 16, /**< communicators and files created, freed or named; processes spawned */
	M2D_WATCH_ERRHANDLERS = 32,
	M2D_WATCH_TIME = 64
};
enum { M2D_N_WATCHES = 7 };

/** Bits of enum m2d_watch; 0: no listener. Read it with m2d_is_watched(). */
extern unsigned m2d_watching;

static inline __attribute__((always_inline)) bool m2d_is_watched(void)
{
	return __builtin_expect(__atomic_load_n(&m2d_watching, __ATOMIC_RELAXED) != 0, 0);
}

/** Add (+1) or remove (-1) a listener of these aspects. Lock-free: safe in a signal handler. */
void m2d_watch_listen(unsigned bits, int more);

#pragma GCC visibility pop

#endif /* M2D_WATCHING_H */
