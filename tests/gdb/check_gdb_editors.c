/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GDB and LLDB as editors and other programs use them: a Python script, the machine interface, the Debug Adapter
 * Protocol, which needs GDB 14, and LLDB, which is tested where it is installed with its Python module.
 */
#include "../support/gdb_run.h"
#include "../support/job.h"
#include "../support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All answers are in the text, which is freed. */
static void expect_all(char *text, const char *const *answers, size_t n)
{
	gdb_normalise(text, -1);
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(strstr(text, answers[i]), "not there: %s\n%s", answers[i], text);
	free(text);
}

/* A Python script of the user's that sources mpidbg.py, and what
 * std::vector<MPI_Comm> has: Open MPI's type without a name. */
START_TEST(test_sourced_by_python)
{
	char *text = gdb_shell(
		"echo \"gdb.execute('source $PWD/gdb-scripts/mpidbg.py')\" >$D/mine.py; "
		"gdb -nx -q -batch -ex \"source $D/mine.py\" -ex 'set startup-with-shell off' "
		"-ex 'break printed_here' -ex run -ex up "
		"-ex 'python v = gdb.parse_and_eval(\"workers\")' "
		"-ex 'python print(v.cast(v.type.strip_typedefs()).format_string())' $B/programs/printed 2>&1");

	ck_assert_msg(!strstr(text, "Traceback") && strstr(text, " <workers, rank 0 of 1>"), "%s", text);
	free(text);
}
END_TEST

/* The machine interface, which editors use: a variable, the
 * children of an array, all variables of a frame, an expression. */
START_TEST(test_machine_interface)
{
	static const char *const answers[] = {
		"^done,name=\"c\",numchild=\"0\",value=\"ADDRESS <workers, rank 0 of 1>\",type=\"MPI_Comm\"",
		"exp=\"1\",numchild=\"0\",value=\"ADDRESS <MPI_REQUEST_NULL>\",type=\"MPI_Request\"",
		"{name=\"workers\",value=\"ADDRESS <workers, rank 0 of 1>\"}",
		"^done,value=\"ADDRESS <datatype, size 8, extent 16>\"",
	};
	char *text = gdb_shell(
		"printf '%s\\n' -enable-pretty-printing '-gdb-set startup-with-shell off' "
		"'-break-insert printed_here' -exec-run '-interpreter-exec console up' "
		"'-var-create c * workers' '-var-create r * requests' '-var-list-children 1 r' "
		"'-stack-list-variables 1' '-data-evaluate-expression column' -gdb-exit | "
		"gdb -nx -q -i=mi -ex 'source gdb-scripts/mpidbg.py' $B/programs/printed 2>&1 | grep '\\^done'");

	expect_all(text, answers, sizeof(answers) / sizeof(answers[0]));
}
END_TEST

/* The Debug Adapter Protocol, which GDB speaks since 14: the locals of a frame, and a command in the debug console. */
START_TEST(test_debug_adapter)
{
	static const char *const answers[] = { "workers = ADDRESS <workers, rank 0 of 1>\n",
					       "column = ADDRESS <datatype, size 8, extent 16>\n",
					       "status = ADDRESS <status from 0, tag 3, 4 bytes>\n",
					       "no thread is in an MPI function\n" };

	if (system("gdb -nx -batch -ex 'python exit(int(gdb.VERSION.split(\".\")[0]) >= 14)'") == 0) {
		printf("not tested: the Debug Adapter Protocol, which this GDB does not speak\n");
		return;
	}
	char *text = gdb_shell("echo mpi comms | python3 tests/gdb/dap_client.py $B/programs/printed "
			       "gdb-scripts/mpidbg.py printed_here 2>&1");
	expect_all(text, answers, sizeof(answers) / sizeof(answers[0]));
}
END_TEST

/* LLDB 14 of Debian finds its Python module only with PYTHONPATH. */
#define LLDB_PYTHON "export PYTHONPATH=$(echo /usr/lib/llvm-*/lib/python3.[0-9]*/dist-packages); "

/* LLDB lets go of the process for mpidbg, and has it again afterwards; in the end the process runs. */
START_TEST(test_lldb)
{
	static const char *const answers[] = { ", stopped by the debugger lldb (process ",
					       "  thread %d in MPI_Recv on MPI_COMM_WORLD\n",
					       "rank 1  MPI_Recv from rank 0, tag 5 on MPI_COMM_WORLD",
					       "libmpi.so.40`MPI_Recv" };
	char script[1024], expected[128];
	struct job job;

	if (system("command -v lldb >/dev/null") != 0 ||
	    system(LLDB_PYTHON "lldb --no-lldbinit -b -o 'script lldb.debugger' 2>&1 | grep -q '^Debugger'") != 0) {
		printf("not tested: LLDB, which is not installed, or has no Python\n");
		return;
	}
	job_start("hangs recv_recv", NULL, 2, 0, &job);
	int pid = (int)job.ranks[0].pid;
	snprintf(script, sizeof(script),
		 LLDB_PYTHON "export MPIDBG=$B/mpidbg; timeout 120 lldb --no-lldbinit -b -o 'process attach -p %d' "
			     "-o 'command script import lldb-scripts/mpidbg_lldb.py' -o 'mpi queues' -o 'mpi deadlock' "
			     "-o bt -o 'process detach' 2>&1; grep State /proc/%d/status",
		 pid, pid);
	char *text = gdb_shell(script);
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		snprintf(expected, sizeof(expected), answers[i], pid);
		ck_assert_msg(strstr(text, expected), "not there: %s\n%s", expected, text);
	}
	ck_assert_msg(strstr(text, "State:\tR") || strstr(text, "State:\tS"), "%s", text);
	free(text);
	job_end(&job);
}
END_TEST

int main(void)
{
	job_require();
	gdb_require();
	Suite *s = suite_create("GDB and LLDB in other programs");
	TCase *tc = tcase_create("editors");

	tcase_set_timeout(tc, 180);
	tcase_add_test(tc, test_sourced_by_python);
	tcase_add_test(tc, test_machine_interface);
	tcase_add_test(tc, test_debug_adapter);
	tcase_add_test(tc, test_lldb);
	suite_add_tcase(s, tc);
	return suite_run(s);
}
