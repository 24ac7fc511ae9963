/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file records.h
 * An array of records in the target, block by block: few large reads. Unreadable records are isolated.
 */
#ifndef RD_JOBS_RECORDS_H
#define RD_JOBS_RECORDS_H

#include "../../access/space.h"

/** Maximum number of records in a block: 10 MiB of the largest ones. */
enum { RD_RECORDS_BLOCK_MAX = 1 << 18 };

struct rd_records {
	struct acc_space *sp;
	uint64_t addr, n;
	uint32_t stride, bytes; /**< distance between records; size of a record without padding */
	uint64_t first;         /**< index of the block's first record */
	size_t n_block;         /**< records in the block; 0: none is loaded */
	size_t cap_block;
	uint64_t n_unread; /**< number of unreadable records so far */
	unsigned char *block;
	unsigned char *unread; /**< one bit for each record of the block: unreadable */
};

/**
 * Initialize. @param n number of records, 1 to ACC_RANKS_MAX
 * @return ACC_OK or ACC_ENOMEM. Call rd_records_deinit() in both cases.
 */
enum acc_rc rd_records_init(struct rd_records *r, struct acc_space *sp, uint64_t addr, uint64_t n, uint32_t stride,
			    uint32_t bytes);

/** Release. Takes an all-zero one. */
void rd_records_deinit(struct rd_records *r);

/**
 * Load the next block.
 *
 * @return ACC_OK; ACC_NONE: no more; ACC_EREAD: more than ACC_BAD_MAX records are unreadable, so this is not a table.
 *         Nothing is noted.
 */
enum acc_rc rd_records_next(struct rd_records *r);

/** The k-th record of the block; NULL: it could not be read. */
const unsigned char *rd_records_at(const struct rd_records *r, size_t k);

#endif /* RD_JOBS_RECORDS_H */
