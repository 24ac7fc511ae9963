/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file made_job.h
 * Constructed jobs for the unit tests of verdict/. Running out of memory ends the test.
 */
#ifndef TEST_MADE_JOB_H
#define TEST_MADE_JOB_H

#include "../../verdict/verdict.h"

/** A job without ranks and with one communicator, MPI_COMM_WORLD of @p n ranks. made_job_end() frees it. */
void made_job_begin(struct vd_job *ret, int n);

/** Add a sleeping rank with one thread, which is in this MPI function; a collective is on MPI_COMM_WORLD. */
void made_job_add_rank(struct vd_job *job, const char *function);

/** Add an operation of the last rank, of 8 bytes on MPI_COMM_WORLD. @return valid until the next one is added */
struct vd_op *made_job_add_op(struct vd_job *job, enum vd_op_kind kind, int peer, int64_t tag);

/** As made_job_add_op(), one for which the thread of the last rank waits. */
void made_job_add_wait(struct vd_job *job, enum vd_op_kind kind, int peer, int64_t tag);

/** Analyze it. @return the result. made_job_end() frees the verdict */
enum vd_result made_job_judge(struct vd_job *job, struct vd_verdict *ret);

/** Free the job and its verdict. */
void made_job_end(struct vd_job *job, struct vd_verdict *verdict);

#endif /* TEST_MADE_JOB_H */
