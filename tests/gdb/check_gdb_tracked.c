/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi handles, print, calls, catch and gate in programs that carry the in-target library, under both MPIs. */
#include "../support/gdb_run.h"
#include "../support/job.h"
#include "../support/suite.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const flavours[] = { "openmpi", "mpich" };

static void run_program(struct mpidbg_run *ret, const char *flavour, const char *name, const char *commands)
{
	const char *build = getenv("MPIDBG_BUILD");
	char program[PATH_MAX], script[4096];

	snprintf(program, sizeof program, "%s/programs%s/%s", build, strcmp(flavour, "mpich") == 0 ? "-mpich" : "",
		 name);
	snprintf(script, sizeof script,
		 "set startup-with-shell off\nset environment LD_PRELOAD %s/libmpi2dd-%s.so\nset breakpoint pending "
		 "on\n%s",
		 build, flavour, commands);
	gdb_run(ret, script, program, NULL);
	ck_assert_msg(!strstr(ret->err, "Traceback") && !strstr(ret->err, "Python Exception"), "%s%s", ret->out,
		      ret->err);
}

static void run_in(struct mpidbg_run *ret, const char *flavour, const char *commands)
{
	run_program(ret, flavour, "printed", commands);
}

#define ck_contains(run, words)                                                                                        \
	ck_assert_msg(strstr((run).out, words) != NULL, "\"%s\" is not said:\n%s%s", words, (run).out, (run).err)

START_TEST(test_print)
{
	struct mpidbg_run run;

	run_in(&run, flavours[_i],
	       "break printed_here\nrun\nup\nmpi print workers\nmpi print both.comm\nmpi print both.type\nmpi print "
	       "column\n"
	       "mpi print requests[0]\nmpi print status\nmpi print fortran as comm fortran\nmpi print number as comm");
	ck_contains(run, "communicator workers");
	char *second = strstr(strstr(run.out, "communicator workers") + 1, "communicator workers");
	ck_assert_msg(second != NULL && strstr(second + 1, "communicator workers"), "%s%s", run.out, run.err);
	ck_contains(run, "made by             MPI_Comm_dup");
	ck_contains(run, "made by             MPI_Type_create_struct");
	ck_contains(run, "type map            {(MPI_CHAR, 0), (MPI_DOUBLE, 16) x 2}");
	ck_contains(run, "made by             MPI_Type_vector");
	ck_contains(run, "made by             MPI_Irecv");
	ck_contains(run, "tag                 5");
	ck_contains(run, "tag                 3");
	/* 7 is no communicator. */
	ck_assert_msg(strstr(run.err, "mpi print: no communicator is 0x7") != NULL, "%s%s", run.out, run.err);
	mpidbg_run_free(&run);
	run_in(&run, flavours[_i], "break printed_here\nrun\nup\nmpi print number");
	ck_assert_msg(strstr(run.err, "the type of number, int, is not an MPI handle: add `as KIND`") != NULL, "%s",
		      run.err);
	mpidbg_run_free(&run);
}
END_TEST

/* Two requests with one handle value: it is not said of it that it is one of them. */
START_TEST(test_shared)
{
	struct mpidbg_run run;

	run_in(&run, flavours[_i], "break printed_again\nrun\nup\nprint same[0]\nprint same[1]\nprint requests[0]");
	char *first = strstr(run.out, "<one of 2 requests with this handle, all complete at once>");
	ck_assert_msg(first && strstr(first + 1, "<one of 2 requests with this handle, all complete at once>"), "%s%s",
		      run.out, run.err);
	ck_contains(run, "<MPI_Irecv from 0, tag 5, 1 x MPI_INT on workers, active>");
	mpidbg_run_free(&run);
}
END_TEST

/* Arguments deep within a call, as the program gave them: from the registry, with the MPI's own numbers. */
START_TEST(test_arguments)
{
	struct mpidbg_run run;
	bool mpich = strcmp(flavours[_i], "mpich") == 0;

	run_program(&run, flavours[_i], "arguments",
		    "break arguments_seen\nrun\n"
		    "printf \"A %d %d %d %d %d %d|\\n\", $mpi_arg(\"sendcount\"), $mpi_arg(\"dest\"), "
		    "$mpi_arg(\"sendtag\"), "
		    "$mpi_arg(\"recvcount\"), $mpi_arg(\"source\"), $mpi_arg(\"recvtag\")\n"
		    "print $mpi_arg(\"recvbuf\") == (void *)&in[0] && $mpi_arg(\"sendbuf\") == (void *)&out[0]\n"
		    "continue\n"
		    "printf \"B %d %d %d|\\n\", $mpi_arg(\"sendcount\"), $mpi_arg(\"recvcount\"), $mpi_arg(\"root\")\n"
		    "print $mpi_arg(\"recvbuf\") == (void *)&in[0] && $mpi_arg(\"sendbuf\") == (void *)&out[0]\n"
		    "continue\n"
		    "printf \"C %d %d %d|\\n\", $mpi_arg(\"result_count\"), $mpi_arg(\"target_disp\"), "
		    "$mpi_arg(\"target_count\")\n"
		    "print $mpi_arg(\"result_addr\") == (void *)&in[0]\n"
		    "continue\n"
		    "print $mpi_arg(\"origin_addr\") == (void *)&out[0]\n"
		    "print $mpi_arg(\"result_addr\")");
	ck_contains(run, mpich ? "A 7 -1 5 6 -2 -1|" : "A 7 -2 5 6 -1 -1|");
	ck_contains(run, "$1 = 1\n");
	ck_contains(run, "B 3 -4 0|");
	ck_contains(run, "$2 = 1\n");
	ck_contains(run, "C 2 3 2|");
	ck_contains(run, "$3 = 1\n");
	ck_contains(run, "$4 = 1\n");
	ck_assert_msg(strstr(run.err, "$mpi_arg: result_addr of MPI_Get_accumulate is not recorded"), "%s", run.err);
	mpidbg_run_free(&run);
}
END_TEST

START_TEST(test_handles)
{
	struct mpidbg_run run;

	run_in(&run, flavours[_i],
	       "break printed_here\nrun\nmpi handles\nmpi handles datatype --json\nmpi calls\nmpi handles nonsense");
	ck_contains(run, "communicators: 2 live");
	ck_contains(run, "datatypes: 2 live");
	ck_contains(run, "requests: 1 live");
	ck_contains(run, "not committed");
	ck_contains(run, "\"MPI_Type_create_struct\"");
	ck_contains(run, "no thread is in an MPI function");
	ck_assert_msg(strstr(run.err, "mpi handles: argument kind: invalid choice: 'nonsense'") != NULL, "%s", run.err);
	mpidbg_run_free(&run);
}
END_TEST

START_TEST(test_catch)
{
	struct mpidbg_run run;

	run_in(&run, flavours[_i],
	       "mpi catch start\nmpi catch -t abort\nrun\nbt 1\ncontinue\nbt 1\nmpi catch nonsense");
	ck_contains(run, "mpi catch start: rank 0: the processes of this world exist");
	ck_contains(run, "mpi catch abort: rank 0: this process is about to abort: MPI_Abort(");
	ck_assert_msg(strstr(run.err, "mpi catch: one of start, spawn,") != NULL, "%s", run.err);
	mpidbg_run_free(&run);
}
END_TEST

/* The program waits in MPI_Init until the gate is opened; without that it would not get to printed_here(). */
START_TEST(test_gate)
{
	struct mpidbg_run run;

	run_in(&run, flavours[_i],
	       "set environment MPI2DD_GATE 1\nmpi catch start\nbreak printed_here\nrun\nmpi gate open\nmpi gate open\n"
	       "continue\nmpi comms");
	ck_contains(run, "inferior 1: the gate is open\n");
	ck_contains(run, "inferior 1: the gate was open already\n");
	ck_contains(run, "hit Breakpoint 2");
	ck_contains(run, "workers");
	mpidbg_run_free(&run);
}
END_TEST

START_TEST(test_not_prepared)
{
	struct mpidbg_run run;
	char program[PATH_MAX];

	snprintf(program, sizeof program, "%s/programs/printed", getenv("MPIDBG_BUILD"));
	gdb_run(&run, "break printed_here\nrun\nmpi comms\nmpi gate open", program, NULL);
	ck_contains(run, "workers");
	ck_assert_msg(strstr(run.err, "mpi gate: this process has no MPI2DD_info: start the job with mpi2dd-run") !=
			      NULL,
		      "%s%s", run.out, run.err);
	mpidbg_run_free(&run);
	gdb_run(&run, "break printed_here\nrun\nmpi handles", program, NULL);
	ck_contains(run, "communicators: 2 live, 3 predefined");
	ck_contains(run, "receive");
	ck_contains(run, "what created them, and what was freed: unavailable");
	mpidbg_run_free(&run);
}
END_TEST

int main(void)
{
	job_require();
	gdb_require_version(12);
	Suite *suite = suite_create("check_gdb_tracked");
	TCase *tc = tcase_create("tracked");
	int n = sizeof flavours / sizeof flavours[0];

	tcase_set_timeout(tc, 200);
	tcase_add_loop_test(tc, test_print, 0, n);
	tcase_add_loop_test(tc, test_arguments, 0, n);
	tcase_add_loop_test(tc, test_shared, 0, n);
	tcase_add_loop_test(tc, test_handles, 0, n);
	tcase_add_loop_test(tc, test_catch, 0, n);
	tcase_add_loop_test(tc, test_gate, 0, n);
	tcase_add_test(tc, test_not_prepared);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
