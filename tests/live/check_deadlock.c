/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg deadlock on jobs of tests/programs/hangs.c, under Open MPI and MPICH with nothing prepared. The truth about each case
 * is in the table: it is what the case does. The two MPIs share the cases; make check-all runs each with both.
 */
#include "../support/job.h"
#include "../support/live_main.h"
#include "../support/mpidbg_run.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct hang {
	const char *name;
	int n;
	const char *result; /* NULL: the job goes on, and nothing that is said may be said to stand still */
	const char *field;  /* of a mismatch */
	int missing;        /* of a missing rank; -1: none */
	bool computes;      /* the missing rank may come yet: the exit status is 0 */
	bool openmpi_only;  /* in MPICH what is waited for is not known: not one word of a deadlock */
} hangs[] = {
	{ "recv_recv", 2, "deadlock", NULL, -1, false, false },
	{ "send_send", 2, "deadlock", NULL, -1, false, false },
	{ "ssend_ssend", 2, "deadlock", NULL, -1, false, false },
	{ "ring_recv", 3, "deadlock", NULL, -1, false, false },
	{ "ring_ssend", 3, "deadlock", NULL, -1, false, false },
	{ "ring_sendrecv", 3, "mismatch", "source", -1, false, false },
	{ "waitall_missing", 3, "deadlock", NULL, -1, false, false },
	{ "wait_irecv", 3, "deadlock", NULL, -1, false, false },
	{ "any_source", 3, "deadlock", NULL, -1, false, false },
	{ "waitany_all", 3, "deadlock", NULL, -1, false, false },
	{ "probe_ring", 3, "deadlock", NULL, -1, false, true },
	{ "wrong_tag", 3, "mismatch", "tag", -1, false, false },
	{ "wrong_comm", 3, "mismatch", "communicator", -1, false, false },
	{ "wrong_source", 3, "mismatch", "source", -1, false, false },
	{ "chain_sleeps", 3, "missing rank", NULL, 2, false, false },
	{ "chain_computes", 3, "missing rank", NULL, 2, true, false },
	{ "chain_stopped", 3, "missing rank", NULL, 2, false, false },
	{ "allreduce_sleeps", 3, "missing rank", NULL, 2, false, false },
	{ "allreduce_computes", 3, "missing rank", NULL, 2, true, false },
	{ "barrier_stopped", 3, "missing rank", NULL, 2, false, false },
	{ "ibarrier_sleeps", 3, "missing rank", NULL, 2, false, false },
	{ "bcast_root_sleeps", 3, "missing rank", NULL, 0, false, false },
	{ "reduce_leaf_sleeps", 3, "missing rank", NULL, 2, false, false },
	{ "finalize_early", 3, "missing rank", NULL, 2, false, false },
	{ "inter_sleeps", 4, "missing rank", NULL, 1, false, false },
	{ "recv_and_barrier", 3, "deadlock", NULL, -1, false, false },
	{ "barrier_allreduce", 3, "mismatch", "function", -1, false, false },
	{ "crossed_comms", 2, "deadlock", NULL, -1, false, true },
	{ "roots_differ", 3, "deadlock", NULL, -1, false, true },
	{ "inter_inter", 4, "deadlock", NULL, -1, false, false },
	{ "split_pairs", 4, "deadlock", NULL, -1, false, false },
	{ "win_locks", 2, NULL, NULL, -1, false, false }, /* what windows wait for is not followed */
	{ "fence_sleeps", 3, NULL, NULL, -1, false, false },
	{ "test_loop", 3, NULL, NULL, -1, false, false },
	{ "exchange", 3, NULL, NULL, -1, false, false },
	{ "exchange_long", 3, NULL, NULL, -1, false, false },
	{ "allreduces", 3, NULL, NULL, -1, false, false },
	{ "bcast_barrier", 3, NULL, NULL, -1, false, false },
	{ "token", 3, NULL, NULL, -1, false, false },
	{ "any_source_saves", 3, NULL, NULL, -1, false, false },
	{ "waitany_goes_on", 3, NULL, NULL, -1, false, false },
	{ "all_compute", 3, NULL, NULL, -1, false, false },
	{ "all_sleep", 3, NULL, NULL, -1, false, false },
	{ "ibcasts", 3, NULL, NULL, -1, false, false },
	{ "eager_crossing", 4, NULL, NULL, -1, false, false },
};
enum { N_HANGS = sizeof(hangs) / sizeof(hangs[0]), ASKED_S = 150, TIMES_GOING_ON = 2 };

static const char *text(const json_t *verdict, const char *key)
{
	const char *s = json_string_value(json_object_get(verdict, key));

	return s ? s : "";
}

static bool says(const struct hang *h, const json_t *verdict)
{
	const json_t *missing = json_object_get(verdict, "missing");

	if (strcmp(text(verdict, "result"), h->result) != 0 ||
	    strcmp(text(verdict, "field"), h->field ? h->field : "") != 0)
		return false;
	return h->missing < 0 ||
	       (json_array_size(missing) == 1 && json_integer_value(json_array_get(missing, 0)) == h->missing);
}

static void start(const struct hang *h, bool mpich, struct job *job)
{
	char command[64];

	snprintf(command, sizeof(command), "hangs %s", h->name);
	if (mpich)
		job_start_mpich(command, h->n, job);
	else
		job_start(command, NULL, h->n, 0, job);
}

/* The rank has announced that it comes into its state, and may not be there yet: it is asked again. */
static void try(const struct hang *h, bool mpich)
{
	char pid[32], said[2048] = "";
	struct job job;
	bool right = false, goes_on = !h->result || (mpich && h->openmpi_only);

	start(h, mpich, &job);
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	double end = job_now() + ASKED_S;
	for (int asked = 0; !right && job_now() < end && (!goes_on || asked < TIMES_GOING_ON); asked++) {
		struct mpidbg_run run;
		mpidbg_run(&run, "deadlock", "--json", "--job", pid, NULL);
		snprintf(said, sizeof(said), "%s", run.out);
		json_t *answer = mpidbg_run_json(&run);
		const json_t *verdict = json_object_get(answer, "verdict");
		if (goes_on) {
			ck_assert_msg(run.exit_code != 4, "%s: %s", h->name, said);
			ck_assert_msg(json_array_size(json_object_get(verdict, "waiting_for_ever")) == 0, "%s: %s",
				      h->name, said);
		} else {
			right = (run.exit_code == 4) == !h->computes && says(h, verdict);
		}
		json_decref(answer);
		mpidbg_run_free(&run);
	}
	job_end(&job);
	ck_assert_msg(right || goes_on, "%s: %s", h->name, said);
}

START_TEST(test_openmpi)
{
	try(&hangs[_i], false);
}
END_TEST

START_TEST(test_mpich)
{
	try(&hangs[_i], true);
}
END_TEST

/* Do the last lines say that rank 2 is missing, and does nothing else say it? */
static void ends_with_the_verdict(const struct mpidbg_run *run)
{
	const char *head = strstr(run->out,
				  "\n\n2 of 3 ranks wait in MPI_Allreduce on MPI_COMM_WORLD; rank 2 has not entered "
				  "it.\nseen at ");
	const char *end = head ? strstr(head, "\nmissing rank: look at rank 2, hangs.c:") : NULL;

	ck_assert_msg(run->exit_code == 0 && end && strchr(end + 1, '\n') == run->out + strlen(run->out) - 1, "%s%s",
		      run->out, run->err);
	ck_assert_msg(strstr(run->out, "ranks wait") == head + 9, "%s", run->out);
}

/* The text of queues ends with it, live and from cores, and its exit status does not tell of it. */
START_TEST(test_queues)
{
	const struct hang hang = { .name = "allreduce_sleeps", .n = 3 };
	struct mpidbg_run run;
	struct job job;
	char pid[32];
	bool there = false;

	start(&hang, false, &job);
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	for (double until = job_now() + ASKED_S; !there && job_now() < until;) {
		mpidbg_run(&run, "deadlock", "--job", pid, NULL);
		there = run.exit_code == 4;
		mpidbg_run_free(&run);
	}
	mpidbg_run(&run, "queues", "--job", pid, NULL);
	ends_with_the_verdict(&run);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "queues", "--no-verdict", "--job", pid, NULL);
	ck_assert_msg(run.exit_code == 0 && !strstr(run.out, "missing rank"), "%s", run.out);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "queues", "--json", "--job", pid, NULL);
	json_t *answer = mpidbg_run_json(&run);
	ck_assert_int_eq(run.exit_code, 0);
	ck_assert_uint_eq(json_array_size(json_object_get(answer, "processes")), 3);
	json_decref(answer);
	mpidbg_run_free(&run);
	job_cores(&job);
	job_stop(&job);
	mpidbg_run(&run, "queues", "--cores", job.dir, NULL);
	ends_with_the_verdict(&run);
	mpidbg_run_free(&run);
	job_end(&job);
}
END_TEST

int main(void)
{
	job_require();
	Suite *s = suite_create("deadlock");
	TCase *openmpi = tcase_create("openmpi"), *mpich = tcase_create("mpich");

	tcase_set_timeout(openmpi, LIVE_TIMEOUT_S);
	tcase_set_timeout(mpich, LIVE_TIMEOUT_S);
	for (int i = 0; i < N_HANGS; i += (int)suite_stride(2))
		tcase_add_loop_test(openmpi, test_openmpi, i, i + 1);
	for (int i = (int)suite_stride(2) - 1; i < N_HANGS; i += (int)suite_stride(2))
		tcase_add_loop_test(mpich, test_mpich, i, i + 1);
	tcase_add_test(openmpi, test_queues);
	suite_add_tcase(s, openmpi);
	suite_add_tcase(s, mpich);
	return suite_run(s);
}
