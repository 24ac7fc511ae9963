/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpidbg deadlock on jobs that are stopped by a signal, as a suspended batch job is: both readings are then of one
 * moment, and so are a snapshot and cores. A healthy job must not be called a deadlock, whatever was in flight; a job
 * that was deadlocked before stays one where the MPI library numbers its messages.
 */
#include "../support/hangs.h"
#include "../support/live_main.h"
#include "../support/mpidbg_run.h"
#include "../support/suite.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 4, BETWEEN_US = 70000, STOP_S = 20 };

static const char *const healthy[] = { "allreduces", "barriers_of_two", "cart_shift", "exchange" };
enum { N_HEALTHY = sizeof(healthy) / sizeof(healthy[0]) };

static char state_of(pid_t pid)
{
	char path[64], state = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	FILE *f = fopen(path, "r");
	if (f) {
		ck_assert_int_eq(fscanf(f, "%*d (%*[^)]) %c", &state), 1);
		fclose(f);
	}
	return state;
}

static void stop(const struct job *job, size_t first, size_t n)
{
	for (size_t i = first; i < n; i++)
		ck_assert_int_eq(kill(job->ranks[i].pid, SIGSTOP), 0);
	double end = job_now() + STOP_S;
	for (size_t i = first; i < n; i++)
		while (state_of(job->ranks[i].pid) != 'T') {
			ck_assert(job_now() < end);
			job_nap();
		}
}

static void go_on(const struct job *job)
{
	for (size_t i = 0; i < job->n_ranks; i++)
		ck_assert_int_eq(kill(job->ranks[i].pid, SIGCONT), 0);
}

/* The verdict of one query; a new reference. */
static json_t *verdict_of(const char *option, const char *value, int *exit_code)
{
	struct mpidbg_run run;

	mpidbg_run(&run, "deadlock", "--json", option, value, NULL);
	*exit_code = run.exit_code;
	json_t *answer = mpidbg_run_json(&run), *ret = json_incref(json_object_get(answer, "verdict"));
	ck_assert_msg(ret != NULL, "%s%s", run.out, run.err);
	json_decref(answer);
	mpidbg_run_free(&run);
	return ret;
}

static const char *text(const json_t *verdict, const char *key)
{
	const char *s = json_string_value(json_object_get(verdict, key));

	return s ? s : "";
}

static void check_healthy(const char *option, const char *value, const char *says)
{
	int exit_code;
	json_t *v = verdict_of(option, value, &exit_code);
	char *all = json_dumps(v, JSON_INDENT(1));

	ck_assert_msg(exit_code == 0 && json_array_size(json_object_get(v, "waiting_for_ever")) == 0, "exit %d: %s",
		      exit_code, all);
	ck_assert_msg(!json_is_true(json_object_get(v, "stands_still")), "%s", all);
	ck_assert_msg(strstr(text(v, "conclusion"), says), "%s", all);
	free(all);
	json_decref(v);
}

/* Write a snapshot of the job to a file. */
static void take_snapshot(const char *pid, const char *path)
{
	struct mpidbg_run run;

	mpidbg_run(&run, "snapshot", "--job", pid, NULL);
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(run.out, f), 0);
	ck_assert_int_eq(fclose(f), 0);
	mpidbg_run_free(&run);
}

START_TEST(test_healthy)
{
	bool mpich = _i >= N_HEALTHY;
	const struct hang hang = { .name = healthy[_i % N_HEALTHY], .n = 3 };
	struct job job;
	char pid[32], path[600];

	if (mpich && job_omits_mpich())
		return;
	hang_start(&hang, mpich ? HANG_MPICH : HANG_OMPI, &job);
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	snprintf(path, sizeof(path), "%s/snapshot.json", job.dir);
	for (int i = 0; i < ROUNDS; i++) {
		usleep(BETWEEN_US);
		stop(&job, 0, job.n_ranks);
		check_healthy("--job", pid, "ranks [0-2] are stopped by a signal");
		take_snapshot(pid, path);
		check_healthy("--snapshot", path, "ranks [0-2] are stopped by a signal");
		if (i + 1 < ROUNDS)
			go_on(&job);
	}
	job_cores(&job);
	job_stop(&job);
	check_healthy("--cores", job.dir, "");
	job_end(&job);
}
END_TEST

/* The other ranks wait for the one that is stopped, which is named; it may have stopped within an MPI call. */
START_TEST(test_one)
{
	const struct hang hang = { .name = healthy[_i % N_HEALTHY], .n = 3 };
	struct job job;
	char pid[32];
	int exit_code;

	hang_start(&hang, HANG_OMPI, &job);
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	for (int i = 0; i < ROUNDS; i++) {
		usleep(BETWEEN_US);
		stop(&job, 1, 2);
		json_t *v = verdict_of("--job", pid, &exit_code);
		/* the others may first receive what is on its way to them */
		for (double end = job_now() + LAUNCHER_WAIT_S / 4.0;
		     strcmp(text(v, "result"), "missing rank") != 0 && job_now() < end; job_nap()) {
			json_decref(v);
			v = verdict_of("--job", pid, &exit_code);
		}
		char *all = json_dumps(v, JSON_INDENT(1));
		ck_assert_msg(strcmp(text(v, "result"), "missing rank") == 0 &&
				      strstr(text(v, "conclusion"), "look at rank 1, which is stopped by a signal") &&
				      json_array_size(json_object_get(v, "waiting_for_ever")) == 0,
			      "%s", all);
		free(all);
		json_decref(v);
		go_on(&job);
	}
	job_end(&job);
}
END_TEST

static const struct hung {
	const char *name, *result;
	int n;
	enum hang_config config;
} hung[] = {
	{ "recv_recv", "deadlock", 2, HANG_OMPI },  { "ring_sendrecv_tag", "mismatch", 3, HANG_OMPI },
	{ "any_source", "deadlock", 3, HANG_OMPI }, { "barrier_ibarrier", "deadlock", 3, HANG_OMPI },
	{ "send_send", "deadlock", 2, HANG_MPICH }, { "self_recv", "deadlock", 2, HANG_MPICH },
};

/* Nothing is in flight to these ranks, which one moment shows. */
START_TEST(test_hung)
{
	const struct hung *h = &hung[_i];
	const struct hang hang = { .name = h->name, .n = h->n };
	struct job job;
	char pid[32], path[600];
	int exit_code = 0;

	if (h->config == HANG_MPICH && job_omits_mpich())
		return;
	hang_start(&hang, h->config, &job);
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	snprintf(path, sizeof(path), "%s/snapshot.json", job.dir);
	double end = job_now() + 100;
	while (exit_code != 4 && job_now() < end)
		json_decref(verdict_of("--job", pid, &exit_code));
	ck_assert_int_eq(exit_code, 4);
	stop(&job, 0, job.n_ranks);
	take_snapshot(pid, path);
	for (int i = 0; i < 2; i++) {
		json_t *v = i ? verdict_of("--snapshot", path, &exit_code) : verdict_of("--job", pid, &exit_code);
		ck_assert_int_eq(exit_code, 4);
		ck_assert_str_eq(text(v, "result"), h->result);
		json_decref(v);
	}
	job_end(&job);
}
END_TEST

int main(void)
{
	job_require();
	Suite *s = suite_create("stopped");
	TCase *tc = tcase_create("stopped");

	tcase_set_timeout(tc, LIVE_TIMEOUT_S);
	tcase_add_loop_test(tc, test_healthy, 0, 2 * N_HEALTHY);
	tcase_add_loop_test(tc, test_one, 0, 2);
	tcase_add_loop_test(tc, test_hung, 0, (int)(sizeof(hung) / sizeof(hung[0])));
	suite_add_tcase(s, tc);
	return suite_run(s);
}
