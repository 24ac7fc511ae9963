/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file hub.h
 * The starter's side of the protocol that mpi2dd/tables/starter.h defines: listening sockets for the ranks, and the
 * replies. Single-threaded; no function blocks. Input is untrusted: line lengths are bounded, and a client that sends
 * nothing or does not know the cookie is disconnected, the oldest connection first when there are too many.
 */
#ifndef RUN_HUB_H
#define RUN_HUB_H

#include "watched.h"

#include <stdbool.h>
#include <stddef.h>

/** Called with the metadirectory of the first world. The strings are valid during the call. */
typedef void run_hub_place_fn(const char *host, const char *executable, int pid);

/**
 * Called when the job hangs: every watched process has stalled, and at least one of them is inside an MPI call.
 *
 * @param processes the @p n watched processes, valid during the call
 * @return true: tell the processes to call MPI2DD_breakpoint.
 */
typedef bool run_hub_hang_fn(const struct run_watched *const *processes, size_t n);

/** Called when all processes of a world are in MPI_Finalize, before they go on. */
typedef void run_hub_final_fn(void);

struct run_hub;

/**
 * Create the hub. It listens on a socket in the abstract name space, and on TCP.
 *
 * @param on_place called once, after the PLACE request of the first world has been answered
 * @param is_local true: TCP on the loopback interface only. false: on all addresses, if this host has one that other
 *                 hosts can reach
 * @return the hub, released by run_hub_close(); NULL with errno
 */
struct run_hub *run_hub_open(run_hub_place_fn *on_place, bool is_local);

/** Accept WATCH requests from now on. @param on_hang called at most once */
void run_hub_watch(struct run_hub *hub, run_hub_hang_fn *on_hang);

/** Hold the processes of each world in MPI_Finalize until all are there. @param on_final may take some time */
void run_hub_final(struct run_hub *hub, run_hub_final_fn *on_final);

/** Close all sockets and free the hub. Takes NULL. */
void run_hub_close(struct run_hub *hub);

/**
 * The value of MPI2DD_STARTER for the job. It contains the cookie: pass it in environments, never on command lines.
 * Valid until run_hub_close().
 */
const char *run_hub_value(const struct run_hub *hub);

/** A descriptor to poll for reading; when it is ready, call run_hub_turn(). */
int run_hub_fd(const struct run_hub *hub);

/** Milliseconds after which run_hub_turn() must be called even without input; -1: no limit. For poll(). */
int run_hub_timeout(const struct run_hub *hub);

/** Process all pending input and expired deadlines, without waiting. */
void run_hub_turn(struct run_hub *hub);

#endif /* RUN_HUB_H */
