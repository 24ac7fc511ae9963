/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Python functions have the same words in `mpidbg queues` and `calls` and in GDB's `mpi queues`, `mpi calls` and
 * `mpi where`, live and from cores: those of the program's own faulthandler.
 */
#include "../support/gdb_run.h"
#include "../support/live_main.h"
#include "../support/connections.h"
#include "../support/python_truth.h"
#include "../support/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lines of nothing but a frame, "    receive at hang.py:52", next to each other. */
static void says(const char *out, const struct python_stack *truth, const char *what)
{
	const char *line = out;
	int n = 0;

	for (; n < truth->n && line && *line; line = strchr(line, '\n'), line += line != NULL) {
		char text[PYTHON_FRAME_BYTES];
		size_t indent = strspn(line, " "), bytes = strcspn(line + indent, "\n");

		snprintf(text, sizeof(text), "%.*s", (int)bytes, line + indent);
		if (indent == 4 && strstr(text, " at hang.py:") && python_is_same(text, truth->frame[n]))
			n++;
		else
			ck_assert_msg(!n, "%s: after %s: %s", what, truth->frame[n - 1], text);
	}
	ck_assert_msg(n == truth->n, "%s: %d of %d functions in\n%s", what, n, truth->n, out);
}

static void check_command(const char *command, const char *option, const char *value, const struct python_stack *truth)
{
	struct mpidbg_run run;

	mpidbg_run(&run, command, option, value, NULL);
	says(run.out, truth, command);
	mpidbg_run_free(&run);
}

/* `mpi where` has C frames between the Python frames: all of them appear, in this order. */
static void check_where(const char *out, const struct python_stack *truth)
{
	const char *at = strstr(out, "\n#");

	for (int i = 0; i < truth->n; i++) {
		const char *name_end = strstr(truth->frame[i], " at ");
		char words[PYTHON_FRAME_BYTES + 2];

		snprintf(words, sizeof(words), "%s\n", strchr(truth->frame[i], '\\') ? name_end : truth->frame[i]);
		at = at ? strstr(at, words) : NULL;
		ck_assert_msg(at != NULL, "%s is not in its place in\n%s", truth->frame[i], out);
	}
}

static void check_gdb(const char *const arguments[2], const struct python_stack *truth)
{
	static const char *const commands[] = { "mpi queues", "mpi calls", "mpi where" };
	struct mpidbg_run run;

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		gdb_run(&run, commands[i], arguments[0], arguments[1], NULL);
		if (i < 2)
			says(run.out, truth, commands[i]);
		else
			check_where(run.out, truth);
		mpidbg_run_free(&run);
	}
	gdb_run(&run, "mpi deadlock", arguments[0], arguments[1], NULL);
	char place[64];
	snprintf(place, sizeof(place), "at %s in ", strstr(truth->frame[0], "hang.py:"));
	ck_assert_msg(strstr(run.out, place) != NULL, "%s is not in %s", place, run.out);
	mpidbg_run_free(&run);
}

START_TEST(test_words)
{
	char number[32], core_option[600];
	struct python_stack truth;
	struct job job;

	job_start("/usr/bin/python3 tests/programs/python/hang.py wrong_tag", connections_preload(), 2, 0, &job);
	python_wait_for(&job, "mismatch: rank 0 waits for a message from rank 1, tag 8", "hang.py:");
	python_ask_rank(&job, 1, &truth);
	ck_assert_int_ge(truth.n, 5);
	snprintf(number, sizeof(number), "%d", (int)job.ranks[1].pid);
	check_command("queues", "-p", number, &truth);
	check_command("calls", "-p", number, &truth);
	check_gdb((const char *const[]){ "-p", number }, &truth);
	job_cores(&job);
	job_stop(&job);
	check_command("queues", "--core", job.ranks[1].core, &truth);
	check_command("calls", "--core", job.ranks[1].core, &truth);
	snprintf(core_option, sizeof(core_option), "--core=%s", job.ranks[1].core);
	check_gdb((const char *const[]){ "/usr/bin/python3", core_option }, &truth);
	job_end(&job);
}
END_TEST

int main(void)
{
	job_require();
	gdb_require_version(12);
	Suite *s = suite_create("gdb_python");
	TCase *tc = tcase_create("words");

	tcase_set_timeout(tc, LIVE_TIMEOUT_S);
	tcase_add_test(tc, test_words);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
