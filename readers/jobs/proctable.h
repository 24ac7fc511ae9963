/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file proctable.h
 * MPIR_proctable: the processes of a job, in the memory of a launcher (or starter).
 *
 * The MPIR Process Acquisition Interface: MPIR_proctable points to MPIR_proctable_size entries { char *host_name; char
 * *executable_name; int pid; }, indexed by the rank in MPI_COMM_WORLD.
 */
#ifndef RD_JOBS_PROCTABLE_H
#define RD_JOBS_PROCTABLE_H

#include "../../access/space.h"

struct rd_proc {
	int64_t rank;
	int64_t pid;
	char host[256];
	char executable[4096];
};

/** Number of bytes of the table fetched at once: 256 entries of a 64-bit process. */
enum { RD_PROCTABLE_BLOCK_BYTES = 256 * 24 };

struct rd_proctable {
	struct acc_space *sp;
	uint64_t addr, n, i;
	uint32_t stride;               /**< bytes of an entry: 24, or 12 in a 32-bit process */
	uint64_t n_bad;                /**< entries whose pid or strings are invalid or unreadable */
	uint64_t block_first, n_block; /**< entries in block */
	uint64_t single_until;         /**< up to this entry, blocks cannot be read as a whole */
	unsigned char block[RD_PROCTABLE_BLOCK_BYTES];
};

/**
 * Start a walk.
 *
 * @return ACC_OK, ret->n entries; ACC_NONE: no MPIR_proctable, or an empty one (every rank of Open MPI has an
 *         empty one); ACC_ECORRUPT, ACC_ELIMIT: an invalid size; ACC_EREAD. Failures are noted.
 */
enum acc_rc rd_jobs_proctable(struct acc_space *sp, struct rd_proctable *ret);

/**
 * The next entry. Unreadable or invalid parts are -1 or ""; such an entry is counted in n_bad.
 * @return ACC_OK, or ACC_NONE at the end.
 */
enum acc_rc rd_jobs_proctable_next(struct rd_proctable *t, struct rd_proc *ret);

#endif /* RD_JOBS_PROCTABLE_H */
