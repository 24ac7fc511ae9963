/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg deadlock on jobs that hang: the cases of tests/programs/hangs.c, whose expected results are in hangs.def,
 * under Open MPI and MPICH, with and without the in-target library. make check-all runs each case in all four
 * configurations, live and from cores.
 */
#include "../support/hangs.h"
#include "../support/live_main.h"
#include "../support/mpidbg_run.h"
#include "../support/shell.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ASKED_S = 150 };

START_TEST(test_hangs)
{
	hang_try_index(_i);
}
END_TEST

/* Only the last lines may report that rank 2 is missing, and the first of these does. */
static void check_verdict_is_last(const struct mpidbg_run *run)
{
	const char *end = strstr(run->out, "\n\nmissing rank: look at rank 2, hangs.h:");
	const char *head = end ? strstr(end, "\n2 of 3 ranks wait in MPI_Allreduce on MPI_COMM_WORLD; rank 2 is not in "
					     "it.\nseen at ")
			       : NULL;
	const char *last = head ? strchr(strstr(head, "\nseen") + 1, '\n') : NULL;

	ck_assert_msg(run->exit_code == 0 && last && !last[1], "%s%s", run->out, run->err);
	ck_assert_msg(strchr(end + 2, '\n') == head, "%s", run->out);
	ck_assert_msg(strstr(run->out, "ranks wait") == head + 8, "%s", run->out);
}

/* The text output of queues ends with the verdict, live and from cores; its exit status does not depend on it. */
START_TEST(test_queues)
{
	const struct hang hang = { .name = "allreduce_sleeps", .n = 3 };
	struct mpidbg_run run;
	struct job job;
	char pid[32];
	bool there = false;

	hang_start(&hang, HANG_OMPI, &job);
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	for (double until = job_now() + ASKED_S; !there && job_now() < until;) {
		mpidbg_run(&run, "deadlock", "--job", pid, NULL);
		there = run.exit_code == 4;
		mpidbg_run_free(&run);
	}
	/* a pid alone asks the same */
	mpidbg_run(&run, pid, "--ranks", "0-2", NULL);
	ck_assert_msg(run.exit_code == 4 && strstr(run.out, "missing rank: look at rank 2"), "%s%s", run.out, run.err);
	mpidbg_run_free(&run);
	mpidbg_run(&run, "queues", "--job", pid, NULL);
	check_verdict_is_last(&run);
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
	check_verdict_is_last(&run);
	mpidbg_run_free(&run);
	job_end(&job);
}
END_TEST

/* Ranks that have left a collective, in which others wait because of their counts, are not said to have missed it. */
START_TEST(test_counts_leave)
{
	static const char *const said[] = {
		[HANG_MPICH] = "mismatch: ranks [0,2] are in MPI_Allgather on MPI_COMM_WORLD, ranks [1,3] in "
			       "MPI_Allreduce: the function differs, or counts or datatypes do, hangs_collectives.h:",
		[HANG_MPICH_LIB] = "mismatch: ranks [0,2] are in MPI_Allgather on MPI_COMM_WORLD, which ranks [1,3] "
				   "have left: counts or datatypes differ, hangs_collectives.h:"
	};
	const struct hang hang = { .name = "counts_leave", .n = 4 };
	struct mpidbg_run run;
	struct job job;
	char pid[32];

	if (!job_mpich_is_read())
		return;
	hang_start(&hang, _i ? HANG_MPICH_LIB : HANG_MPICH, &job);
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	double until = job_now() + ASKED_S;
	for (bool there = false; !there;) {
		mpidbg_run(&run, "deadlock", "--job", pid, NULL);
		there = run.exit_code == 4 && strstr(run.out, said[_i ? HANG_MPICH_LIB : HANG_MPICH]);
		ck_assert_msg(there || job_now() < until, "%s%s", run.out, run.err);
		ck_assert_msg(!strstr(run.out, "entered"), "%s", run.out);
		mpidbg_run_free(&run);
	}
	job_end(&job);
}
END_TEST

/*
 * One rank polls for a message that nobody sends, and the others wait for it: no proof, and no progress. Without the
 * in-target library its tag is unknown.
 */
START_TEST(test_spinning)
{
	bool recorded = _i == HANG_OMPI_LIB || _i == HANG_MPICH_LIB;
	const char *said[] = {
		recorded ? "spinning: rank 0 polls (MPI_Iprobe from rank 2, tag 5 on MPI_COMM_WORLD), and all others "
			   "wait: nothing is sent unless it leaves its loop, hangs_going.h:"
			 : "spinning: rank 0 polls (MPI_Iprobe on MPI_COMM_WORLD), and all others wait: nothing is "
			   "sent unless it leaves its loop, hangs_going.h:",
		recorded ? "; rank 2 has sent one with tag 9 on MPI_COMM_WORLD: the tag differs\n"
			 : "; a message from rank 2, tag 9 on MPI_COMM_WORLD, has arrived at rank 0, and no receive "
			   "asks for it\n",
		recorded ? "\n  rank 0  polls with MPI_Iprobe from rank 2, tag 5 on MPI_COMM_WORLD "
			 : "\n  rank 0  polls with MPI_Iprobe on MPI_COMM_WORLD "
	};
	const struct hang hang = { .name = "one_polls", .n = 3 };
	struct mpidbg_run run;
	struct job job;
	char pid[32];

	if ((_i == HANG_MPICH || _i == HANG_MPICH_LIB) && !job_mpich_is_read())
		return;
	hang_start(&hang, (enum hang_config)_i, &job);
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	double until = job_now() + ASKED_S;
	for (bool there = false; !there;) { /* one answer of six would be right by chance, if all moments had to be in a
					       call */
		mpidbg_run(&run, "deadlock", "--job", pid, NULL);
		there = run.exit_code == 5 && strncmp(run.out, said[0], strlen(said[0])) == 0 &&
			strstr(run.out, said[1]) && strstr(run.out, said[2]);
		ck_assert_msg(run.exit_code != 4 && (there || job_now() < until), "%s%s", run.out, run.err);
		mpidbg_run_free(&run);
	}
	bool moves = true;
	while (moves && job_now() < until) {
		mpidbg_run(&run, "deadlock", "--watch", "2", "--job", pid, NULL);
		moves = run.exit_code != 5 ||
			!strstr(run.out, "\nspinning without progress: rank 0 polls, and no other rank has "
					 "made progress in ");
		const char *looks = strstr(run.out, "\nEach look, compared with the one before:\n  after ");
		ck_assert_msg(run.exit_code != 5 || looks, "%s", run.out);
		mpidbg_run_free(&run);
	}
	ck_assert(!moves);
	job_end(&job);
}
END_TEST

/* Rank 0 has marked one of two partitions ready and waits for something else; rank 1 waits for both. */
START_TEST(test_partitioned)
{
	static const char said[] = "MPI_Wait for a partitioned receive from rank 0, tag 5 on MPI_COMM_WORLD: its "
				   "sender has marked 1 of "
				   "2 partitions ready";
	const struct hang hang = { .name = "partitioned", .n = 2 };
	struct mpidbg_run run;
	struct job job;
	char pid[32];
	bool there = false, has_them = false;

	if (!job_mpich_is_read())
		return;
	hang_start(&hang, HANG_MPICH_LIB, &job);
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	mpidbg_run(&run, "snapshot", "--job", pid, NULL);
	json_t *answer = mpidbg_run_json(&run);
	const json_t *mpi = json_object_get(json_array_get(json_object_get(answer, "processes"), 0), "mpi");
	const char *version = json_string_value(json_object_get(mpi, "version"));
	ck_assert_ptr_nonnull(version);
	has_them = atoi(version) >= 4; /* MPI 4; otherwise the program sends nothing partitioned */
	json_decref(answer);
	mpidbg_run_free(&run);
	for (double until = job_now() + ASKED_S; has_them && !there && job_now() < until;) { /* until rank 1 waits */
		mpidbg_run(&run, "deadlock", "--job", pid, NULL);
		there = strstr(run.out, said);
		ck_assert_msg(there || job_now() < until, "%s%s", run.out, run.err);
		mpidbg_run_free(&run);
	}
	job_end(&job);
}
END_TEST

enum { FLOOD = 12000, LISTED = 10000 };

static const struct flood {
	const char *command, *list, *said;
	bool waits; /* for an operation past the first LISTED ones */
} floods[] = {
	{ "flood unexpected 12000", "unexpected",
	  "\nnot all messages that have arrived were read of rank 0: 2000 more were only counted\n", false },
	{ "flood receives 12000", "pending_receives",
	  "\nnot all pending receives were read of rank 0: 2000 more were only counted\n", false },
	{ "flood sends 12000", "pending_sends",
	  "\nnot all pending sends were read of rank 0: 2000 more were only counted\n", false },
	{ "flood waiting 12000", "pending_receives",
	  "\nnot all pending receives were read of rank 0: 2000 more were only counted\n", true },
};

/*
 * A snapshot of 12,000 operations of one kind lists the first 10,000 and the one that a thread waits for, and counts
 * the rest. queues --json lists all.
 */
START_TEST(test_flood)
{
	const struct flood *f = &floods[_i];
	char pid[32], key[64];
	struct mpidbg_run run;
	struct job job;

	job_start(f->command, NULL, 2, 0, &job);
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	snprintf(key, sizeof(key), "%s_more", f->list);
	double until = job_now() + ASKED_S;
	for (bool there = !f->waits; !there && job_now() < until;) { /* until rank 0 blocks */
		mpidbg_run(&run, "deadlock", "--job", pid, NULL);
		there = strstr(run.out, "MPI_Recv from rank 1, tag 30001 on MPI_COMM_WORLD");
		mpidbg_run_free(&run);
	}
	for (int snapshot = 0; snapshot < 2; snapshot++) {
		mpidbg_run(&run, snapshot ? "snapshot" : "queues", "--job", pid, snapshot ? NULL : "--json", NULL);
		json_t *answer = mpidbg_run_json(&run);
		const json_t *comm = json_array_get(
			json_object_get(json_array_get(json_object_get(answer, "processes"), 0), "communicators"), 0);
		const json_t *more = json_object_get(comm, key);
		ck_assert_uint_eq(json_array_size(json_object_get(comm, f->list)),
				  (snapshot ? LISTED : FLOOD) + f->waits);
		ck_assert_int_eq(json_integer_value(more), snapshot ? FLOOD - LISTED : 0);
		ck_assert_int_eq(json_is_integer(more), snapshot);
		json_decref(answer);
		mpidbg_run_free(&run);
	}
	mpidbg_run(&run, "deadlock", "--job", pid, NULL);
	ck_assert_int_eq(run.exit_code, f->waits ? 4 : 0); /* rank 1 sleeps outside MPI */
	ck_assert_msg(strstr(run.out, f->said), "%s", run.out);
	mpidbg_run_free(&run);
	job_end(&job);
}
END_TEST

/* Several that ask at one moment take turns: none finds a rank traced, and all say the same. */
START_TEST(test_at_once)
{
	const struct hang hang = { .name = "ring_sendrecv_tag", .n = 3 };
	struct job job;
	bool all = false;

	hang_start(&hang, HANG_OMPI, &job);
	for (double until = job_now() + ASKED_S; !all && job_now() < until;) {
		const char *text = shell_output(
			0,
			"f=%s; for k in 1 2 3; do $MPIDBG_BUILD/mpidbg deadlock --progress=never --job %d >$f/out.$k "
			"2>$f/err.$k & done; wait; for k in 1 2 3; do grep -c '^mismatch: rank 2 waits for a message "
			"from rank 1, tag 5 .*: the tag differs' $f/out.$k || true; done; cat $f/err.*",
			job.dir, (int)job.launcher);
		ck_assert_msg(strspn(text, "01\n") == strlen(text), "%s", text);
		all = strcmp(text, "1\n1\n1\n") == 0;
	}
	ck_assert(all);
	job_end(&job);
}
END_TEST

/* Nothing is known of MPI_Win_lock of an unprepared process, but that it does not return. */
START_TEST(test_lock)
{
	const struct hang hang = { .name = "win_lock_recv", .n = 2 };
	struct mpidbg_run run;
	struct job job;
	char pid[32];
	bool found = false, elsewhere = false;

	if (!hang_can_count() || (_i == HANG_MPICH && !job_mpich_is_read()))
		return;
	hang_start(&hang, (enum hang_config)_i, &job);
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	for (double until = job_now() + ASKED_S; !found && !elsewhere && job_now() < until; mpidbg_run_free(&run)) {
		mpidbg_run(&run, "deadlock", "--job", pid, NULL);
		found = run.exit_code == 4 && strstr(run.out, "deadlock: ranks [0-1] wait for each other");
		elsewhere = strstr(run.out, "MPI_Win_flush") || strstr(run.out, "MPI_Put"); /* it locks there */
		ck_assert_msg(found || job_now() < until, "%s%s", run.out, run.err);
	}
	job_end(&job);
}
END_TEST

int main(void)
{
	job_require();
	Suite *s = suite_create("deadlock");
	TCase *cases = tcase_create("hangs"), *queues = tcase_create("queues"), *together = tcase_create("together"),
	      *counted = tcase_create("counted"), *spinning = tcase_create("spinning");

	tcase_set_timeout(cases, LIVE_TIMEOUT_S);
	tcase_set_timeout(queues, LIVE_TIMEOUT_S);
	tcase_set_timeout(together, LIVE_TIMEOUT_S);
	tcase_set_timeout(spinning, LIVE_TIMEOUT_S);
	tcase_set_timeout(counted, LIVE_TIMEOUT_S);
	hang_add(cases, test_hangs, false, 1);
	tcase_add_test(queues, test_queues);
	tcase_add_loop_test(queues, test_counts_leave, 0, 2);
	tcase_add_loop_test(spinning, test_spinning, 0, N_HANG_CONFIGS);
	tcase_add_test(together, test_at_once);
	tcase_add_test(queues, test_partitioned);
	tcase_add_loop_test(counted, test_lock, HANG_OMPI, HANG_MPICH + 1);
	tcase_add_loop_test(queues, test_flood, 0, (int)(sizeof(floods) / sizeof(floods[0])));
	suite_add_tcase(s, cases);
	suite_add_tcase(s, queues);
	suite_add_tcase(s, spinning);
	suite_add_tcase(s, together);
	suite_add_tcase(s, counted);
	return suite_run(s);
}
