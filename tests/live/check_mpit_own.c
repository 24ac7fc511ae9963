/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library's own events and variables, on both MPIs: programs that compare them with what they do, alone and with
 * threads; a tool of 40 lines that counts the messages of four ranks; processes spawned, and MPI_Abort.
 */
#include "../support/job.h"
#include "../support/launcher.h"
#include "../support/mpidbg_run.h"
#include "../support/scratch.h"
#include "../support/suite.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLAVOURS = 2 };
static const char *const flavours[FLAVOURS] = { "openmpi", "mpich" };

static const struct {
	const char *program;
	int n_rules; /* lines that must be there at least: a program that ends early has not tried them */
} runs[] = { { "mpit_own", 830 }, { "mpit_own_threads", 10 }, { "mpit_own_vars", 230 } };

enum { N_RUNS = sizeof runs / sizeof runs[0] };

static void path(char ret[PATH_MAX], const char *format, const char *name)
{
	char build[PATH_MAX];

	ck_assert(realpath(getenv("MPIDBG_BUILD"), build) != NULL);
	ck_assert_int_lt(snprintf(ret, PATH_MAX, format, build, name), PATH_MAX);
}

static void program(char ret[PATH_MAX], int flavour, const char *name)
{
	path(ret, flavour == 0 ? "%s/programs/%s" : "%s/programs-mpich/%s", name);
}

/* No rule is violated, and a minimum number of rules was checked. */
static void check_rules(const struct mpidbg_run *run, const char *name, int n_rules)
{
	int n = 0;

	for (const char *line = run->out; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		ck_assert_msg(strncmp(line, "fail ", 5) != 0, "%s: %.300s", name, line);
		n += strncmp(line, "pass ", 5) == 0;
	}
	ck_assert_msg(n >= n_rules, "%s: exit %d, %d rules\n%s", name, run->exit_code, n, run->err);
}

START_TEST(test_alone)
{
	int flavour = _i / N_RUNS;
	char what[PATH_MAX], preload[PATH_MAX + 16];
	static char env[] = "env", timeout[] = "timeout", seconds[] = "100", comms[] = "MPI2DD_TRACK_COMM=77",
		    arena[] = "MPI2DD_TRACK_ARENA=5000000000", where[] = "MPI2DD_TRACK_WHERE=3",
		    freed[] = "MPI2DD_TRACK_FREED=9";
	bool vars = strcmp(runs[_i % N_RUNS].program, "mpit_own_vars") == 0;
	struct mpidbg_run run;

	program(what, flavour, runs[_i % N_RUNS].program);
	path(preload, "LD_PRELOAD=%s/libmpi2dd-%s.so", flavours[flavour]);
	mpidbg_run_program(&run,
			   vars ? (char *[]){ timeout, seconds, env, preload, comms, arena, where, freed, what, NULL }
				: (char *[]){ timeout, seconds, env, preload, what, NULL });
	check_rules(&run, what, runs[_i % N_RUNS].n_rules);
	ck_assert_int_eq(run.exit_code, 0);
	mpidbg_run_free(&run);
}
END_TEST

/* Run ranks with these libraries before them. */
static void launch(struct mpidbg_run *ret, int flavour, const char *n, const char *preload, const char *what,
		   const char *argument)
{
	char line[4 * PATH_MAX];
	static char sh[] = "sh", c[] = "-c";

	if (flavour == 0)
		snprintf(line, sizeof line,
			 "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 exec timeout 100 mpirun.openmpi "
			 "--oversubscribe -n %s -x LD_PRELOAD='%s' %s %s",
			 n, preload, what, argument);
	else
		snprintf(line, sizeof line, "exec timeout 100 mpirun.mpich -n %s -genv LD_PRELOAD '%s' %s %s", n,
			 preload, what, argument);
	mpidbg_run_program(ret, (char *[]){ sh, c, line, NULL });
}

/* The rest of the lines that start with @p word, sorted. */
static int lines_of(char *text, const char *word, char *ret[], int max)
{
	int n = 0;

	for (char *at = text; n < max && (at = strstr(at, word)) != NULL;) {
		at += strlen(word);
		size_t length = strcspn(at, "\r\n");
		ret[n] = strndup(at, length);
		int k = n++;
		for (; k > 0 && strcmp(ret[k - 1], ret[k]) > 0; k--) {
			char *other = ret[k];
			ret[k] = ret[k - 1];
			ret[k - 1] = other;
		}
	}
	return n;
}

START_TEST(test_tool_counts_messages)
{
	enum { RANKS = 4 };
	char what[PATH_MAX], library[PATH_MAX], tool[PATH_MAX], preload[2 * PATH_MAX + 2];
	char *truth[RANKS + 1], *counted[RANKS + 1];
	struct mpidbg_run run;

	program(what, _i, "mpit_traffic");
	path(library, "%s/libmpi2dd-%s.so", flavours[_i]);
	path(tool, "%s/examples/libcount_messages-%s.so", flavours[_i]);
	snprintf(preload, sizeof preload, "%s:%s", library, tool);
	launch(&run, _i, "4", preload, what, "");
	ck_assert_msg(run.exit_code == 0, "%s: exit %d\n%s", flavours[_i], run.exit_code, run.err);
	ck_assert_int_eq(lines_of(run.err, "truth: ", truth, RANKS + 1), RANKS);
	ck_assert_msg(lines_of(run.err, "count_messages: ", counted, RANKS + 1) == RANKS, "%s", run.err);
	for (int i = 0; i < RANKS; i++) {
		ck_assert_str_eq(counted[i], truth[i]);
		free(counted[i]);
		free(truth[i]);
	}
	mpidbg_run_free(&run);
}
END_TEST

static unsigned long long raised(json_t *process, const char *event)
{
	json_t *one;
	size_t i;

	json_array_foreach(json_object_get(process, "events"), i, one)
	{
		json_t *registrations = json_object_get(one, "registrations");
		if (strcmp(json_string_value(json_object_get(one, "name")), event) != 0)
			continue;
		ck_assert_uint_eq(json_array_size(registrations), 1);
		return (unsigned long long)json_integer_value(
			json_object_get(json_array_get(registrations, 0), "raised"));
	}
	ck_abort_msg("no event %s", event);
}

/* In cores of ranks with that tool: its registrations were called as often as it has counted. */
START_TEST(test_tool_in_core)
{
	enum { RANKS = 3 };
	char folder[SCRATCH_MAX], what[PATH_MAX], library[PATH_MAX], tool[PATH_MAX], preload[2 * PATH_MAX + 2];
	char *counted[RANKS + 1];
	struct mpidbg_run run, seen;
	json_t *process;
	size_t n;

	if (system("command -v gcore >/dev/null") != 0)
		return;
	scratch_make(folder, "tool");
	program(what, _i, "mpit_traffic");
	path(library, "%s/libmpi2dd-%s.so", flavours[_i]);
	path(tool, "%s/examples/libcount_messages-%s.so", flavours[_i]);
	snprintf(preload, sizeof preload, "%s:%s", library, tool);
	launch(&run, _i, "3", preload, what, folder);
	ck_assert_msg(run.exit_code == 0, "%s: exit %d\n%s", flavours[_i], run.exit_code, run.err);
	ck_assert_msg(lines_of(run.err, "count_messages: ", counted, RANKS + 1) == RANKS, "%s", run.err);
	mpidbg_run(&seen, "vars", "events", "mpi2dd_message_*", "--json", "--cores", folder, NULL);
	ck_assert_msg(seen.exit_code == 0, "exit %d\n%s%s", seen.exit_code, seen.err, run.err);
	json_t *answer = mpidbg_run_json(&seen);
	ck_assert_uint_eq(json_array_size(json_object_get(answer, "processes")), RANKS);
	json_array_foreach(json_object_get(answer, "processes"), n, process)
	{
		unsigned long long sent = raised(process, "mpi2dd_message_sent"), tool_sent = 0,
				   received = raised(process, "mpi2dd_message_received"), tool_received = 0;
		bool found = false;

		for (int i = 0; i < RANKS && !found; i++) {
			found = sscanf(counted[i], "sent %llu messages, %*u bytes; received %llu messages", &tool_sent,
				       &tool_received) == 2 &&
				sent == tool_sent && received == tool_received;
			if (found)
				counted[i][0] = '\0'; /* each rank is one process */
		}
		ck_assert_msg(found, "%s: a core says sent %llu, received %llu; the tool:\n%s", flavours[_i], sent,
			      received, run.err);
	}
	for (int i = 0; i < RANKS; i++)
		free(counted[i]);
	json_decref(answer);
	mpidbg_run_free(&seen);
	mpidbg_run_free(&run);
	scratch_remove(folder);
}
END_TEST

START_TEST(test_processes)
{
	char what[PATH_MAX], library[PATH_MAX];
	struct mpidbg_run run;

	program(what, _i, "mpit_processes");
	path(library, "%s/libmpi2dd-%s.so", flavours[_i]);
	/* the distribution's MPICH cannot spawn, with our library or without */
	if (_i == 0) {
		launcher_oversubscribe();
		launch(&run, _i, "1", library, what, "spawn");
		check_rules(&run, "spawn", 3);
		ck_assert_msg(run.exit_code == 0, "exit %d\n%s", run.exit_code, run.err);
		mpidbg_run_free(&run);
	}
	/* MPICH's launcher says 1 once in some fifty times: it has seen the process's end before its word */
	char folder[SCRATCH_MAX], argument[SCRATCH_MAX + 16];
	int code = 0;

	scratch_make(folder, "abort");
	snprintf(argument, sizeof argument, "abort %s/rules", folder);
	for (int i = 0; i < 4 && code != 7; i++) {
		launch(&run, _i, "1", library, what, argument);
		mpidbg_run_read(&run, argument + strlen("abort "));
		check_rules(&run, argument, 2);
		code = run.exit_code;
		mpidbg_run_free(&run);
	}
	scratch_remove(folder);
	ck_assert_int_eq(code, 7);
}
END_TEST

/* A tool that listens to every event and starts every variable, of COMM_WORLD where they are bound. */
static const char all_ears[] =
	"#include <mpi.h>\n"
	"#include <stddef.h>\n"
	"#include <mpi2dd_mpit.h>\n"
	"static long n;\n"
	"static void hear(MPI_T_event_instance i, MPI_T_event_registration r, MPI_T_cb_safety s, void *u)\n"
	"{ (void)i; (void)r; (void)s; (void)u; __atomic_add_fetch(&n, 1, __ATOMIC_RELAXED); }\n"
	"static void listen_to_all(void)\n"
	"{ int provided, events, pvars, bind, count; MPI_T_event_registration r; MPI_T_pvar_session s; "
	"MPI_T_pvar_handle h;\n"
	"  MPI_Comm world = MPI_COMM_WORLD;\n"
	"  MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided); MPI_T_event_get_num(&events); "
	"MPI_T_pvar_get_num(&pvars);\n"
	"  for (int i = 0; i < events; i++) {\n"
	"    MPI_T_event_get_info(i, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &bind);\n"
	"    if ((bind == MPI_T_BIND_NO_OBJECT || bind == MPI_T_BIND_MPI_COMM) &&\n"
	"        MPI_T_event_handle_alloc(i, &world, MPI_INFO_NULL, &r) == MPI_SUCCESS)\n"
	"      MPI_T_event_register_callback(r, MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, MPI_INFO_NULL, NULL, hear); }\n"
	"  MPI_T_pvar_session_create(&s);\n"
	"  for (int i = 0; i < pvars; i++) MPI_T_pvar_handle_alloc(s, i, &world, &h, &count);\n"
	"  MPI_T_pvar_start(s, MPI_T_PVAR_ALL_HANDLES); }\n"
	"int MPI_Init(int *c, char ***v) { int rc = PMPI_Init(c, v); listen_to_all(); return rc; }\n"
	"int MPI_Init_thread(int *c, char ***v, int w, int *p)\n"
	"{ int rc = PMPI_Init_thread(c, v, w, p); listen_to_all(); return rc; }\n";

/* A program that prints the results of valid and invalid MPI calls prints the same with a listener. */
START_TEST(test_listening_changes_nothing)
{
	char folder[SCRATCH_MAX], path_of[PATH_MAX], line[4 * PATH_MAX], what[PATH_MAX], library[PATH_MAX],
		said[SCRATCH_MAX + 8];
	struct mpidbg_run bare, heard;

	scratch_make(folder, "ears");
	snprintf(path_of, sizeof path_of, "%s/ears.c", folder);
	FILE *f = fopen(path_of, "w");
	ck_assert_ptr_nonnull(f);
	fputs(all_ears, f);
	fclose(f);
	snprintf(line, sizeof line, "mpicc.%s -w -Iinclude -fPIC -shared -o %s/ears.so %s", flavours[_i], folder,
		 path_of);
	ck_assert_int_eq(system(line), 0);
	program(what, _i, "neutral");
	path(library, "%s/libmpi2dd-%s.so", flavours[_i]);
	snprintf(said, sizeof said, "%s/said", folder);
	launch(&bare, _i, "2", "", what, said);
	mpidbg_run_read(&bare, said);
	snprintf(line, sizeof line, "%s:%s/ears.so", library, folder);
	launch(&heard, _i, "2", line, what, said);
	mpidbg_run_read(&heard, said);
	ck_assert_msg(strlen(bare.out) > 1000, "%s", bare.err);
	ck_assert_int_eq(bare.exit_code, heard.exit_code);
	ck_assert_str_eq(bare.out, heard.out);
	mpidbg_run_free(&bare);
	mpidbg_run_free(&heard);
	scratch_remove(folder);
}
END_TEST

int main(void)
{
	job_require();
	Suite *suite = suite_create("check_mpit_own");
	TCase *tc = tcase_create("own");
	tcase_set_timeout(tc, 220);
	tcase_add_loop_test(tc, test_alone, 0, N_RUNS * FLAVOURS);
	tcase_add_loop_test(tc, test_tool_counts_messages, 0, FLAVOURS);
	tcase_add_loop_test(tc, test_tool_in_core, 0, FLAVOURS);
	tcase_add_loop_test(tc, test_processes, 0, FLAVOURS);
	tcase_add_loop_test(tc, test_listening_changes_nothing, 0, FLAVOURS);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
