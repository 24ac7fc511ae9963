/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file proctable.h
 * MPIR_proctable: the processes of a job, as a launcher (or starter) keeps them in its memory.
 *
 * The MPIR Process Acquisition Interface: MPIR_proctable is a pointer to MPIR_proctable_size entries of
 * { char *host_name; char *executable_name; int pid; }, index = rank in MPI_COMM_WORLD.
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

struct rd_proctable {
	struct acc_space *sp;
	uint64_t addr, n, i;
	uint32_t stride;
	uint64_t n_bad; /**< entries whose pid or strings make no sense or cannot be read */
};

/**
 * Start a walk.
 *
 * @return ACC_OK, ret->n entries; ACC_NONE: no MPIR_proctable, or an empty one (every rank of Open MPI has an
 *         empty one); ACC_ECORRUPT, ACC_ELIMIT: a size that makes no sense; ACC_EREAD. Failures are noted.
 */
enum acc_rc rd_jobs_proctable(struct acc_space *sp, struct rd_proctable *ret);

/** The next entry. A bad one is returned with pid -1 and counted. @return ACC_OK or ACC_NONE at the end. */
enum acc_rc rd_jobs_proctable_next(struct rd_proctable *t, struct rd_proc *ret);

#endif /* RD_JOBS_PROCTABLE_H */
