/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file watched.h
 * A process that reports its progress: one connection that began with WATCH (mpi2dd/tables/starter.h).
 */
#ifndef RUN_WATCHED_H
#define RUN_WATCHED_H

#include <stdbool.h>

struct run_watched {
	char *host;
	int pid;
	int rank;     /**< in MPI_COMM_WORLD; -1: not known yet */
	bool stalled; /**< no MPI call has finished for `seconds` */
	bool stopped; /**< by a signal, as run_watched_look() has found: it cannot report anything */
	int seconds;
	char function[64]; /**< the MPI call that it is in; "": none */
};

/** Create a record. @param host copied. @return released by run_watched_free(); NULL: out of memory. */
struct run_watched *run_watched_make(const char *host, int pid);
/** Free the record. Takes NULL. */
void run_watched_free(struct run_watched *w);

/** Process a STALL or GOING line, without its newline; parsed in place. @return false: the line is not valid. */
bool run_watched_hear(struct run_watched *w, char *line);

/** Look whether a process on this host is stopped by a signal: run_watched.stopped. */
void run_watched_look(struct run_watched *w);

#endif /* RUN_WATCHED_H */
