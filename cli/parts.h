/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file parts.h
 * The parts of a job: snapshots of this machine, from files, and from other hosts. They are merged by what they say
 * about themselves: the job (host_job.name), its worlds, the host and when it was started.
 */
#ifndef CMD_PARTS_H
#define CMD_PARTS_H

#include "message.h"
#include "snapshot_text.h"
#include "variables.h"

/** A process: what is needed to sort and merge. */
struct cmd_part_process {
	int64_t rank, pid; /**< -1: unknown */
	int64_t mpi_job;   /**< the MPI's number of its world; -1: unknown */
	uint32_t world;    /**< index, in the order of the job once they are merged */
	uint32_t part;     /**< processes of one part were read at one moment */
	uint32_t document; /**< index of the snapshot that it is from */
	bool read;         /**< it has more than its identity */
	json_t *json;      /**< the whole process; NULL: the line at this place of the text of its document */
	uint64_t offset;
	uint32_t n_bytes;
	uint32_t fold; /**< it is folded: index in cmd_parts.folds, and 1; 0: it is not */
};

/** A world. */
struct cmd_part_world {
	char *name;   /**< what identifies it in all parts */
	bool named;   /**< by its launcher or the MPI, and not by its position in a part */
	int64_t size; /**< number of its ranks; -1: unknown */
};

struct cmd_document;  /* a snapshot */
struct cmd_part_fold; /* processes that are alike */

/** Start with all zero; cmd_parts_deinit() frees. */
struct cmd_parts {
	json_t *head;                       /**< of the first snapshot, with what concerns all; NULL: there is none */
	struct cmd_part_process *processes; /**< after cmd_parts_merge() sorted by world and rank */
	struct cmd_part_world *worlds;
	struct cmd_document *documents;
	struct cmd_part_fold *folds;
	size_t n, n_worlds, n_documents, n_folds;
	json_t *world_index, *host_index; /**< by name: of worlds, of the last document of a host */
	struct cmd_variables variables;
	int64_t n_parts, first_time, last_time;
	size_t n_refused; /**< snapshots, or parts of them, that cannot be used */
	uint32_t open;    /**< index of the document whose file is open, and 1; 0: none */
	FILE *f;
	int64_t agent;      /**< when the agent was started whose snapshots are added; 0: any */
	bool with_problems; /**< set by the caller: also report what the snapshots say about problems, in their end */
	bool changed;       /**< the text of one differs from its sum: nothing in it proves a deadlock */
	bool no_memory;
};

/** Add the snapshots in a file, "-" for standard input, or in all
 * files of a folder. @param[out] problems what is wrong with it */
void cmd_parts_add_file(struct cmd_parts *p, const char *path, struct cmd_lines *problems);

/**
 * Add the snapshots in a text, which must stay valid.
 *
 * @param name    of the host that has sent it
 * @param started when the agent of that host was started: what another one has read is refused; 0: unknown
 */
void cmd_parts_add_bytes(struct cmd_parts *p, const char *name, int64_t started, const char *bytes, size_t n,
			 struct cmd_lines *problems);

/**
 * Add a snapshot that was just taken.
 *
 * @param head      without processes; its "worlds" are those to which the processes belong by their "world_number"
 * @param processes an array
 */
void cmd_parts_add(struct cmd_parts *p, json_t *head, json_t *processes, struct cmd_lines *problems);

/** After all are added: sort, and of processes with the same rank in several parts keep the first that was read. */
void cmd_parts_merge(struct cmd_parts *p, struct cmd_lines *problems);

/**
 * A process.
 *
 * @return a new reference; of one that is folded it has this content until the next call. NULL: its text cannot be
 * read, or is not what it was.
 */
json_t *cmd_parts_process(struct cmd_parts *p, size_t i);

/** The same, with content that remains. */
json_t *cmd_parts_copy(struct cmd_parts *p, size_t i);

/**
 * Add a process to a merged job, before all that follow it by world and rank.
 * @param process world_number and rank as in the job
 */
void cmd_parts_insert(struct cmd_parts *p, json_t *process);

/** Number of ranks of the job that are in no part, or were not read, as far as its worlds have a known size. */
int64_t cmd_parts_missing(const struct cmd_parts *p);

/**
 * Write all as one snapshot.
 *
 * @param fold processes that are alike are folded
 * @return false: a process or the output cannot be read or written, or out of memory
 */
bool cmd_parts_write(struct cmd_parts *p, bool fold, const struct cmd_lines *problems, FILE *out);

/** Release. Leaves all zero. */
void cmd_parts_deinit(struct cmd_parts *p);

#endif /* CMD_PARTS_H */
