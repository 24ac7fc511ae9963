/* SPDX-License-Identifier: BSD-3-Clause */
#include "made_job.h"

#include <check.h>
#include <string.h>

void made_job_begin(struct vd_job *ret, int n)
{
	memset(ret, 0, sizeof(*ret));
	struct vd_comm *c = vd_add_comm(ret);
	ck_assert_ptr_nonnull(c);
	c->name = "MPI_COMM_WORLD";
	c->n = c->n_local = n;
	ret->n_worlds = 1;
}

void made_job_add_rank(struct vd_job *job, const char *function)
{
	struct vd_rank *r = vd_add_rank(job);
	ck_assert_ptr_nonnull(r);
	r->rank = (int32_t)job->n_ranks - 1;
	r->process_state = "sleeping";
	struct vd_thread *t = vd_add_thread(job);
	ck_assert_ptr_nonnull(t);
	t->function = function;
	t->call = (uint8_t)vd_call_of(function);
	if (t->call == VD_CALL_COLLECTIVE)
		t->comm = 0;
}

struct vd_op *made_job_add_op(struct vd_job *job, enum vd_op_kind kind, int peer, int64_t tag)
{
	struct vd_op *op = vd_add_op(job);
	ck_assert_ptr_nonnull(op);
	op->kind = (uint8_t)kind;
	op->comm = 0;
	op->peer = peer;
	op->tag = tag;
	op->bytes = 8;
	return op;
}

void made_job_add_wait(struct vd_job *job, enum vd_op_kind kind, int peer, int64_t tag)
{
	made_job_add_op(job, kind, peer, tag);
	ck_assert(vd_add_await(job, (int32_t)job->n_ops - 1));
}

enum vd_result made_job_judge(struct vd_job *job, struct vd_verdict *ret)
{
	ck_assert(vd_judge(job, ret));
	return ret->result;
}

void made_job_end(struct vd_job *job, struct vd_verdict *verdict)
{
	vd_verdict_deinit(verdict);
	vd_job_deinit(job);
}
