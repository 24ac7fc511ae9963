/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jobs that stand still, under both MPIs: the event mpi2dd_stall of tests/programs/stall.c, and mpi2dd-run --hang with
 * each --on-hang. What is expected is what the programs do: rank 1 sleeps, rank 0 waits for it.
 */
#include "../support/job.h"
#include "../support/starter_run.h"
#include "../support/suite.h"

#include <check.h>
#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct mpi {
	const char *run, *programs;
} mpis[] = {
	{ "mpirun.openmpi --oversubscribe", "programs" },
	{ "mpirun.mpich", "programs-mpich" },
};
enum {
	N_MPIS = sizeof(mpis) / sizeof(mpis[0]),
	TIMEOUT_S = 120,
	TEXT_MAX = 1 << 16,
	PATH_ROOM = STARTER_PATH_MAX + 256
};

static char build[PATH_MAX];

static void setup(void)
{
	starter_setup();
	launcher_ranks_sleep();
}

/* In the test's directory, where the starter writes its files. */
static void begin(struct starter_run *r, int i, const char *options, const char *environment, const char *arguments)
{
	starter_do(r, "sh -c 'cd %s && %s exec %s/mpi2dd-run %s %s -n 2 %s/%s/stall %s'", starter_dir, environment,
		   build, options, mpis[i].run, build, mpis[i].programs, arguments);
	ck_assert_msg(starter_code(r) == 0, "exit code %d:\n%s%s", starter_code(r), r->out, r->err);
}

/* The same, with a first hang that lasts until hang_end().
 * Returns when the starter has reported that its report is done. */
static void hang_begin(struct starter_run *r, int i, const char *options, const char *environment,
		       const char *arguments)
{
	starter_make_fifo("go");
	starter_start(r, "sh -c 'cd %s && %s exec %s/mpi2dd-run %s %s -n 2 %s/%s/stall %s go 2>&1'", starter_dir,
		      environment, build, options, mpis[i].run, build, mpis[i].programs, arguments);
	starter_await(r, "the job hangs");
}

/* The starter may have found the job in MPI_Init: rank 1 is waited for. All that was said is in r->out. */
static void hang_end(struct starter_run *r)
{
	starter_open_fifo("go");
	starter_wait(r);
	ck_assert_msg(starter_code(r) == 0, "exit code %d:\n%s", starter_code(r), r->out);
}

static void hang(struct starter_run *r, int i, const char *options, const char *environment, const char *arguments)
{
	hang_begin(r, i, options, environment, arguments);
	hang_end(r);
}

static int stalls(const struct starter_run *r)
{
	const char *at = strstr(r->out, "stalls ");
	int n = -1, elsewhere, level, number, receive, late, wrong;

	ck_assert_msg(
		at && sscanf(at,
			     "stalls %d, %d in another thread, %d at level %d, %d in MPI_Recv, %d after 1 s or more, "
			     "%d wrong",
			     &n, &elsewhere, &level, &number, &receive, &late, &wrong) == 7,
		"%s%s", r->out, r->err);
	ck_assert_int_eq(elsewhere, n);
	ck_assert_int_eq(level, n);
	ck_assert_int_eq(receive, n);
	ck_assert_int_eq(late, n);
	ck_assert_int_eq(wrong, 0);
	return n;
}

static bool ends_in(const char *name, const char *end)
{
	return strlen(name) > strlen(end) && strcmp(name + strlen(name) - strlen(end), end) == 0;
}

/*
 * Find the report or the folder of cores of the starter by the beginning of its name; path "": none; there must be at
 * most one. Beside a report there are other files.
 */
static void made(char path[PATH_ROOM])
{
	DIR *d = opendir(starter_dir);
	int n = 0;

	ck_assert_ptr_nonnull(d);
	path[0] = '\0';
	for (const struct dirent *e; (e = readdir(d));)
		if (strncmp(e->d_name, "mpi2dd-hang.", 12) == 0 && !ends_in(e->d_name, ".json") &&
		    !ends_in(e->d_name, ".html")) {
			snprintf(path, PATH_ROOM, "%s/%.200s", starter_dir, e->d_name);
			n++;
		}
	closedir(d);
	ck_assert_int_le(n, 1);
}

static int count(const char *text, const char *what)
{
	int n = 0;

	for (const char *p = text; (p = strstr(p, what)); p++)
		n++;
	return n;
}

/* Two waits of three seconds are two stalls of one second each; a program that has not asked gets no event. */
START_TEST(test_event)
{
	static struct starter_run r;

	begin(&r, _i, "", "MPI2DD_STALL_SECONDS=1", "3 2");
	ck_assert_int_eq(stalls(&r), 2);
	begin(&r, _i, "", "", "1 1");
	ck_assert_int_eq(stalls(&r), 0);
}
END_TEST

/*
 * One report per job, although the job hangs twice, and then runs to its end. On a busy machine MPI_Init may take
 * several seconds, so --hang is longer than that in all tests that examine the report.
 */
START_TEST(test_report)
{
	static struct starter_run r;
	static char text[TEXT_MAX];
	char path[PATH_ROOM];

	hang(&r, _i, "--hang 6", "", "7 2");
	made(path);
	ck_assert_msg(path[0], "no report: %s", r.out);
	ck_assert_int_eq(count(r.out, "the job hangs: 2 processes"), 1);
	ck_assert_ptr_nonnull(strstr(r.out, "; report: "));
	ck_assert_ptr_nonnull(strstr(r.out, strrchr(path, '/')));
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	ck_assert_msg(strncmp(text, "$ mpidbg deadlock --job ", 24) == 0 &&
			      strstr(text, "missing rank: look at rank 1"),
		      "%s", text);
	ck_assert_msg(strstr(text, "in MPI_Recv, nothing finished for") && strstr(text, "in no MPI call, nothing") &&
			      strstr(text, "$ mpidbg calls --job") && strstr(text, "in MPI_Recv from 1, tag 0") &&
			      strstr(text, "$ mpidbg queues --no-verdict --job") && strstr(text, "rank 1 of 2"),
		      "%s", text);
	/* beside it, what mpidbg reads, and a page, for the owner alone */
	static struct starter_run asked;
	const int stem = (int)(strlen(path) - strlen(".txt"));
	starter_do(&asked, "%s/mpidbg deadlock --snapshot %.*s.json", build, stem, path);
	ck_assert_msg(strstr(asked.out, "rank 1"), "%s%s", asked.out, asked.err);
	starter_do(&asked, "grep -c '</html>' %.*s.html", stem, path);
	ck_assert_str_eq(asked.out, "1\n");
	starter_do(&asked, "find %s -name 'mpi2dd-hang.*' -perm /077", starter_dir);
	ck_assert_str_eq(asked.out, "");
	/* rank 1 has called three functions, including MPI_Init */
	const char *vars = strstr(text, "$ mpidbg vars --moved --job");
	ck_assert_msg(vars && strstr(vars, "    mpi2dd_calls  ") && !strstr(vars, "mpi2dd_dropped_") &&
			      !strstr(vars, "mpi2dd_live_") && !strstr(vars, "control variables"),
		      "%s", text);
}
END_TEST

/* The job is ended; before, the command is told what was written. */
START_TEST(test_end)
{
	static struct starter_run r, told;
	char path[PATH_ROOM];

	starter_do(&r,
		   "sh -c 'cd %s && for i in 1 2 3; do touch -d \"2020-01-0$i\" mpi2dd-hang.$i.txt "
		   "mpi2dd-hang.$i.html; "
		   "done; exec %s/mpi2dd-run --hang 4 --on-hang report,end --hang-keep 1 --hang-metrics hangs.prom "
		   "--hang-command \"head -n 2 \\$MPI2DD_HANG_TEXT > told; ls \\$MPI2DD_HANG_SNAPSHOT "
		   "\\$MPI2DD_HANG_PAGE >> told; grep -c conclusion \\$MPI2DD_HANG_VERDICT >> told; cat hangs.prom >> "
		   "told; "
		   "ls mpi2dd-hang.[123].* >> told\" "
		   "%s -n 2 %s/%s/stall 900 1 2>&1'",
		   starter_dir, build, mpis[_i].run, build, mpis[_i].programs);
	/* not that of the launcher, which may be 0 after SIGTERM (MPICH's) */
	ck_assert_msg(starter_code(&r) == 124 && strstr(r.out, "the job hangs: it is ended"), "exit code %d:\n%s",
		      starter_code(&r), r.out);
	made(path);
	ck_assert_msg(path[0], "no report: %s", r.out);
	starter_do(&told, "cat %s/told", starter_dir);
	ck_assert_msg(strncmp(told.out, "$ mpidbg deadlock --job ", 24) == 0 && strstr(told.out, ".json\n") &&
			      strstr(told.out, ".json\n1\n") && strstr(told.out, "\nmpidbg_job_hung{job=\"") &&
			      strstr(told.out, "\"} 1\n") &&
			      strstr(told.out, "\nmpidbg_job_stalled_processes{job=\"") && strstr(told.out, "\"} 2\n"),
		      "%s", told.out);
	/* the older reports have been removed */
	ck_assert_msg(!strstr(told.out, "hang.1.") && !strstr(told.out, "hang.2.") && !strstr(told.out, "hang.3."),
		      "%s", told.out);
}
END_TEST

/* A rank that is stopped cannot report itself: the others do, and the starter looks at it. */
START_TEST(test_stopped)
{
	static struct starter_run r;
	static char text[TEXT_MAX];
	char path[PATH_ROOM];

	starter_start(&r, "sh -c 'cd %s && exec %s/mpi2dd-run --hang 6 %s -n 3 %s/%s/hangs barrier_stopped 2>&1'",
		      starter_dir, build, mpis[_i].run, build, mpis[_i].programs);
	starter_await(&r, "the job hangs");
	made(path);
	ck_assert_msg(path[0], "no report: %s", r.out);
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	ck_assert_msg(strstr(text, "missing rank: look at rank 2, which is stopped by a signal") &&
			      strstr(text, "  stopped by a signal\n") &&
			      strstr(text, "in MPI_Barrier, nothing finished for"),
		      "%s", text);
	kill(r.pid, SIGTERM);
	starter_wait(&r);
}
END_TEST

START_TEST(test_core)
{
	static struct starter_run r, queues;
	char path[PATH_ROOM];

	if (system("command -v gcore >/dev/null") != 0)
		return;
	hang(&r, _i, "--hang 6 --on-hang core", "", "0 1");
	made(path);
	ck_assert_msg(path[0], "no cores: %s", r.out);
	ck_assert_msg(strstr(r.out, "; 2 cores in ") != NULL, "%s", r.out);
	/* only the owner may read the files, whatever the umask is */
	starter_do(&queues, "find %s -perm /077", path);
	ck_assert_str_eq(queues.out, "");
	starter_do(&queues, "%s/mpidbg calls --cores %s", build, path);
	ck_assert_msg(strstr(queues.out, "in MPI_Recv from 1, tag 0") != NULL, "%s%s", queues.out, queues.err);
	/* it has lasted about as long as --hang waits: both clocks count whole seconds, and one may be late */
	const char *lasted = strstr(queues.out, "MPI_Recv");
	lasted = lasted ? strstr(lasted, "for ") : NULL;
	ck_assert_msg(lasted && atof(lasted + 4) >= 1, "%s%s", queues.out, queues.err);
	starter_do(&r, "rm -r %s", path);
}
END_TEST

/*
 * If the working directory cannot contain the report (/proc), it is written to TMPDIR if that is private to the
 * user, and otherwise not at all.
 */
START_TEST(test_folder)
{
	static struct starter_run r;
	char path[PATH_ROOM];

	for (int is_private = 0; is_private < 2; is_private++) {
		starter_do(&r, "mkdir -m %s %s/tmp%d", is_private ? "0700" : "0755", starter_dir, is_private);
		starter_do(&r, "rm -f %s/go", starter_dir);
		starter_make_fifo("go");
		starter_start(
			&r,
			"sh -c 'cd /proc && unset XDG_RUNTIME_DIR && TMPDIR=%s/tmp%d exec %s/mpi2dd-run --hang 1 %s "
			"-n 2 %s/%s/stall 0 1 %s/go 2>&1'",
			starter_dir, is_private, build, mpis[_i].run, build, mpis[_i].programs, starter_dir);
		starter_await(&r, "the job hangs");
		hang_end(&r);
		/* the job may be found in MPI_Init, when the report is incomplete; test_report wants all of it */
		ck_assert_msg(strstr(r.out, is_private ? "; report" : "; no report: no file can be made here") != NULL,
			      "%s%s", r.out, r.err);
		snprintf(path, sizeof(path), "%s/tmp%d/mpi2dd-hang", starter_dir, is_private);
		ck_assert_msg(!is_private == !strstr(r.out, path), "%s", r.out);
	}
	starter_do(&r, "find %s/tmp1 -name mpi2dd-hang.* -perm 0600", starter_dir);
	ck_assert_int_eq(count(r.out, "mpi2dd-hang."), 4);
}
END_TEST

/* The report names the command that was incomplete and its last
 * message: a failing command is placed next to the starter. */
START_TEST(test_incomplete)
{
	static struct starter_run r;
	static const char script
		[] = "#!/bin/sh\n[ $1 != calls ] || { echo rank 0; echo mpidbg: rank 1: cannot be read; exit 1; }\n",
	  lacks[] = ": mpidbg calls exit code 1: mpidbg: rank 1: cannot be read\n";
	char path[PATH_ROOM];

	starter_do(&r, "sh -c 'cp %s/mpi2dd-run %s && ln -s %s/libmpi2dd-*.so %s'", build, starter_dir, build,
		   starter_dir);
	ck_assert_msg(starter_code(&r) == 0, "%s%s", r.out, r.err);
	snprintf(path, sizeof(path), "%s/mpidbg", starter_dir);
	FILE *f = fopen(path, "we");
	ck_assert(f != NULL && fputs(script, f) >= 0 && fclose(f) == 0 && chmod(path, 0755) == 0);
	starter_make_fifo("go");
	starter_start(&r, "sh -c 'cd %s && exec ./mpi2dd-run --hang 1 %s -n 2 %s/%s/stall 0 1 go 2>&1'", starter_dir,
		      mpis[_i].run, build, mpis[_i].programs);
	starter_await(&r, "the job hangs");
	hang_end(&r);
	ck_assert_msg(strstr(r.out, "; report, not complete: ") && strstr(r.out, lacks), "%s", r.out);
	ck_assert_msg(!strstr(r.out, "mpidbg deadlock exit") && !strstr(r.out, "mpidbg queues exit"), "%s", r.out);
}
END_TEST

START_TEST(test_break)
{
	static struct starter_run r, procs;
	char path[PATH_ROOM];

	hang_begin(&r, _i, "--hang 6 --on-hang break", "MPI2DD_BREAKPOINTS=1", "7 2");
	sleep(1); /* the ranks are informed, too */
	starter_do(&procs, "%s/mpidbg procs --job %d", build, (int)r.pid);
	ck_assert_msg(starter_code(&procs) == 0 && !procs.err[0] && strstr(procs.out, "2 ranks (MPI2DD)"),
		      "a state that our reader does not know: %s%s", procs.out, procs.err);
	hang_end(&r);
	ck_assert_msg(strstr(r.out, "rank 0: 1 hangs at MPI2DD_breakpoint"), "%s", r.out);
	ck_assert_ptr_nonnull(strstr(r.out, "rank 1: 1 hangs at MPI2DD_breakpoint"));
	ck_assert_int_eq(count(r.out, "each calls MPI2DD_breakpoint"), 1);
	made(path);
	ck_assert_str_eq(path, "");
}
END_TEST

/* A job that is slow, but not that slow. */
START_TEST(test_none)
{
	static struct starter_run r;
	char path[PATH_ROOM];

	begin(&r, _i, "--hang 20", "", "1 2");
	ck_assert_str_eq(r.err, "");
	made(path);
	ck_assert_str_eq(path, "");
}
END_TEST

static const struct {
	const char *options, *says;
} wrong[] = {
	{ "--hang 0", "--hang 0: seconds, from 1 to " },
	{ "--hang 1x", "--hang 1x: seconds, from 1 to " },
	{ "--hang", "--hang needs a value" },
	{ "--hang 5 --on-hang dance", "--on-hang dance: report, core, end, with commas between them; or break" },
	{ "--hang 5 --on-hang core,break",
	  "--on-hang core,break: report, core, end, with commas between them; or break" },
	{ "--hang 5 --on-hang break --hang-command true",
	  "--hang-command: not with --on-hang break, which is for a debugger" },
	{ "--hang-command true", "--on-hang: after how long? Say --hang SECONDS, too" },
	{ "--on-hang core", "--on-hang: after how long? Say --hang SECONDS, too" },
};

START_TEST(test_wrong)
{
	static struct starter_run r;

	starter_do(&r, "R %s", wrong[_i].options);
	ck_assert_int_eq(starter_code(&r), 2);
	ck_assert_msg(strstr(r.err, wrong[_i].says) != NULL, "%s", r.err);
	ck_assert_int_eq(count(r.err, "\n"), 1);
}
END_TEST

int main(void)
{
	job_require();
	if (!realpath(getenv("MPIDBG_BUILD"), build))
		return 1;
	Suite *s = suite_create("mpi2dd_hang");
	TCase *tc = tcase_create("mpi2dd_hang");
	tcase_set_timeout(tc, TIMEOUT_S);
	tcase_add_checked_fixture(tc, setup, starter_teardown);
	tcase_add_loop_test(tc, test_event, 0, N_MPIS);
	tcase_add_loop_test(tc, test_report, 0, N_MPIS);
	tcase_add_loop_test(tc, test_end, 0, N_MPIS);
	tcase_add_loop_test(tc, test_stopped, 0, N_MPIS);
	tcase_add_loop_test(tc, test_core, 0, N_MPIS);
	tcase_add_loop_test(tc, test_folder, 0, N_MPIS);
	tcase_add_loop_test(tc, test_incomplete, 0, N_MPIS);
	tcase_add_loop_test(tc, test_break, 0, N_MPIS);
	tcase_add_loop_test(tc, test_none, 0, N_MPIS);
	tcase_add_loop_test(tc, test_wrong, 0, sizeof(wrong) / sizeof(wrong[0]));
	suite_add_tcase(s, tc);
	return suite_run(s);
}
