/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file watched.h
 * A process that says how it goes: a connection that began with WATCH (mpi2dd/tables/starter.h).
 */
#ifndef RUN_WATCHED_H
#define RUN_WATCHED_H

#include <stdbool.h>

struct run_watched {
	char *host;
	int pid;
	int rank;     /**< -1: not known yet */
	bool stalled; /**< it has finished no MPI call for `seconds` */
	int seconds;
	char function[64]; /**< that it is in; "": in none */
};

/** @return owned by the caller, ended by run_watched_free(); NULL: no memory. */
struct run_watched *run_watched_make(const char *host, int pid);
/** Takes NULL. */
void run_watched_free(struct run_watched *w);

/** A line that it said, without the newline; taken apart in place. @return false: it makes no sense. */
bool run_watched_hear(struct run_watched *w, char *line);

#endif /* RUN_WATCHED_H */
