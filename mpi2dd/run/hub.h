/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file hub.h
 * Where the ranks find the starter: listening sockets, and the answers of mpi2dd/tables/starter.h, which defines the
 * protocol. One thread; nothing in here blocks. Input is untrusted: lines are bounded, a peer that is silent
 * or does not know the cookie is dropped, many of them are dropped in the order of their coming.
 */
#ifndef RUN_HUB_H
#define RUN_HUB_H

#include "watched.h"

#include <stdbool.h>
#include <stddef.h>

/** The metadirectory of the first world. Strings are valid during the call. */
typedef void run_hub_place_fn(const char *host, const char *executable, int pid);

/**
 * The job hangs: every process that is watched has stalled, and one at least is in an MPI call.
 *
 * @return true: they are to call MPI2DD_breakpoint.
 */
typedef bool run_hub_hang_fn(const struct run_watched *const *processes, size_t n);

struct run_hub;

/**
 * Listen: in the abstract name space, and by TCP.
 *
 * @param is_local TCP on the loopback interface alone; else on all addresses of this host when it has one that others reach
 * @param at_place called once, when the first world's PLACE has been answered.
 * @return the hub, or NULL with errno. run_hub_close()
 */
struct run_hub *run_hub_open(run_hub_place_fn *at_place, bool is_local);

/** Answer WATCH from now on. @param at_hang called once at most. */
void run_hub_watch(struct run_hub *hub, run_hub_hang_fn *at_hang);

/** Close everything. Takes NULL. */
void run_hub_close(struct run_hub *hub);

/** Value of MPI2DD_STARTER for the job. It holds the cookie: for environments, never for command lines. */
const char *run_hub_value(const struct run_hub *hub);

/** Poll this for reading; then run_hub_turn(). */
int run_hub_fd(const struct run_hub *hub);

/** Milliseconds after which run_hub_turn() has something to do; -1: nothing. For poll(). */
int run_hub_timeout(const struct run_hub *hub);

/** Do what there is to do, without waiting. */
void run_hub_turn(struct run_hub *hub);

#endif /* RUN_HUB_H */
