/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands of gdb-scripts/ on jobs of a stripped Open MPI: GDB shows the same as the mpidbg command. */
#include "../../access/quote.h"
#include "../support/gdb_run.h"
#include "../support/job.h"
#include "../support/scratch.h"
#include "../support/suite.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WAIT_S = 60 };

static struct job job;
static char pid_text[16], core[600], exe[PATH_MAX];

static void start(const char *command, int n)
{
	job_start(command, NULL, n, 0, &job);
	snprintf(pid_text, sizeof pid_text, "%d", (int)job.ranks[0].pid);
	char link[64];
	snprintf(link, sizeof link, "/proc/%d/exe", (int)job.ranks[0].pid);
	ssize_t got = readlink(link, exe, sizeof exe - 1);
	ck_assert_int_gt(got, 0);
	exe[got] = '\0';
}

static void end(void)
{
	job_end(&job);
}

static void assert_no_traceback(const struct mpidbg_run *run)
{
	ck_assert_msg(!strstr(run->err, "Traceback") && !strstr(run->out, "Traceback") &&
			      !strstr(run->err, "Python Exception"),
		      "%s%s", run->out, run->err);
}

/* The output of a command in GDB is identical to that of the mpidbg command for the same process or core. */
static void assert_same(const char *command, const char *what, const char *option, const char *target)
{
	struct mpidbg_run gdb, own;
	char script[128];

	snprintf(script, sizeof script, "echo BEGIN\\n\nmpi %s\necho END\\n", command);
	if (strcmp(option, "-p") == 0)
		gdb_run(&gdb, script, "-p", target, NULL);
	else
		gdb_run(&gdb, script, exe, target, NULL);
	mpidbg_run(&own, what, option, target, NULL);
	ck_assert_int_eq(own.exit_code, 0);
	assert_no_traceback(&gdb);
	char *part = gdb_part(gdb.out, "BEGIN", "END");
	ck_assert_msg(strncmp(part, "BEGIN\n", 6) == 0, "%s%s", gdb.out, gdb.err);
	ck_assert_str_eq(part + 6, own.out);
	free(part);
	mpidbg_run_free(&gdb);
	mpidbg_run_free(&own);
}

START_TEST(test_same_text_live)
{
	start("blocked Recv", 2);
	assert_same("queues", "queues", "-p", pid_text);
	assert_same("comms", "comms", "-p", pid_text);
	end();
}
END_TEST

/* Threads that wait for locks: the same words as in the mpidbg command. */
START_TEST(test_waits)
{
	struct mpidbg_run run;

	start("waits mutexes_crossed", 3);
	snprintf(pid_text, sizeof pid_text, "%d", (int)job.ranks[2].pid);
	double until = job_now() + WAIT_S;
	bool waits = false;
	while (!waits) {
		mpidbg_run(&run, "queues", "-p", pid_text, NULL);
		waits = strstr(run.out, "waits for the mutex pool_lock") && strstr(run.out, "the mutex io_lock");
		ck_assert_msg(waits || job_now() < until, "%s%s", run.out, run.err);
		mpidbg_run_free(&run);
	}
	assert_same("queues", "queues", "-p", pid_text);
	gdb_run(&run, "thread apply all -q mpi where", "-p", pid_text, NULL);
	assert_no_traceback(&run);
	ck_assert_msg(
		strstr(run.out, "no MPI function: it waits for the mutex io_lock, held by thread ") &&
			strstr(run.out, "no MPI function: it waits for the mutex pool_lock, held by the main thread\n"),
		"%s%s", run.out, run.err);
	mpidbg_run_free(&run);
	end();
}
END_TEST

START_TEST(test_same_text_core)
{
	start("blocked Waitall", 2);
	job_cores(&job);
	snprintf(core, sizeof core, "%s", job.ranks[0].core);
	assert_same("queues", "queues", "--core", core);
	assert_same("comms", "comms", "--core", core);
	end();
}
END_TEST

START_TEST(test_json)
{
	struct mpidbg_run gdb;

	start("blocked Recv", 2);
	gdb_run(&gdb, "echo BEGIN\\n\nmpi queues --json --all\necho END\\n", "-p", pid_text, NULL);
	char *part = gdb_part(gdb.out, "BEGIN", "END");
	json_t *answer = json_loads(part + strlen("BEGIN\n"), 0, NULL);
	ck_assert_msg(answer != NULL, "%s%s", gdb.out, gdb.err);
	ck_assert_int_eq(json_integer_value(json_object_get(answer, "pid")), job.ranks[0].pid);
	ck_assert_uint_gt(json_array_size(json_object_get(answer, "communicators")), 2);
	json_decref(answer);
	free(part);
	mpidbg_run_free(&gdb);
	end();
}
END_TEST

/* mpi deadlock counts operations beyond those that a snapshot lists, as the command does. */
START_TEST(test_flood)
{
	struct mpidbg_run gdb;

	start("flood receives 10050", 2);
	gdb_run(&gdb, "mpi deadlock\n", "-p", pid_text, NULL);
	assert_no_traceback(&gdb);
	ck_assert_msg(strstr(gdb.out, "\nnot all pending receives were read of rank 0: 50 more were only counted\n"),
		      "%s%s", gdb.out, gdb.err);
	mpidbg_run_free(&gdb);
	end();
}
END_TEST

/* No stale output: when the process has run and MPI is finalized, the earlier contents are gone. */
START_TEST(test_nothing_stale)
{
	struct mpidbg_run gdb;
	char program[PATH_MAX], dir[SCRATCH_MAX], script[600];

	scratch_make(dir, "gdb");
	snprintf(program, sizeof program, "%s/programs/lifetime", getenv("MPIDBG_BUILD"));
	snprintf(script, sizeof script,
		 "set environment TRUTH_DIR %s\nset breakpoint pending on\nbreak MPI_Finalize\nbreak truth_stay\n"
		 "run after\necho FIRST\\n\nmpi comms\ncontinue\necho SECOND\\n\nmpi comms",
		 dir);
	gdb_run(&gdb, script, program, NULL);
	assert_no_traceback(&gdb);
	char *first = gdb_part(gdb.out, "FIRST", "SECOND"), *second = gdb_part(gdb.out, "SECOND", NULL);
	ck_assert_msg(strstr(first, "MPI_COMM_WORLD") != NULL, "%s%s", gdb.out, gdb.err);
	ck_assert_msg(*second && !strstr(second, "MPI_COMM_WORLD"), "%s%s", gdb.out, gdb.err);
	ck_assert_msg(strstr(gdb.err, "mpi comms: ") != NULL, "%s%s", gdb.out, gdb.err);
	free(first);
	free(second);
	mpidbg_run_free(&gdb);
	scratch_remove(dir);
}
END_TEST

START_TEST(test_attach_all_and_rank)
{
	struct mpidbg_run gdb;
	char script[512];

	start("blocked Recv", 3);
	snprintf(script, sizeof script,
		 "mpi attach-all %d\ninfo mpi\nmpi rank 0,2 -q print $mpi_rank()\nmpi rank all -q info inferiors\n"
		 "mpi queues --inferior all\nmpi rank 5 bt",
		 (int)job.launcher);
	gdb_run(&gdb, script, NULL);
	assert_no_traceback(&gdb);
	ck_assert_msg(strstr(gdb.out, "attached to 3 of 3 processes") != NULL, "%s%s", gdb.out, gdb.err);
	for (int i = 0; i < 3; i++) {
		char line[96];
		snprintf(line, sizeof line, "process %d  rank %d", (int)job.ranks[i].pid, job.ranks[i].file_rank);
		ck_assert_msg(strstr(gdb.out, line) != NULL, "no %s in\n%s", line, gdb.out);
		snprintf(line, sizeof line, "rank %d of 3  pid %d", job.ranks[i].file_rank, (int)job.ranks[i].pid);
		ck_assert_msg(strstr(gdb.out, line) != NULL, "no %s in\n%s", line, gdb.out);
	}
	ck_assert_msg(strstr(gdb.out, "$1 = 0\n$2 = 2\n") != NULL, "%s", gdb.out);
	ck_assert_msg(strstr(gdb.err, "no inferior is rank 5") != NULL, "%s", gdb.err);
	/* GDB is gone: they run on. */
	for (int i = 0; i < 3; i++)
		ck_assert(!job_is_traced(job.ranks[i].pid));
	mpidbg_run_free(&gdb);
	end();
}
END_TEST

START_TEST(test_backtrace_ends_at_the_call)
{
	struct mpidbg_run gdb;

	start("blocked Recv", 2);
	gdb_run(&gdb, "echo SHORT\\n\nbt\necho LONG\\n\nbt -no-filters\necho END\\n", "-p", pid_text, NULL);
	char *shown = gdb_part(gdb.out, "SHORT", "LONG"), *all = gdb_part(gdb.out, "LONG", "END");
	ck_assert_msg(strstr(shown, " in MPI_Recv (") && strstr(shown, " in main ("), "%s", shown);
	ck_assert_msg(!strstr(shown, "mca_") && !strstr(shown, "opal_"), "%s", shown);
	ck_assert_msg(strstr(all, "mca_pml_ob1_recv") != NULL, "%s", all);
	free(shown);
	free(all);
	mpidbg_run_free(&gdb);
	end();
}
END_TEST

/* Damage from inside GDB: an error line, and what can still be shown. */
START_TEST(test_damaged)
{
	struct mpidbg_run gdb;

	start("blocked Recv", 2);
	gdb_run(&gdb, "set {long}((char *)&ompi_mpi_communicators + 112) = 0x10\nmpi queues", "-p", pid_text, NULL);
	assert_no_traceback(&gdb);
	ck_assert_msg(strstr(gdb.err, "mpi queues: ") != NULL, "%s%s", gdb.out, gdb.err);
	mpidbg_run_free(&gdb);
	end();
}
END_TEST

struct refusal {
	const char *library; /* NULL: ours */
	const char *commands, *words;
};

static const struct refusal refusals[] = {
	{ NULL, "mpi queues", "mpi queues: inferior 1 has no process: run or attach to one, or load a core" },
	{ NULL, "mpi comms --nonsense", "mpi comms: unrecognized arguments: --nonsense (help mpi comms)" },
	{ NULL, "mpi comms --inferior 1-x", "a list of numbers is needed" },
	{ NULL, "mpi comms --inferior 9", "no process in inferior 9" },
	{ NULL, "mpi print #7",
	  "mpi print: #7 is the number of an object of any kind: add `as KIND` (help mpi print)" },
	{ NULL, "mpi rank all", "a list of ranks and a command are needed" },
	{ NULL, "mpi rank 1 bt", "no inferior is rank 1 (mpi attach-all makes one for each)" },
	{ NULL, "mpi attach-all", "the process id of a launcher or of a rank is needed" },
	{ NULL, "mpi attach-all 1 2", "at most one process id is taken" },
	{ NULL, "print $mpi_rank()", "$mpi_rank: inferior 1 has no process" },
	{ "/nonexistent/libmpidbg.so", "info mpi", "build or install mpidbg, or set MPIDBG_LIBRARY to libmpidbg.so" },
	{ "libm.so.6", "info mpi", "libm.so.6: is not an mpidbg plugin" },
};

START_TEST(test_refusals)
{
	const struct refusal *r = &refusals[_i];
	struct mpidbg_run gdb;
	char library[PATH_MAX];

	snprintf(library, sizeof library, "%s/libmpidbg.so", getenv("MPIDBG_BUILD"));
	gdb_run_library(&gdb, r->library ? r->library : library, r->commands, NULL);
	assert_no_traceback(&gdb);
	ck_assert_msg(strstr(gdb.err, r->words) != NULL, "%s: %s%s", r->commands, gdb.out, gdb.err);
	ck_assert_msg(*gdb.out == '\0', "%s: %s", r->commands, gdb.out);
	mpidbg_run_free(&gdb);
}
END_TEST

/* ---- missing parts ---------------------------------------------------------------------------------------- */

/* A library with another version of the interface, and one that lacks functions which the scripts call. */
START_TEST(test_other_version)
{
	char *text = gdb_shell(
		"echo 'int mpidbg_interface_version_compatibility(void) { return 1; }' >$D/a.c;"
		"cc -shared -fPIC -o $D/libmpidbg.so $D/a.c && MPIDBG_LIBRARY=$D/libmpidbg.so gdb -nx -q -batch "
		"-ex 'source gdb-scripts/mpidbg.py' -ex 'info mpi' 2>&1");

	ck_assert_msg(strstr(text, "is of another version than these scripts: take both from one installation") != NULL,
		      "%s", text);
	ck_assert(!strstr(text, "Traceback"));
	free(text);
}
END_TEST

/* Without a library values are printed as GDB prints them; why is said once. */
START_TEST(test_values_without_library)
{
	char *text = gdb_shell("MPIDBG_LIBRARY=/nonexistent/libmpidbg.so gdb -nx -q -batch "
			       "-ex 'source gdb-scripts/mpidbg.py' -ex 'break printed_here' -ex run -ex up "
			       "-ex 'print workers' -ex 'print column' -ex 'print types' $B/programs/printed 2>&1");

	ck_assert_msg(strstr(text, "$2 = (MPI_Datatype) 0x") && !strstr(text, "Traceback"), "%s", text);
	char *why = strstr(text, "mpidbg: MPI handles are printed as plain values: ");
	ck_assert_msg(why && !strstr(why + 1, "mpidbg: MPI handles"), "%s", text);
	free(text);
}
END_TEST

/* A GDB without Python reads the file as GDB commands: the first one prints the problem and ends. */
START_TEST(test_no_python)
{
	char *text = gdb_shell(
		"cp gdb-scripts/mpidbg.py $D/mpidbg.gdb; gdb -nx -q -batch -ex \"source $D/mpidbg.gdb\" 2>&1");
	char *line = strstr(
		text, "mpidbg: this GDB has no Python; use one that has (in Debian the package gdb, not gdb-minimal)");

	ck_assert_msg(line && strchr(line, '\n') && !strchr(line, '\n')[1], "%s", text);
	free(text);
}
END_TEST

/* From an installation: the library in the program brings the scripts, where the user has allowed it. */
START_TEST(test_auto_load)
{
	char *text = gdb_shell(
		"mkdir -p $D/lib $D/share/mpidbg/gdb; cp -r gdb-scripts/mpidbg.py gdb-scripts/mpidbg_gdb "
		"$D/share/mpidbg/gdb/; cp $B/libmpidbg.so $B/libmpi2dd-openmpi.so $D/lib/; "
		"cp gdb-scripts/autoload.py $D/lib/libmpi2dd-openmpi.so-gdb.py; "
		"for allowed in $D/lib /nonexistent; do env -u MPIDBG_LIBRARY gdb -nx -q -batch "
		"-ex \"set auto-load safe-path $allowed\" "
		"-ex 'set startup-with-shell off' -ex \"set environment LD_PRELOAD $D/lib/libmpi2dd-openmpi.so\" "
		"-ex 'break printed_here' -ex run -ex up -ex 'print workers' -ex 'info mpi' -ex 'echo END\\n' "
		"$B/programs/printed 2>&1; done");
	char *end = strstr(text, "END\n");

	ck_assert_msg(end && !strstr(text, "Traceback"), "%s", text);
	char *value = strstr(text, " <workers, rank 0 of 1>"), *library = strstr(text, "/lib/libmpidbg.so)");
	ck_assert_msg(value && value < end && library && library < end, "%s", text);
	/* not allowed: nothing is loaded */
	ck_assert_msg(!strstr(end, "<workers") && strstr(end, "auto-load safe-path"), "%s", text);
	free(text);
}
END_TEST

/* ---- texts of a target ---------------------------------------------------------------------------------- */

/* Characters around each border of what may be shown, and bytes that are no UTF-8: quoted in Python as in C. */
START_TEST(test_quote)
{
	static const char hostile
		[] = "a\x01\x1b[31m\x1f ~\x7f\xc2\x80\xc2\x9f\xc2\xa0\xd8\x9b\xd8\x9c\xd8\x9d\xe2\x80\x8a\xe2\x80\x8b"
		     "\xe2\x80\x8f\xe2\x80\x90\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xae\xe2\x80\xaf\xe2\x81\x9f\xe2\x81\xa0"
		     "\xe2\x81\xaf\xe2\x81\xb0\xef\xbb\xbe\xef\xbb\xbf\xef\xbf\xb8\xef\xbf\xb9\xef\xbf\xbb\xef\xbf\xbc"
		     "\xf3\xa0\x80\x80\xf3\xa0\xbf\xbf\xf3\xa1\x80\x80 \x80\xff\xc3 \xed\xa0\x80 \xc0\xaf "
		     "\xf4\x90\x80\x80 \xc3\xbc";
	char quoted[1024], hex[2 * sizeof(hostile)], script[2048];
	struct mpidbg_run gdb;

	for (size_t i = 0; i < sizeof(hostile) - 1; i++)
		snprintf(hex + 2 * i, 3, "%02x", (unsigned char)hostile[i]);
	acc_quote(quoted, sizeof(quoted), hostile);
	ck_assert_ptr_null(strchr(quoted, '\x1b'));
	snprintf(script, sizeof(script),
		 "echo BEGIN\\n\npython import mpidbg_gdb.plugin\n"
		 "python print(mpidbg_gdb.plugin.quote(bytes.fromhex('%s')).encode().hex())\necho END\\n\n",
		 hex);
	gdb_run(&gdb, script, NULL);
	char *part = gdb_part(gdb.out, "BEGIN", "END");
	const char *seen = part + strlen("BEGIN\n");
	for (const char *p = quoted; *p; p++, seen += 2) {
		unsigned byte = 0;
		ck_assert_msg(sscanf(seen, "%2x", &byte) == 1 && byte == (unsigned char)*p,
			      "expected '%s', differs at byte %td: %s%s", quoted, p - quoted, part, gdb.err);
	}
	ck_assert_int_eq(*seen, '\n');
	free(part);
	mpidbg_run_free(&gdb);
}
END_TEST

/* ---- Fortran, nothing prepared -------------------------------------------------------------------------- */

/* A request and a send to oneself, over a communicator that has a name. */
static const char fortran_source[] = "program heat\n"
				     "  use mpi\n"
				     "  implicit none\n"
				     "  integer :: ierr, rank, comm\n"
				     "  call MPI_Init(ierr)\n"
				     "  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)\n"
				     "  call MPI_Comm_set_name(comm, 'solver', ierr)\n"
				     "  call MPI_Comm_rank(comm, rank, ierr)\n"
				     "  call halo(comm, rank)\n"
				     "  call MPI_Finalize(ierr)\n"
				     "end program\n"
				     "subroutine halo(wanted, rank)\n"
				     "  use mpi\n"
				     "  implicit none\n"
				     "  integer :: wanted, rank, request, ierr, sent(4), field(4)\n"
				     "  sent = 1\n"
				     "  call MPI_Irecv(field, 4, MPI_INTEGER, rank, 7, wanted, request, ierr)\n"
				     "  call MPI_Send(sent, 4, MPI_INTEGER, rank, 7, wanted, ierr)\n"
				     "  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)\n"
				     "  call MPI_Barrier(wanted, ierr)\n"
				     "end subroutine\n";

/*
 * In a frame of Fortran strings have single quotes, arguments are addresses, and an INTEGER is a Fortran handle. With
 * address randomization, and nothing is asked before.
 */
START_TEST(test_fortran)
{
	static const char *const mpis[] = { "openmpi", "mpich" };

	if (_i && !job_mpich_is_read()) {
		puts("fortran: not run: this MPICH's device is not ch4, and its memory is not read");
		return;
	}
	setenv("SOURCE", fortran_source, 1);
	setenv("M", mpis[_i], 1);
	char *text = gdb_shell(
		"printf '%s' \"$SOURCE\" >$D/heat.f90; mpif90.$M -g -O2 -o $D/heat $D/heat.f90 2>&1; "
		"OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 MPIDBG_LIBRARY=$B/libmpidbg.so "
		"gdb -nx -q -batch -ex 'set startup-with-shell off' "
		"-ex 'set disable-randomization off' -ex 'source gdb-scripts/mpidbg.py' "
		"-ex 'break mpi_irecv_' -ex 'run' -ex \"tbreak mpi_send_ if "
		"\\$mpi_streq(\\$mpi_comm_name(\\$mpi_arg('comm')), 'solver') .and. \\$mpi_arg('tag') .eq. 7\" "
		"-ex 'continue' -ex \"print \\$mpi_arg('count')\" -ex \"print \\$mpi_comm_name(\\$mpi_arg('comm'))\" "
		"-ex \"print \\$mpi_streq('solver', 'solve')\" -ex \"print \\$mpi_arg('datatype')\" -ex up -ex 'print "
		"$mpi_comm_name(wanted)' "
		"-ex 'mpi print wanted as comm' -ex 'set language c' -ex 'print (long)&ompi_mpi_integer' $D/heat 2>&1");

	ck_assert_msg(!strstr(text, "Traceback") && !strstr(text, "Error occurred"), "%s", text);
	/* the condition held, in the binding */
	ck_assert_msg(strstr(text, "Temporary breakpoint 2, ") && strstr(text, "$1 = 4\n$2 = 'solver'\n$3 = "), "%s",
		      text);
	char *last = strstr(text, "$3 = ");
	ck_assert_msg(last[5] == '0' || !strncmp(last + 5, ".FALSE.", 7), "%s", text);
	/* MPI_INTEGER: the address of an object of Open MPI's, and a number of MPICH's mpif.h */
	char expected[64] = "$4 = 1275069467\n";
	char *integer = strstr(text, "$6 = ");
	if (integer)
		snprintf(expected, sizeof expected, "$4 = %ld\n", strtol(integer + 5, NULL, 10));
	ck_assert_msg((integer != NULL) == !_i && strstr(text, expected), "%s", text);
	ck_assert_msg(strstr(text, "$5 = 'solver'\n"), "%s", text);
	ck_assert_msg(strstr(text, "    name                solver\n") &&
			      strstr(text, "origin              MPI library"),
		      "%s", text);
	free(text);
}
END_TEST

/* A process without MPI: one line that says so. */
START_TEST(test_no_mpi)
{
	struct mpidbg_run gdb;

	gdb_run(&gdb, "break main\nrun\nmpi queues", "/bin/true", NULL);
	assert_no_traceback(&gdb);
	gdb_run(&gdb, "starti\nmpi queues\nmpi comms\nkill", "/bin/true", NULL);
	assert_no_traceback(&gdb);
	ck_assert_msg(strstr(gdb.err, "mpi queues: ") != NULL, "%s%s", gdb.out, gdb.err);
	mpidbg_run_free(&gdb);
}
END_TEST

START_TEST(test_help)
{
	struct mpidbg_run gdb;

	gdb_run(&gdb, "help mpi", NULL);
	gdb_normalise(gdb.out, 0);
	gdb_expect(gdb.out, "help");
	mpidbg_run_free(&gdb);
}
END_TEST

int main(void)
{
	job_require();
	gdb_require();
	Suite *suite = suite_create("check_gdb_commands");
	TCase *fortran = tcase_create("fortran");
	tcase_set_timeout(fortran, 240);
	tcase_add_loop_test(fortran, test_fortran, 0, 2);
	suite_add_tcase(suite, fortran);
	TCase *tc = tcase_create("commands");
	tcase_set_timeout(tc, 240);
	tcase_add_test(tc, test_same_text_live);
	tcase_add_test(tc, test_waits);
	tcase_add_test(tc, test_same_text_core);
	tcase_add_test(tc, test_json);
	tcase_add_test(tc, test_flood);
	tcase_add_test(tc, test_nothing_stale);
	tcase_add_test(tc, test_attach_all_and_rank);
	tcase_add_test(tc, test_backtrace_ends_at_the_call);
	tcase_add_test(tc, test_damaged);
	tcase_add_loop_test(tc, test_refusals, 0, sizeof refusals / sizeof refusals[0]);
	tcase_add_test(tc, test_no_mpi);
	tcase_add_test(tc, test_other_version);
	tcase_add_test(tc, test_values_without_library);
	tcase_add_test(tc, test_no_python);
	tcase_add_test(tc, test_auto_load);
	tcase_add_test(tc, test_help);
	tcase_add_test(tc, test_quote);
	suite_add_tcase(suite, tc);
	return suite_run(suite);
}
