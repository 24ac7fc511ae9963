/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file world_table.h
 * The process table of an MPI2DD directory: processes of one or more worlds, block by block.
 */
#ifndef RD_JOBS_WORLD_TABLE_H
#define RD_JOBS_WORLD_TABLE_H

#include "mpi2dd_info.h"
#include "records.h"
#include "texts.h"

/** A process. Strings are owned by the table and valid until its next block. */
struct rd_world_proc {
	int64_t rank, pid;             /**< -1: invalid */
	const char *host, *executable; /**< "": unreadable or not text */
	const char *world;             /**< comm_world_id; "": unreadable or not text */
	const char *parent_world;      /**< NULL: started by a starter; "": its spawn_desc is invalid */
	int64_t parent_rank, sequence; /**< -1: no parent, or invalid */
	bool sound;                    /**< false: a field is unavailable */
};

struct rd_spawn {
	uint64_t world_addr;
	int64_t rank, sequence;
	bool sound;
};

struct rd_world_table {
	struct rd_records records;
	struct rd_texts texts;
	struct rd_refs spawn_refs;
	struct rd_spawn *spawns; /**< indexed by record of the block; NULL until a process was spawned */
	size_t k;                /**< the next record of the block */
	uint64_t n_bad;          /**< number of invalid processes so far */
};

/**
 * Start a walk. The head of @p info has been read; its table is checked here.
 *
 * @return ACC_OK: ret->records.n processes; ACC_NONE: none; else like rd_jobs_mpi2dd_table(), or ACC_ENOMEM. Failures
 *         are noted. Call rd_world_table_end() only after ACC_OK.
 */
enum acc_rc rd_world_table(struct acc_space *sp, const struct rd_mpi2dd *info, struct rd_world_table *ret);

/** Release. Takes an all-zero one. */
void rd_world_table_end(struct rd_world_table *t);

/**
 * Load the next block: t->records.n_block processes; their strings are in t->texts.
 *
 * @return ACC_OK; ACC_NONE: no more; ACC_EREAD: too many are unreadable; ACC_ECORRUPT: a long block has no valid
 *         process; ACC_ELIMIT, ACC_ENOMEM. Failures are noted.
 */
enum acc_rc rd_world_table_block(struct rd_world_table *t);

/** The k-th process of the block. */
void rd_world_table_at(const struct rd_world_table *t, size_t k, struct rd_world_proc *ret);

/** The next process; loads blocks as needed. @return like rd_world_table_block(). */
enum acc_rc rd_world_table_next(struct rd_world_table *t, struct rd_world_proc *ret);

#endif /* RD_JOBS_WORLD_TABLE_H */
