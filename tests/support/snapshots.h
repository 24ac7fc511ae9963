/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file snapshots.h
 * Generated snapshots: of thousands of ranks, or with texts that
 * no program has. Written as JSON without the code under test.
 */
#ifndef TESTS_SNAPSHOTS_H
#define TESTS_SNAPSHOTS_H

#include <jansson.h>

/** The activity of the ranks of a generated job. */
enum snapshots_kind {
	SNAPSHOTS_RING,    /**< each receives from the previous rank: a cycle of all ranks */
	SNAPSHOTS_MISSING, /**< all but the ranks 17 and 1999 are in MPI_Allreduce */
	SNAPSHOTS_APART,   /**< each waits for a different rank, with a different tag, in a different line */
	/** all are in MPI_Allreduce but every 17th, which computes somewhere in flux() or eos(), and rank 272, which
	   sleeps */
	SNAPSHOTS_COMPUTING
};

/** What may differ between two snapshots of one job. Start with all zero. */
struct snapshots_at {
	int n; /**< ranks */
	const char
		*schema;  /**< of one JSON value with all processes, as in version 2; NULL: the present one, in lines */
	const char *text; /**< name of communicator, host, datatype, file and place; NULL: ordinary ones */
	long time;        /**< when it was taken */
	long n_calls;     /**< recorded calls of each rank; 0: none are recorded */
	int moved;        /**< number of ranks, from 0, that are in another function */
	int n_unexpected; /**< number of additional messages that have arrived at rank 0 */
};

/** Write one. */
void snapshots_write(const char *path, enum snapshots_kind kind, const struct snapshots_at *at);

/**
 * A snapshot in lines as one JSON value, as in version 2 of the schema, whose name it gets; any other JSON as it is.
 * Ends the test if it is not JSON.
 */
json_t *snapshots_tree(const char *text);

/** The same of a file. */
json_t *snapshots_load(const char *path);

#endif /* TESTS_SNAPSHOTS_H */
