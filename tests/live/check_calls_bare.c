/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg calls of processes without the in-target library: the function and its place, and the arguments of what the
 * thread waits for, as tests/programs/blocked.c and hangs.c pass them. Live and from a core, with Open MPI and MPICH;
 * MPICH does not store counts and datatypes.
 */
#include "../support/job.h"
#include "../support/mpidbg_run.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMEOUT_S = 120, WORDS = 3 };

static const struct {
	const char *command;
	int n;
	const char *openmpi[WORDS], *mpich[WORDS]; /* what must be in the answer; the first also in that from a core */
} cases[] = {
	{ "blocked Recv",
	  2,
	  { "MPI_Recv from 1, tag 99, 5 x MPI_DOUBLE on ring, in main at blocked.c:" },
	  { "MPI_Recv from 1, tag 99 on ring, in main at blocked.c:" } },
	{ "blocked Recv_any",
	  2,
	  { "MPI_Recv from any, tag any, 5 x MPI_DOUBLE on ring, in main at" },
	  { "MPI_Recv from any, tag any on ring, in main at" } },
	{ "blocked Ssend",
	  2,
	  { "MPI_Ssend to 1, tag 97, 2 x MPI_INT on ring, in main at" },
	  { "MPI_Ssend to 1, tag 97 on ring, in main at" } },
	{ "blocked Sendrecv",
	  2,
	  { "MPI_Sendrecv to 1, tag 94, ",
	    " x MPI_BYTE on ring and a receive from 1, tag 93, 10 x MPI_BYTE on ring, in main" },
	  { "MPI_Sendrecv to 1, tag 94 on ring", " and a receive from 1, tag 93 on ring, in main" } },
	{ "blocked Waitall",
	  2,
	  { "MPI_Waitall for ", "a send to 1, tag 91, 4 x MPI_INT on ring, active",
	    "a receive from 1, tag 77, 3 x MPI_INT on "
	    "MPI_COMM_WORLD, active" },
	  { "MPI_Waitall for ", "a send to 1, tag 91 on ring, active",
	    "a receive from 1, tag 77 on MPI_COMM_WORLD, "
	    "active" } },
	{ "blocked Barrier", 3, { "MPI_Barrier on ring, in main at" }, { "MPI_Barrier on ring, in main at" } },
};

static const char
	missing[] = "durations, and arguments of calls that have no operation in the MPI library: unavailable";

static void ask(struct mpidbg_run *r, const struct job *job, bool core, bool json)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)job->ranks[0].pid);
	mpidbg_run(r, "calls", core ? "--core" : "-p", core ? job->ranks[0].core : pid, json ? "--json" : NULL, NULL);
	ck_assert_msg(r->exit_code == 0, "%s: exit %d: %s", job->command, r->exit_code, r->err);
}

static void compare(const struct mpidbg_run *r, const char *const words[WORDS])
{
	for (int i = 0; i < WORDS && words[i]; i++)
		ck_assert_msg(strstr(r->out, words[i]), "\"%s\" is not in\n%s", words[i], r->out);
	const char *once = strstr(r->out, missing);
	ck_assert_msg(once && !strstr(once + 1, missing), "%s", r->out);
}

START_TEST(test_text)
{
	bool mpich = _i % 2;
	const char *const *words = mpich ? cases[_i / 2].mpich : cases[_i / 2].openmpi;
	struct job job;

	if (mpich && !job_mpich_is_read())
		return;
	if (mpich)
		job_start_mpich(cases[_i / 2].command, cases[_i / 2].n, &job);
	else
		job_start(cases[_i / 2].command, NULL, cases[_i / 2].n, 0, &job);
	job_cores(&job);
	for (int core = 0; core < 2; core++) {
		struct mpidbg_run r;

		ask(&r, &job, core, false);
		compare(&r, words);
		mpidbg_run_free(&r);
	}
	job_end(&job);
}
END_TEST

/* The members of one thread's call; nothing is said to be recorded. */
START_TEST(test_json)
{
	const char *function;
	struct mpidbg_run r;
	json_t *answer, *call;
	struct job job;
	int peer, tag, count, source, receive_tag, receive_count, recorded;

	job_start("blocked Sendrecv", NULL, 2, 0, &job);
	ask(&r, &job, false, true);
	answer = mpidbg_run_json(&r);
	json_t *process = json_array_get(json_object_get(answer, "processes"), 0);
	call = json_array_get(json_object_get(process, "calls"), 0);
	ck_assert_int_eq(json_unpack(call, "{s:s, s:i, s:i, s:i, s:i, s:i, s:i}", "function", &function, "peer", &peer,
				     "tag", &tag, "count", &count, "source", &source, "receive_tag", &receive_tag,
				     "receive_count", &receive_count),
			 0);
	ck_assert_int_eq(json_unpack(process, "{s:b}", "recorded", &recorded), 0);
	ck_assert_str_eq(function, "MPI_Sendrecv");
	ck_assert(!recorded && peer == 1 && tag == 94 && source == 1 && receive_tag == 93 && receive_count == 10 &&
		  count > 10);
	ck_assert_uint_eq(json_array_size(json_object_get(call, "operations")), 2);
	json_decref(answer);
	mpidbg_run_free(&r);
	/* the calls of a snapshot are recorded ones */
	char pid[16];
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	mpidbg_run(&r, "snapshot", "--job", pid, NULL);
	ck_assert_msg(!r.exit_code && !strstr(r.out, "recorded_calls"), "%s%s", r.out, r.err);
	mpidbg_run_free(&r);
	job_end(&job);
}
END_TEST

int main(void)
{
	job_require();
	Suite *suite = suite_create("calls_bare");
	TCase *tc = tcase_create("calls");

	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_loop_test(tc, test_text, 0, 2 * (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_test(tc, test_json);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
