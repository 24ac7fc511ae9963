/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a debugger sees of MPI2DD_info and MPI2DD_breakpoint over a program's life: GDB plays it. The numbers are those
 * of the requirements in docs/mpi2dd.md.
 */
#include "../../host/host.h"
#include "../support/gdb_run.h"
#include "../support/job.h"
#include "../support/suite.h"
#include "../support/world.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMEOUT_S = 240, GATE_WAIT_S = 240 };

static const struct flavour {
	const char *name, *library, *world, *start;
} flavours[] = {
	{ "openmpi", "@openmpi", "@world",
	  "mpirun.openmpi --oversubscribe -n 2 -x LD_PRELOAD=@openmpi -x MPI2DD_GATE=1 @world" },
	{ "mpich", "@mpich", "@worldmpich",
	  "mpirun.mpich -n 2 -genv LD_PRELOAD @mpich -genv MPI2DD_GATE 1 @worldmpich" },
};

/* Run the program in GDB with the library; each stop at the breakpoint is a line "EVENT ...". @p first: at main(). */
static void events(struct mpidbg_run *ret, const struct flavour *f, const char *first, const char *option)
{
	char commands[2048], *library = world_command(f->library), *world = world_command(f->world);
	snprintf(commands, sizeof commands,
		 "set startup-with-shell off\nset breakpoint pending on\nset environment LD_PRELOAD %s\n"
		 "break MPI2DD_breakpoint\ncommands\nsilent\n"
		 "printf \"EVENT %%d flags %%d procs %%d meta %%d abort %%s\\n\", MPI2DD_info.debug_state, "
		 "MPI2DD_info.mpi_flags, MPI2DD_info.proctable_size, MPI2DD_info.meta_pid, "
		 "(char *)MPI2DD_info.abort_string\ncontinue\nend\n"
		 "break main\ncommands\nsilent\n"
		 "printf \"MAIN %%d flags %%d procs %%d meta %%d\\n\", MPI2DD_info.debug_state, MPI2DD_info.mpi_flags, "
		 "MPI2DD_info.proctable_size, MPI2DD_info.meta_pid\n%s\ncontinue\nend\nrun\n",
		 library, first);
	gdb_run(ret, commands, "--args", world, option, NULL);
	free(library);
	free(world);
}

/* The first word of each event, one after the other: "1 8". */
static void states(const struct mpidbg_run *r, char *ret, size_t size)
{
	*ret = '\0';
	for (const char *at = r->out; (at = strstr(at, "EVENT ")); at++)
		snprintf(ret + strlen(ret), size - strlen(ret), "%s%d", *ret ? " " : "", atoi(at + 6));
}

START_TEST(test_req_06_33_start_and_abort)
{
	const struct flavour *f = &flavours[_i];
	struct mpidbg_run r;
	char seen[64];
	events(&r, f, "", "abort");
	states(&r, seen, sizeof seen);
	ck_assert_msg(strcmp(seen, "1 8") == 0, "%s: %s\n%s%s", f->name, seen, r.out, r.err);
	/* before MPI_Init nothing is filled in; at START everything is */
	ck_assert_ptr_nonnull(strstr(r.out, "MAIN 0 flags 64 procs 0 meta 0\n"));
	ck_assert_ptr_nonnull(strstr(r.out, "EVENT 1 flags 67 procs 1 meta "));
	mpidbg_run_free(&r);
}
END_TEST

START_TEST(test_req_10_directory_events_on_request)
{
	const struct flavour *f = &flavours[_i];
	struct mpidbg_run r;
	char seen[64];
	events(&r, f, "set var MPI2DD_info.debugger_flags = 4", "abort");
	states(&r, seen, sizeof seen);
	ck_assert_msg(strcmp(seen, "6 1 8") == 0, "%s: %s\n%s%s", f->name, seen, r.out, r.err);
	ck_assert_ptr_nonnull(strstr(r.out, "EVENT 6 flags 67 procs 1 "));
	mpidbg_run_free(&r);
}
END_TEST

START_TEST(test_req_15_abort_string)
{
	const struct flavour *f = &flavours[_i];
	static const char *const options[] = { "abort", "mine" };
	static const char *const names[] = { "MPI_COMM_WORLD", "communicator \"mine\"" };
	for (size_t i = 0; i < 2; i++) {
		struct mpidbg_run r;
		char expected[128];
		events(&r, f, "", options[i]);
		snprintf(expected, sizeof expected, " abort MPI_Abort(%s, 3) by rank 0 of ", names[i]);
		char *at = strstr(r.out, expected);
		ck_assert_msg(at != NULL, "%s: no \"%s\" in\n%s%s", f->name, expected, r.out, r.err);
		ck_assert_int_ne(at[strlen(expected)], '\n');
		mpidbg_run_free(&r);
	}
}
END_TEST

/* The library's own error handler ends the program: as MPI_Abort. One that returns the error ends nothing. */
START_TEST(test_abort_by_error_handler)
{
	const struct flavour *f = &flavours[_i];
	struct mpidbg_run r;
	char seen[64];

	events(&r, f, "", "fatal");
	states(&r, seen, sizeof seen);
	ck_assert_msg(strcmp(seen, "1 8") == 0, "%s: %s\n%s%s", f->name, seen, r.out, r.err);
	ck_assert_msg(strstr(r.out, " abort MPI_ERRORS_ARE_FATAL in MPI_Send, error code ") &&
			      strstr(r.out, " by rank 0 of "),
		      "%s%s", r.out, r.err);
	mpidbg_run_free(&r);
	events(&r, f, "", "handled");
	states(&r, seen, sizeof seen);
	ck_assert_msg(strcmp(seen, "1") == 0 && strstr(r.out, "exited normally"), "%s: %s\n%s%s", f->name, seen, r.out,
		      r.err);
	mpidbg_run_free(&r);
}
END_TEST

/* The same exit code as without us. Not the words: both launchers lose their own now and then. */
START_TEST(test_abort_unchanged)
{
	static const char *const commands[][2] = {
		{ "mpirun.openmpi --oversubscribe -n 2 @world abort",
		  "mpirun.openmpi --oversubscribe -n 2 -x LD_PRELOAD=@openmpi @world abort" },
		{ "mpirun.mpich -n 2 @worldmpich abort",
		  "mpirun.mpich -n 2 -genv LD_PRELOAD @mpich @worldmpich abort" },
	};
	struct mpidbg_run r[2];
	for (size_t i = 0; i < 2; i++)
		world_run(&r[i], commands[_i][i]);
	ck_assert_int_eq(r[0].exit_code, 3);
	ck_assert_int_eq(r[1].exit_code, r[0].exit_code);
	mpidbg_run_free(&r[0]);
	mpidbg_run_free(&r[1]);
}
END_TEST

/* ---- the file itself ----------------------------------------------------------------------------- */

START_TEST(test_req_01_02_03_21_in_the_file)
{
	struct mpidbg_run r;
	char *library = world_command(flavours[_i].library);
	gdb_run(&r,
		"output/x MPI2DD_info.magic\necho \\n\noutput MPI2DD_info.version\necho \\n\noutput "
		"MPI2DD_info.variant\necho \\n\n"
		"output sizeof(MPI2DD_info)\necho \\n",
		library, NULL);
	ck_assert_msg(strcmp(r.out, "{0x4d, 0x50, 0x49, 0x32, 0x7f}\n1 '\\001'\n1 '\\001'\n128\n") == 0 ||
			      strcmp(r.out, "{0x4d, 0x50, 0x49, 0x32, 0x7f}\n1\n1\n128\n") == 0,
		      "%s%s", r.out, r.err);
	mpidbg_run_free(&r);

	/* what a debugger finds without debug information */
	char line[512];
	snprintf(line, sizeof line, "nm -D --defined-only %s", library);
	world_run(&r, line);
	ck_assert_int_eq(r.exit_code, 0);
	static const char *const symbols[] = { " D MPI2DD_info\n", " T MPI2DD_breakpoint\n",
					       " D mpidbg_dll_locations\n", " D mpimsgq_dll_locations\n" };
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
		ck_assert_msg(strstr(r.out, symbols[i]) != NULL, "no%s", symbols[i]);
	mpidbg_run_free(&r);
	free(library);
}
END_TEST

/* ---- the gate ------------------------------------------------------------------------------------ */

static long long ask(pid_t pid, const char *what)
{
	struct mpidbg_run r;
	char number[16], command[128];
	snprintf(number, sizeof number, "%d", (int)pid);
	snprintf(command, sizeof command, "printf \"VALUE %%d\\n\", %s", what);
	gdb_run(&r, command, "-p", number, NULL);
	const char *at = strstr(r.out, "VALUE ");
	long long ret = at ? atoll(at + 6) : -1;
	mpidbg_run_free(&r);
	return ret;
}

static void find_ranks(pid_t launcher, pid_t ret[2])
{
	double deadline = job_now() + GATE_WAIT_S;
	for (;;) {
		struct host_job job = { 0 };
		struct host_error err;
		bool found = host_job_from_environment(launcher, &job, &err) == HOST_OK && job.n == 2;
		for (size_t i = 0; found && i < 2; i++)
			ret[i] = job.procs[i].pid;
		host_job_deinit(&job);
		if (found)
			return;
		ck_assert_msg(job_now() < deadline, "no ranks");
		job_nap();
	}
}

static bool is_over(pid_t launcher, int *ret_status)
{
	return waitpid(launcher, ret_status, WNOHANG) == launcher;
}

START_TEST(test_req_08_gate)
{
	pid_t ranks[2] = { 0 };
	int out, status = 0;
	pid_t launcher = world_start(flavours[_i].start, &out);
	find_ranks(launcher, ranks);

	double deadline = job_now() + GATE_WAIT_S;
	for (int i = 0; i < 2; i++)
		while (ask(ranks[i], "MPI2DD_info.debug_state") != 1) {
			ck_assert_msg(job_now() < deadline, "rank %d does not get to START", i);
			job_nap();
		}
	/* the tables are filled, and both ranks wait within MPI_Init: each for its own flag, no processor time used */
	ck_assert_int_eq(ask(ranks[0], "MPI2DD_info.proctable_size"), 2);
	ck_assert_int_eq(ask(ranks[0], "MPI2DD_info.mpi_flags"), 3);
	ck_assert_int_eq(ask(ranks[0], "MPI2DD_info.debugger_flags = 1"), 1);
	usleep(500000);
	ck_assert(!is_over(launcher, &status));
	ck_assert_int_eq(lseek(out, 0, SEEK_END), 0);
	ck_assert_int_eq(ask(ranks[1], "MPI2DD_info.debugger_flags = 1"), 1);
	deadline = job_now() + GATE_WAIT_S;
	while (!is_over(launcher, &status)) {
		ck_assert_msg(job_now() < deadline, "the gate is open, and the job does not go on");
		job_nap();
	}
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
	ck_assert_int_gt(lseek(out, 0, SEEK_END), 0);
	close(out);
}
END_TEST

int main(void)
{
	world_require();
	gdb_require();

	Suite *suite = suite_create("check_mpi2dd_events");
	TCase *tc = tcase_create("events");
	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_loop_test(tc, test_req_06_33_start_and_abort, 0, 2);
	tcase_add_loop_test(tc, test_req_10_directory_events_on_request, 0, 2);
	tcase_add_loop_test(tc, test_req_15_abort_string, 0, 2);
	tcase_add_loop_test(tc, test_abort_by_error_handler, 0, 2);
	tcase_add_loop_test(tc, test_abort_unchanged, 0, 2);
	tcase_add_loop_test(tc, test_req_01_02_03_21_in_the_file, 0, 2);
	tcase_add_loop_test(tc, test_req_08_gate, 0, 2);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
