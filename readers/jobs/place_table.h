/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file place_table.h
 * The directories, or the other metadirectories, that an MPI2DD metadirectory lists.
 *
 * The interface leaves open whether entries are packed. In a 64-bit process they are 20 bytes apart, or 24 where a
 * compiler has aligned them: the first entries are read in both ways, and the way in which more of them make sense is
 * taken; packed when there is no difference.
 */
#ifndef RD_JOBS_PLACE_TABLE_H
#define RD_JOBS_PLACE_TABLE_H

#include "mpi2dd_info.h"
#include "records.h"
#include "texts.h"

/** Entries by which the stride is decided. */
enum { RD_PLACE_PROBES = 64 };

/** A directory or metadirectory. Strings are the table's, until its next block. */
struct rd_place {
	int64_t pid;                   /**< -1: invalid */
	const char *host, *executable; /**< "": could not be read, or is no text */
	bool sound;                    /**< false: one of them is unavailable */
};

struct rd_place_table {
	enum rd_mpi2dd_table table;
	struct rd_records records;
	struct rd_texts texts;
	size_t k;
	uint64_t n_bad; /**< entries so far that are not sound */
};

/** Start. @param table not RD_MPI2DD_PROCS (ACC_EINVAL). Else as rd_world_table(). */
enum acc_rc rd_place_table(struct acc_space *sp, const struct rd_mpi2dd *info, enum rd_mpi2dd_table table,
			   struct rd_place_table *ret);

/** Release. Takes an all-zero one. */
void rd_place_table_end(struct rd_place_table *t);

/** Load the next block, the k-th entry of it, and the next entry: as rd_world_table_block(), _at() and _next(). */
enum acc_rc rd_place_table_block(struct rd_place_table *t);
void rd_place_table_at(const struct rd_place_table *t, size_t k, struct rd_place *ret);
enum acc_rc rd_place_table_next(struct rd_place_table *t, struct rd_place *ret);

#endif /* RD_JOBS_PLACE_TABLE_H */
