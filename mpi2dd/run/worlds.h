/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file worlds.h
 * Decides, once per world, whether all its processes carry the library: the HELLO requests of its nodes give the number
 * of processes, the VERDICT requests confirm it.
 */
#ifndef RUN_WORLDS_H
#define RUN_WORLDS_H

#include <stdbool.h>
#include <stdint.h>

enum run_decision { RUN_UNDECIDED, RUN_YES, RUN_NO };

/** One world. Only the functions below write the fields, except n_final, which the hub counts. */
struct run_world {
	struct run_world *next;
	char *job;
	int64_t processes;         /**< sum of the local sizes of all HELLOs */
	unsigned n_hellos, n_good; /**< nodes that have sent HELLO; nodes that have sent VERDICT with GOOD 1 */
	enum run_decision decision;
	int n_final;         /**< processes that wait in MPI_Finalize */
	int64_t deadline_ms; /**< if still undecided then, RUN_NO; 0: no VERDICT has arrived */
};

struct run_worlds {
	struct run_world *first; /**< NULL at first */
	unsigned n;
};

enum { RUN_WORLDS_MAX = 65536 };

/**
 * Find the world of that name, or create it.
 *
 * @return owned by @p worlds; NULL: more than RUN_WORLDS_MAX, or out of memory
 */
struct run_world *run_worlds_get(struct run_worlds *worlds, const char *job);

/** Count a HELLO: a node with @p local_size processes. No effect after the decision. */
void run_world_hello(struct run_world *world, int local_size);

/** Count a node's VERDICT. @param now_ms monotonic clock. @return the decision so far. */
enum run_decision run_world_decide(struct run_world *world, int world_size, bool good, int64_t now_ms);

/** Turn "undecided" into RUN_NO: the deadline has passed, or a waiting node has disconnected. */
void run_world_give_up(struct run_world *world);

/** Free all worlds. */
void run_worlds_deinit(struct run_worlds *worlds);

#endif /* RUN_WORLDS_H */
