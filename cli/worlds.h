/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file worlds.h
 * The MPI_COMM_WORLDs of a job according to MPI2DD's tables, and which of them has spawned which.
 */
#ifndef CMD_WORLDS_H
#define CMD_WORLDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CMD_NO_WORLD SIZE_MAX

/** Strings are its own. */
struct cmd_world {
	char *id;        /**< comm_world_id */
	char *parent_id; /**< id of the world that has spawned it; NULL: it was not spawned */
	int64_t parent_rank,
		sequence; /**< its parent, and the number of earlier spawns of the parent; -1: not spawned */
	size_t parent;    /**< index of the world parent_id; CMD_NO_WORLD: none, or not in the list */
	size_t met;       /**< a world that lists it without having spawned it; CMD_NO_WORLD: none */
	unsigned depth;   /**< number of ancestors; set by cmd_worlds_arrange() */
	uint64_t n_procs; /**< number of its processes found */
	char number[24];  /**< the MPI's number of it, as in names of communicators; "": not known */
};

/** Start with all zero. */
struct cmd_worlds {
	struct cmd_world *v;
	size_t n;
	size_t last; /**< result of the last lookup, because entries of one world are adjacent */
};

/** The world with this id, new or not. @return its index; CMD_NO_WORLD: no memory. */
size_t cmd_worlds_add(struct cmd_worlds *worlds, const char *id);

/** The world with this id, or CMD_NO_WORLD. */
size_t cmd_worlds_find(struct cmd_worlds *worlds, const char *id);

/** Record the parent of a world, unless it has one. @return false: out of memory. */
bool cmd_worlds_spawned(struct cmd_worlds *worlds, size_t world, const char *parent_id, int64_t rank, int64_t sequence);

/**
 * Sort the worlds for output, as a tree in depth-first order: roots are worlds that no other one in the list has
 * spawned; children are sorted by the spawning rank and the sequence of the spawn. The tree that contains @p first
 * comes first. A cycle of parents, which only damaged tables have, is cut.
 *
 * @param first an index, or CMD_NO_WORLD
 * @param[out] place malloc'ed: the new index of each old one; NULL: out of memory, or no worlds; nothing has changed.
 * @return false: out of memory.
 */
bool cmd_worlds_arrange(struct cmd_worlds *worlds, size_t first, size_t **place);

/**
 * Record the MPI's number of a world, if the launcher's name of the job is that number (Open MPI up to 4.1) or
 * determines it (from 5.0 on), unless the world has one.
 */
void cmd_world_number(struct cmd_world *world, const char *job);

/** The MPI's number of a world; if unknown, its position in the list, from 1. */
void cmd_world_name(const struct cmd_worlds *worlds, size_t world, char ret[24]);

/** "world 485687298: spawned by rank 1 of world 485687297, call 0". */
void cmd_world_words(const struct cmd_worlds *worlds, size_t world, char *ret, size_t n);

/** Release. Leaves the empty list. */
void cmd_worlds_deinit(struct cmd_worlds *worlds);

#endif /* CMD_WORLDS_H */
