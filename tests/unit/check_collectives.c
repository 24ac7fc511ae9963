/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives in made-up jobs: what ranks must agree on is compared, and only if they are in the same one. */
#include "../../verdict/verdict.h"
#include "../support/made_job.h"
#include "../support/suite.h"

#include <check.h>
#include <string.h>

static struct vd_job job;
static struct vd_verdict verdict;

static void begin(int n)
{
	made_job_begin(&job, n);
}

static void add_rank(const char *function)
{
	made_job_add_rank(&job, function);
}

static void judge(void)
{
	ck_assert(vd_judge(&job, &verdict));
}

static void end(void)
{
	vd_verdict_deinit(&verdict);
	vd_job_deinit(&job);
}

/* A rank in a collective of which it is known which of its communicator it is, and its arguments. */
static struct vd_thread *add_collective(const char *function, int64_t ordinal, int64_t count, const char *signature)
{
	add_rank(function);
	struct vd_thread *t = &job.threads[job.n_threads - 1];
	t->ordinal = ordinal;
	t->count = count;
	t->signature = signature;
	return t;
}

/* What two ranks in the same collective must agree on, and in different ones need not. */
START_TEST(test_arguments)
{
	static const struct {
		const char *function, *other;
		int64_t counts[2];
		const char *signatures[2], *operations[2];
		int roots[2];
		enum vd_field field;
	} cases[] = {
		{ "MPI_Allreduce",
		  "MPI_Allreduce",
		  { 4, 4 },
		  { "MPI_INT*1", "MPI_INT*1" },
		  { "MPI_SUM", "MPI_SUM" },
		  { VD_UNKNOWN, VD_UNKNOWN },
		  VD_FIELD_NONE },
		{ "MPI_Allreduce",
		  "MPI_Allreduce_c",
		  { 4, 4 },
		  { "MPI_INT*1", "MPI_INT*1" },
		  { "MPI_SUM", "MPI_SUM" },
		  { VD_UNKNOWN, VD_UNKNOWN },
		  VD_FIELD_NONE },
		{ "MPI_Allreduce",
		  "MPI_Allreduce",
		  { 4, 4 },
		  { "MPI_INT*1", "MPI_INT*1" },
		  { "MPI_SUM", "MPI_MAX" },
		  { VD_UNKNOWN, VD_UNKNOWN },
		  VD_FIELD_OPERATION },
		{ "MPI_Allreduce",
		  "MPI_Allreduce",
		  { 4, 4 },
		  { "MPI_INT*1", "MPI_INT*1" },
		  { "MPI_SUM", NULL },
		  { VD_UNKNOWN, VD_UNKNOWN },
		  VD_FIELD_NONE },
		{ "MPI_Bcast",
		  "MPI_Bcast",
		  { 4, 1 },
		  { "MPI_INT*2", "MPI_INT*8" },
		  { NULL, NULL },
		  { 0, 0 },
		  VD_FIELD_NONE },
		{ "MPI_Bcast",
		  "MPI_Bcast",
		  { 4, 1 },
		  { "MPI_INT*2", "MPI_INT*7" },
		  { NULL, NULL },
		  { 0, 0 },
		  VD_FIELD_DATATYPE },
		{ "MPI_Bcast",
		  "MPI_Bcast",
		  { 2, 1 },
		  { "MPI_INT*1 MPI_CHAR*2", "MPI_INT*1 MPI_CHAR*2 MPI_INT*1 MPI_CHAR*2" },
		  { NULL, NULL },
		  { 0, 0 },
		  VD_FIELD_NONE },
		{ "MPI_Bcast",
		  "MPI_Bcast",
		  { 2, 1 },
		  { "MPI_INT*1 MPI_CHAR*2", "MPI_INT*1 MPI_CHAR*2 MPI_INT*1 MPI_CHAR*1" },
		  { NULL, NULL },
		  { 0, 0 },
		  VD_FIELD_DATATYPE },
		{ "MPI_Bcast",
		  "MPI_Bcast",
		  { 4, 5 },
		  { "MPI_INT*1", "MPI_INT*1" },
		  { NULL, NULL },
		  { 0, 0 },
		  VD_FIELD_DATATYPE },
		{ "MPI_Bcast",
		  "MPI_Bcast",
		  { 4, 8 },
		  { "MPI_INT*1", "MPI_BYTE*1" },
		  { NULL, NULL },
		  { 0, 0 },
		  VD_FIELD_NONE },
		{ "MPI_Bcast", "MPI_Bcast", { 4, 4 }, { "MPI_INT*1", NULL }, { NULL, NULL }, { 0, 1 }, VD_FIELD_ROOT },
		{ "MPI_Bcast",
		  "MPI_Barrier",
		  { 4, -1 },
		  { NULL, NULL },
		  { NULL, NULL },
		  { 0, VD_UNKNOWN },
		  VD_FIELD_FUNCTION },
		{ "MPI_Alltoallv",
		  "MPI_Alltoallv",
		  { 4, 5 },
		  { "MPI_INT*1", "MPI_INT*1" },
		  { NULL, NULL },
		  { VD_UNKNOWN, VD_UNKNOWN },
		  VD_FIELD_NONE },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (int later = 0; later < 2; later++) {
			begin(2);
			for (int r = 0; r < 2; r++) {
				struct vd_thread *t = add_collective(r ? cases[i].other : cases[i].function,
								     3 + r * later, cases[i].counts[r],
								     cases[i].signatures[r]);
				t->operation = cases[i].operations[r];
				t->root = cases[i].roots[r];
			}
			judge();
			/* of two different collectives of the communicator no argument is compared */
			ck_assert_msg(verdict.field == (later ? VD_FIELD_NONE : cases[i].field), "case %zu: %s", i,
				      vd_field_text(verdict.field));
			end();
		}
	}
}
END_TEST

/* The earliest collective counts, and persistent ones may have been begun in another order. */
START_TEST(test_earliest)
{
	for (int persistent = 0; persistent < 2; persistent++) {
		begin(3);
		add_collective("MPI_Bcast", 4, 1, "MPI_INT*1")->root = 0;
		add_collective("MPI_Bcast", 3, 1, "MPI_INT*1")->root = 1;
		add_collective("MPI_Bcast", 3, 1, "MPI_INT*1")->root = 2;
		if (persistent) {
			struct vd_op *op = vd_add_op(&job);
			ck_assert_ptr_nonnull(op);
			op->kind = VD_COLLECTIVE;
			op->comm = 0;
			op->persistent = op->inactive = true;
		}
		judge();
		ck_assert_int_eq(verdict.field, persistent ? VD_FIELD_NONE : VD_FIELD_ROOT);
		if (!persistent)
			ck_assert(verdict.at_rank == 1 && verdict.other_rank == 2);
		end();
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("collectives");
	TCase *tc = tcase_create("arguments");

	tcase_add_test(tc, test_arguments);
	tcase_add_test(tc, test_earliest);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
