/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs mpidbg top in a real terminal: in tmux, which sends keys and captures the screen. */
#include "../support/job.h"
#include "../support/live_main.h"
#include "../support/mpidbg_run.h"
#include "../support/suite.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHOWN_S = 60, WATCHED_S = 8, ARGS_MAX = 16 };

static char server[64];
static struct mpidbg_run run; /* the last answer of tmux */

static void tmux(const char *command, ...)
{
	const char *argv[ARGS_MAX + 1] = { "tmux", "-L", server, "-f", "/dev/null", command };
	size_t n = 6;
	va_list args;

	va_start(args, command);
	for (const char *a; (a = va_arg(args, const char *)) && n < ARGS_MAX;)
		argv[n++] = a;
	va_end(args);
	argv[n] = NULL;
	mpidbg_run_free(&run);
	mpidbg_run_program(&run, (char **)argv);
}

static void setup(void)
{
	snprintf(server, sizeof(server), "mpidbg-test-%d", (int)getpid());
	setenv("LC_ALL", "C.UTF-8", 1);
	unsetenv("TMUX");
}

static void teardown(void)
{
	tmux("kill-server", NULL);
	mpidbg_run_free(&run);
}

/* Wait until the terminal shows it. @return all that it shows, until the next call */
static const char *shows(const char *text)
{
	double end = job_now() + SHOWN_S;

	do {
		tmux("capture-pane", "-p", NULL);
		if (strstr(run.out, text))
			return run.out;
		job_nap();
	} while (job_now() < end);
	ck_abort_msg("not shown: %s\n%s%s", text, run.out, run.err);
}

/* In a terminal of 24 lines. */
static void start_top_in(const struct job *job, const char *columns)
{
	char script[1024];

	/* the settings of the terminal before and after; no end, so that they stay to be read */
	snprintf(script, sizeof(script),
		 "trap : INT; stty -g; '%s/mpidbg' top --job %d; echo \"exit $?\"; stty -g; echo over; exec sleep 1000",
		 getenv("MPIDBG_BUILD"), (int)job->launcher);
	tmux("new-session", "-d", "-x", columns, "-y", "24", "sh", "-c", script, NULL);
	ck_assert_msg(run.exit_code == 0, "%s", run.err);
}

static void start_top(const struct job *job)
{
	start_top_in(job, "120");
}

/* Is the terminal as it was? The first line and the one before "over" are what stty said. */
static void check_settings(int exit_code)
{
	char before[512], line[32];
	const char *text = shows("\nover");

	ck_assert_int_eq(sscanf(text, "%511s", before), 1);
	snprintf(line, sizeof(line), "\nexit %d\n", exit_code);
	const char *after = strstr(text, line);
	ck_assert_msg(after && strncmp(after + strlen(line), before, strlen(before)) == 0, "%s", text);
}

static void check_not_held(const struct job *job)
{
	double end = job_now() + SHOWN_S;

	for (size_t i = 0; i < job->n_ranks; i++) {
		while (job_is_traced(job->ranks[i].pid) && job_now() < end)
			job_nap();
		ck_assert(!job_is_traced(job->ranks[i].pid));
	}
}

START_TEST(test_keys)
{
	struct job job;
	char shown[64];

	job_start("hangs allreduce_sleeps", NULL, 3, 0, &job);
	start_top(&job);
	const char *text = shows("[0-1]              2");
	ck_assert_msg(strstr(text, "MPI_Allreduce on MPI_COMM_WORLD  at hangs.c:"), "%s", text);
	ck_assert_msg(strstr(text, "\n2                  1") &&
			      strstr(text, "in no MPI function, sleeping for another ") &&
			      strstr(text, " s\n                                    at hangs.h:"),
		      "%s", text);
	check_not_held(&job);

	tmux("send-keys", "?", NULL);
	shows("mpidbg top: keys");
	shows("q                    quit");
	tmux("send-keys", "?", NULL);
	shows("? help  Enter one rank");
	tmux("send-keys", "s", NULL);
	shows("sort (by number of ranks)");
	tmux("send-keys", "Down", "Enter", NULL);
	snprintf(shown, sizeof(shown), "rank 2  pid %d  host ", (int)job.ranks[2].pid);
	text = shows(shown);
	ck_assert_msg(strstr(text, "\n  read_block at hangs.h:"), "%s", text);
	tmux("send-keys", "Right", NULL);
	shows("rank 0  pid ");
	tmux("send-keys", "Escape", NULL);
	shows("RANKS ");

	/* twenty columns: what fits */
	tmux("resize-window", "-x", "20", "-y", "8", NULL);
	shows("\nq quit  ? help  Ente");
	shows("\n[0-1]  MPI_Allreduce\n");
	tmux("resize-window", "-x", "120", "-y", "24", NULL);
	shows("sort (by number of ranks)");

	/* the job ends while it is watched */
	job_stop(&job);
	shows("the job has ended");
	shows("has ended\n");
	tmux("send-keys", "q", NULL);
	check_settings(0);

	job_end(&job);
}
END_TEST

static bool is_red(void)
{
	tmux("capture-pane", "-e", "-p", NULL);
	return strstr(run.out, "[31m") || strstr(run.out, ";31m");
}

/* Red is what is confirmed: a ring that is stuck, and no moment of one that goes on. */
START_TEST(test_red)
{
	struct job job;
	double end;

	job_start("hangs ring_recv", NULL, 3, 0, &job);
	start_top_in(&job, "80");
	for (end = job_now() + SHOWN_S; !is_red();) {
		ck_assert_msg(job_now() < end, "%s", run.out);
		job_nap();
	}
	tmux("capture-pane", "-p", NULL);
	ck_assert_msg(strncmp(run.out, "mpidbg top  job ", 16) == 0, "%s", run.out);
	/* the place has no room behind the call; nothing of the reading that has confirmed it is on the screen */
	ck_assert_msg(strstr(run.out, "\n                            at hangs.h:") &&
			      strstr(run.out, "q quit  ? help") && !strstr(run.out, "mpidbg: "),
		      "%s", run.out);
	job_end(&job);
	tmux("kill-server", NULL);
	job_start("hangs exchange", NULL, 3, 0, &job);
	start_top(&job);
	shows("MPI_Sendrecv");
	for (end = job_now() + WATCHED_S; job_now() < end; job_nap())
		ck_assert_msg(!is_red(), "%s", run.out);
	job_end(&job);
}
END_TEST

START_TEST(test_interrupt)
{
	struct job job;
	char pid[32];

	job_start("hangs recv_recv", NULL, 2, 0, &job);
	snprintf(pid, sizeof(pid), "%d", (int)job.launcher);
	mpidbg_run(&run, "top", "--job", pid, NULL);
	ck_assert_int_eq(run.exit_code, 2);
	ck_assert_str_eq(run.err, "mpidbg: top: needs a terminal, and TERM to say of which kind: mpidbg deadlock and "
				  "queues print once\n");
	start_top(&job);
	shows("MPI_Recv from rank");
	tmux("send-keys", "C-c", NULL);
	check_settings(0);
	check_not_held(&job);
	job_end(&job);
}
END_TEST

/* Processes spawned during the watch are found, and the ranks of the first world keep their identity. */
START_TEST(test_spawned)
{
	struct job job;
	char path[600];

	job_start("spawn_later", NULL, 2, 0, &job);
	start_top(&job);
	shows("2 ranks");
	shows("in no MPI function");
	snprintf(path, sizeof(path), "%s/go", job.dir);
	FILE *go = fopen(path, "we");
	ck_assert_ptr_nonnull(go);
	fclose(go);
	shows("4 ranks");
	shows("read_later");
	shows("MPI_Barrier");
	tmux("send-keys", "q", NULL);
	check_settings(0);
	check_not_held(&job);
	job_end(&job);
}
END_TEST

/* However it is ended, the terminal is as it was. */
START_TEST(test_signal)
{
	static const char *const signals[] = { "TERM", "HUP", "QUIT", "INT" };
	struct job job;
	char command[1200];

	job_start("hangs recv_recv", NULL, 2, 0, &job);
	start_top(&job);
	shows("MPI_Recv from rank");
	tmux("display-message", "-p", "#{pane_pid}", NULL);
	/* its parent is the shell of the pane */
	snprintf(command, sizeof(command), "kill -%s $(ps -o pid= --ppid %d)", signals[_i], atoi(run.out));
	ck_assert_int_eq(system(command), 0);
	check_settings(0);
	check_not_held(&job);
	job_end(&job);
}
END_TEST

int main(void)
{
	job_require();
	Suite *s = suite_create("top");
	TCase *tc = tcase_create("terminal");

	tcase_set_timeout(tc, LIVE_TIMEOUT_S);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_keys);
	tcase_add_test(tc, test_red);
	tcase_add_test(tc, test_interrupt);
	tcase_add_test(tc, test_spawned);
	tcase_add_loop_test(tc, test_signal, 0, 4);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
