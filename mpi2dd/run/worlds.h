/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file worlds.h
 * Do all processes of a world carry the library? Counted by the HELLOs of its nodes, decided by their VERDICTs, once.
 */
#ifndef RUN_WORLDS_H
#define RUN_WORLDS_H

#include <stdbool.h>
#include <stdint.h>

enum run_decision { RUN_UNDECIDED, RUN_YES, RUN_NO };

/** One world. All fields are set by the functions below. */
struct run_world {
	struct run_world *next;
	char *job;
	int64_t processes;      /**< the sum of what its nodes have said */
	unsigned hellos, goods; /**< nodes that have said HELLO, and GOOD 1 */
	enum run_decision decision;
	int64_t deadline_ms; /**< undecided after a VERDICT: RUN_NO then; 0: no VERDICT came */
};

struct run_worlds {
	struct run_world *first; /**< start with NULL */
	unsigned n;
};

enum { RUN_WORLDS_MAX = 65536 };

/**
 * The world of that name; made when there is none.
 *
 * @return owned by @p worlds; NULL: more than RUN_WORLDS_MAX.
 */
struct run_world *run_worlds_get(struct run_worlds *worlds, const char *job);

/** A node with so many processes. After the decision it changes nothing. */
void run_world_hello(struct run_world *world, int local_size);

/** A node's verdict. @return what is decided then. */
enum run_decision run_world_verdict(struct run_world *world, int world_size, bool good, int64_t now_ms);

/** Undecided becomes NO: time is up, or a node that waited has disconnected. */
void run_world_give_up(struct run_world *world);

/** Release. */
void run_worlds_deinit(struct run_worlds *worlds);

#endif /* RUN_WORLDS_H */
