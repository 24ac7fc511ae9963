/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file place_table.h
 * The directories, or the other metadirectories, listed by an MPI2DD metadirectory.
 *
 * The interface does not say whether entries are packed. In a 64-bit process they are 20 bytes apart, or 24 if a
 * compiler has aligned them. The first entries are decoded both ways, and the stride with more valid entries is used;
 * 20 if there is no difference.
 */
#ifndef RD_JOBS_PLACE_TABLE_H
#define RD_JOBS_PLACE_TABLE_H

#include "mpi2dd_info.h"
#include "records.h"
#include "texts.h"

/** Number of entries used to determine the stride. */
enum { RD_PLACE_PROBES = 64 };

/** A directory or metadirectory. Strings are owned by the table and valid until its next block. */
struct rd_place {
	int64_t pid;                   /**< -1: invalid */
	const char *host, *executable; /**< "": unreadable or not text */
	bool sound;                    /**< false: a field is unavailable */
};

struct rd_place_table {
	enum rd_mpi2dd_table table;
	struct rd_records records;
	struct rd_texts texts;
	size_t k;
	uint64_t n_bad; /**< number of invalid entries so far */
};

/** Start a walk. @param table not RD_MPI2DD_PROCS (ACC_EINVAL). Otherwise like rd_world_table(). */
enum acc_rc rd_place_table(struct acc_space *sp, const struct rd_mpi2dd *info, enum rd_mpi2dd_table table,
			   struct rd_place_table *ret);

/** Release. Takes an all-zero one. */
void rd_place_table_end(struct rd_place_table *t);

/**
 * Load the next block; get the k-th entry of it; get the next entry: like rd_world_table_block(), _at() and _next().
 */
enum acc_rc rd_place_table_block(struct rd_place_table *t);
void rd_place_table_at(const struct rd_place_table *t, size_t k, struct rd_place *ret);
enum acc_rc rd_place_table_next(struct rd_place_table *t, struct rd_place *ret);

#endif /* RD_JOBS_PLACE_TABLE_H */
