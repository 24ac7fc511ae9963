/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file snapshots.h
 * Snapshots that no job has made: of thousands of ranks, with texts that no program has. Written as JSON, not by the code
 * under test.
 */
#ifndef TESTS_SNAPSHOTS_H
#define TESTS_SNAPSHOTS_H

/** What the ranks of a made-up job do. */
enum snapshots_kind {
	SNAPSHOTS_RING,    /**< each receives from the one before it: a cycle of all */
	SNAPSHOTS_MISSING, /**< all but the ranks 17 and 1999 are in MPI_Allreduce */
	SNAPSHOTS_APART    /**< each waits for another rank, tag and line than every other */
};

/** What may differ between two snapshots of one job. Start with all zero. */
struct snapshots_at {
	int n;              /**< ranks */
	const char *schema; /**< NULL: the present one */
	const char *text;   /**< name of communicator, host, datatype, file and place; NULL: ordinary ones */
	long time;          /**< when it was taken */
	long n_calls;       /**< recorded calls of each rank; 0: none are recorded */
	int moved;          /**< so many ranks, from 0, are in another function now */
	int n_unexpected;   /**< messages that have arrived at rank 0 besides */
};

/** Write one. */
void snapshots_write(const char *path, enum snapshots_kind kind, const struct snapshots_at *at);

#endif /* TESTS_SNAPSHOTS_H */
