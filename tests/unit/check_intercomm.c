/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Intercomm_create of MPICH without recorded arguments: what
 * it waits for is known only if nothing else can wait for that. */
#include "../../verdict/words.h"
#include "../support/made_job.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static struct vd_job job;
static struct vd_verdict verdict;

#define RECEIVE(sequence)                                                                                              \
	"{'id': '0x7', 'kind': 'receive', 'status': 'pending', 'internal': true, 'active': true, 'peer': 1, "          \
	"'tag': 0, 'bytes': 4" sequence "}"
#define SEQUENCE   ", 'sequence': 5"
#define COLLECTIVE "{'id': '0x8', 'kind': 'collective', 'status': 'pending', 'active': true, 'sequence': 1}"
#define PROCESS                                                                                                        \
	"{'rank': %d, 'world': 2, 'pid': %d, 'world_number': 0, 'mpi': {'name': '%s', 'state': 'initialized'}, "       \
	"'calls': [{'thread': %d, 'function': '%s'}%s], 'recorded_calls': [], 'communicators': [{'name': "             \
	"'MPI_COMM_WORLD', 'id': '0x44', 'handle': '0x44', 'size': 2, 'context': 0, 'members': [0, 1], "               \
	"'pending_sends': [%s], 'pending_receives': [%s], 'unexpected': [], 'collectives': [%s]}]}"

struct leader {
	const char *mpi, *threads, *sends, *receives, *collectives;
};

static json_t *process(int rank, const char *function, const struct leader *x)
{
	char text[4096];

	snprintf(text, sizeof(text), PROCESS, rank, 8 + rank, x->mpi, 8 + rank, function, x->threads, x->sends,
		 x->receives, x->collectives);
	for (char *c = text; *c; c++)
		*c = *c == '\'' ? '"' : *c;
	json_t *ret = json_loads(text, 0, NULL);
	ck_assert_msg(ret != NULL, "%s", text);
	return ret;
}

/* Rank 0 is in MPI_Intercomm_create, rank 1 in a receive from rank 0. */
static enum vd_result judge(const struct leader *x)
{
	static const struct leader other = {
		"MPICH", "", "",
		"{'id': '0x1', 'kind': 'receive', 'status': 'pending', 'thread': 9, 'peer': 0, 'tag': 5}", ""
	};
	json_t *all[2] = { process(0, "MPI_Intercomm_create", x), process(1, "MPI_Recv", &other) };

	memset(&job, 0, sizeof(job));
	for (size_t i = 0; i < 2; i++)
		ck_assert(vd_load_rank(&job, all[i]));
	for (size_t i = 0; i < 2; i++)
		vd_load_process(&job, i, all[i]);
	json_decref(all[0]);
	json_decref(all[1]);
	return made_job_judge(&job, &verdict);
}

START_TEST(test_message)
{
	struct leader leader = { "MPICH", "", "", RECEIVE(SEQUENCE), "" };
	struct vd_text line = { .n = 0 };

	ck_assert_int_eq(judge(&leader), VD_DEADLOCK);
	ck_assert_uint_eq(verdict.n_dead, 2);
	vd_append_activity(&line, &job, &verdict, 0, false);
	ck_assert_str_eq(line.bytes, "MPI_Intercomm_create, for a message of rank 1 on MPI_COMM_WORLD");
	made_job_end(&job, &verdict);
}
END_TEST

/* Each of these may make the receive that of something else, or make two moments look alike. */
START_TEST(test_unknown)
{
	static const struct leader leaders[] = {
		{ "Open MPI", "", "", RECEIVE(SEQUENCE), "" },
		{ "MPICH", "", "", "", "" },
		{ "MPICH", "", "", RECEIVE(""), "" },
		{ "MPICH", "", "", RECEIVE(SEQUENCE) ", " RECEIVE(SEQUENCE), "" },
		{ "MPICH", "", RECEIVE(SEQUENCE), RECEIVE(SEQUENCE), "" },
		{ "MPICH", "", "", RECEIVE(SEQUENCE), COLLECTIVE },
		{ "MPICH", ", {'thread': 20, 'function': 'MPI_Barrier'}", "", RECEIVE(SEQUENCE), "" },
		{ "MPICH", ", {'thread': 20, 'function_why': 'no stack'}", "", RECEIVE(SEQUENCE), "" },
	};

	for (size_t i = 0; i < sizeof(leaders) / sizeof(leaders[0]); i++) {
		ck_assert_msg(judge(&leaders[i]) == VD_NO_DEADLOCK, "case %zu", i);
		ck_assert_uint_eq(verdict.n_dead, 0);
		made_job_end(&job, &verdict);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("intercomm");
	TCase *tc = tcase_create("MPI_Intercomm_create of MPICH");

	tcase_set_timeout(tc, 20);
	tcase_add_test(tc, test_message);
	tcase_add_test(tc, test_unknown);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
